"""The metadata quorum as a machine: which node leads, what is committed."""
