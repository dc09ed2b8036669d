"""A produced batch on its way from a request into a log."""
