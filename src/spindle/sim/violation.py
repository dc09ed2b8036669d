"""The one error that a simulation raises where a promise was broken."""

from __future__ import annotations


class Violation(AssertionError):
    """A promise was broken; the text says which, where and when."""
