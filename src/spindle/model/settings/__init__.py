"""Every setting of a node, by subject; `model.config` reads them. Imports no other package."""
