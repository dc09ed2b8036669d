"""When a peer has been warmed up enough to be measured."""

from __future__ import annotations

from collections.abc import Sequence


def is_warm(seen: Sequence[float], less_is_better: bool = False) -> bool:
    """Whether a figure has stopped getting better: twice no more than 3 % beyond its best."""
    if len(seen) < 3:
        return False
    sign = -1 if less_is_better else 1
    best = max(sign * value for value in seen[:-2])
    return all(sign * value <= best + 0.03 * abs(best) for value in seen[-2:])
