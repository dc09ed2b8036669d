"""Amounts in words, for the planners' notes. Pure."""

from __future__ import annotations


def amount(size: float) -> str:
    """Bytes in words."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if abs(size) >= scale / 10:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} B"
