"""Tools of those who build Spindle; no part of the package."""
