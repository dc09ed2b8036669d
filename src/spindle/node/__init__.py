"""A node as one machine: frames and results in, effects out. Composes core and wire."""
