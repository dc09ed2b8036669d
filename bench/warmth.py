"""When a peer has been warmed up enough to be measured."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import Final

TOLERANCE: Final = 0.03
"""By how much of its best a figure may still rise or fall by chance."""
RECENT: Final = 4
"""Windows that show how fast a figure still gets better."""


def is_warm(seen: Sequence[float], less_is_better: bool = False) -> bool:
    """Whether a figure has stopped getting better: twice no more than 3 % beyond its best."""
    if len(seen) < 3:
        return False
    sign = -1 if less_is_better else 1
    best = max(sign * value for value in seen[:-2])
    return all(sign * value <= best + TOLERANCE * abs(best) for value in seen[-2:])


def slope(seen: Sequence[float], less_is_better: bool = False) -> float:
    """By what share of itself a figure still gets better from one window to the next.

    The median slope of any two of the last windows; 0 where there are fewer than two of them.
    """
    recent = seen[-RECENT:]
    if len(recent) < 2:
        return 0.0
    pairs = combinations(enumerate(recent), 2)
    steepest = statistics.median((b - a) / (n - m) for (m, a), (n, b) in pairs)
    middle = statistics.median(recent)
    return (-steepest if less_is_better else steepest) / abs(middle) if middle else 0.0
