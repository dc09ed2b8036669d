"""The metadata quorum as a machine: who leads, what is committed."""
