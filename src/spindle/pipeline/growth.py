"""A straight line through how much has been written: robust against what is not growth. Pure.

Bytes against seconds. What jumps once or twice (a bulk load, a topic deleted) is no growth and is
taken out; of the rest the slope is the median over all pairs of points (Theil-Sen), so that gaps,
retention's steps and single wrong samples do not bend it. Called by `forecast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_JUMPS_MAX: Final = 2
"""So many jumps are events; more of them are how this directory grows."""
_JUMP: Final = 12.0
"""A jump is so many times as far from the median as the others are at the median."""


class Line(NamedTuple):
    """Bytes/s: the slope, and the slopes between which nearly all long pairs of points lie."""

    slope: float
    low: float
    high: float


def fit(seconds: Sequence[float], changes: Sequence[float]) -> Line | None:
    """The line of a directory; `changes[n]`: bytes that came (or went) until `seconds[n]`.

    The first change counts as the beginning. None with fewer than two moments.
    """
    at = np.asarray(seconds, dtype=np.float64)
    steps = np.asarray(changes, dtype=np.float64)
    if len(at) < 2 or at[-1] <= at[0]:
        return None
    steps = np.concatenate([[0.0], steps[1:]])
    steps[1:] = _without_jumps(steps[1:], np.diff(at))
    total = np.cumsum(steps)
    first, second = np.triu_indices(len(at), 1)
    spans = at[second] - at[first]
    slopes = (total[second] - total[first]) / spans
    far = slopes[spans >= (at[-1] - at[0]) / 2]
    low, high = np.percentile(far, [10, 90])
    middle = float(np.median(slopes))
    return Line(middle, min(middle, float(low)), max(middle, float(high)))


def _without_jumps(steps: NDArray[np.float64], spans: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same with single jumps replaced by what is usual in such a time."""
    rates = steps / spans
    usual = float(np.median(rates))
    spread = float(np.median(np.abs(rates - usual)))
    limit = _JUMP * max(spread, abs(usual) / 4, 1e-9)
    jumps = np.abs(rates - usual) > limit
    if not 0 < int(jumps.sum()) <= _JUMPS_MAX or len(steps) <= 4 * _JUMPS_MAX:
        return steps
    return np.where(jumps, usual * spans, steps)
