"""Writes `spindle.wire.messages`: a module for each request and each response."""
