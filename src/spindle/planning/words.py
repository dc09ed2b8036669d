"""Amounts in words, for the planners' notes and whoever tells of plans. Pure."""

from __future__ import annotations


def amount(size: float) -> str:
    """Bytes in words."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if abs(size) >= scale / 10:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} B"


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something: "1 replica", "2 replicas"; `many` where an s is not enough."""
    return f"{count} {one if count == 1 else many or one + 's'}"
