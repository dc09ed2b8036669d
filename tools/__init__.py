"""Tools for building Spindle; no part of the package."""
