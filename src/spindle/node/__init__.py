"""A node as one machine: frames and results in, wishes out. Composes core and wire."""
