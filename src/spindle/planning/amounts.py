"""Amounts and counts in words: in the planners' notes and in all that commands print. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

_UNITS = tuple((unit, 1024.0**n) for n, unit in enumerate(("KiB", "MiB", "GiB", "TiB", "PiB"), 1))
_DIGITS = 9
"""Behind the point, at most."""
NAMED = 5
"""Names in a list; the others are counted."""


def amount(size: float, digits: int = 1) -> str:
    """Bytes in words, "1.5 GiB": in the largest unit of which there is one at least.

    Tables, sentences and pictures all use it, so that their figures can be compared.
    """
    if round(abs(size)) < 1024:
        return f"{size:.0f} B"
    unit, scale = next(
        ((unit, scale) for unit, scale in _UNITS if round(abs(size) / scale, digits) < 1024),
        _UNITS[-1],
    )
    return f"{size / scale:.{digits}f} {unit}"


def told_apart(*sizes: float) -> list[str]:
    """Amounts that one sentence compares: with so many digits that different ones look different.

    What differs by less than a byte is the same.
    """
    for digits in range(1, _DIGITS):
        words = [amount(size, digits) for size in sizes]
        pairs = combinations(zip(sizes, words, strict=True), 2)
        if all(a[1] != b[1] or round(a[0]) == round(b[0]) for a, b in pairs):
            return words
    return [f"{size:.0f} B" for size in sizes]


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something: "1 replica", "2,000 replicas"; `many` where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def lasting(seconds: float) -> str:
    """A time in words, in its two largest units: "45 s", "2 h 36 min", "3 d 4 h"."""
    left = max(1, round(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        larger, smaller, names = *divmod(left, 60), ("min", "s")
    elif left < 86_400:
        larger, smaller, names = *divmod(round(left / 60), 60), ("h", "min")
    else:
        larger, smaller, names = *divmod(round(left / 3600), 24), ("d", "h")
    return f"{larger} {names[0]}" + (f" {smaller} {names[1]}" if smaller else "")


def listed(names: Sequence[str]) -> str:
    """The first names of a list, and how many there are besides."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
