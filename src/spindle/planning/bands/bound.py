"""What even means, and what no plan can beat: the bytes that must move to get there.

The level is found like that of water poured into vessels: directories that take nothing more keep
what they have, those to drain keep only what cannot leave, all others are equally full. Pure.
Called by the planners (directories of a broker, of a cluster, and brokers as wholes) and by tests.

LB = max(bytes above the bands' upper edges, bytes missing at their lower edges). It is also what
the linear relaxation of the full problem gives. Where a plan does not reach a band, the bound given
with it is that of the end which it has reached. With rates: a directory that must lose a rate loses
at least the bytes of those replicas that carry the most of it per byte, so its part of the sum is
the larger of the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.planning.load import Band, DirectoryLoad

_HALVINGS = 60
"""Of the interval in which the level is looked for: more than a double can tell apart."""


class Edges(NamedTuple):
    """The bytes between which a directory is in the band.

    `fair`: its upper edge if all replicas were small; less than `high` where something cannot
    leave, or a single replica is larger than any share.
    """

    low: float
    mean: float
    high: float
    fair: float = 0.0

    def outside(self, size: float) -> float:
        """Bytes by which a directory of this size is out of the band; less than one is none."""
        if size > self.high:
            off = size - self.high
        elif size < self.low:
            off = self.low - size
        else:
            return 0.0
        return off if off >= 1 else 0.0

    def with_end(self, size: float) -> Edges:
        """The band as wide as it must be for a directory that ends with this size."""
        return self._replace(low=min(self.low, size), high=max(self.high, size))

    def trimmed(self, trim: float) -> Edges:
        """The band without this share of either half, at its edges."""
        if not trim:
            return self
        low = self.low + trim * (self.mean - self.low)
        return self._replace(low=low, high=self.high - trim * (self.high - self.mean))


def edges(
    directories: Sequence[DirectoryLoad],
    sizes: Sequence[float],
    band: Band,
    pinned: Sequence[float] | None = None,
    largest: Sequence[float] | None = None,
) -> list[Edges]:
    """The band of each directory, from the bytes in it.

    `pinned`: bytes in each that cannot leave; `largest`: its largest replica of those that can.
    Directories to drain must hold nothing but what cannot leave; closed ones may only lose.
    """
    none = [0] * len(directories)
    level, stays = _with_giants(directories, sizes, band, pinned or none, largest or none)
    result = []
    for d, size, held in zip(directories, sizes, stays, strict=True):
        if d.drain:
            result.append(Edges(0.0, 0.0, float(held), float(held)))
            continue
        middle = level * d.capacity
        fair = min(middle * (1 + band.tolerance), band.mark(d.capacity))
        high = max(fair, held)
        mean = min(max(middle, held), high)
        low = 0.0
        if d.open:
            low = min(middle * (1 - band.tolerance), high)
        else:
            mean = min(mean, size)
        result.append(Edges(low, mean, high, fair))
    return result


def rate_edges(
    directories: Sequence[DirectoryLoad],
    rates: Sequence[float],
    tolerance: float,
    pinned: Sequence[float] | None = None,
    largest: Sequence[float] | None = None,
) -> list[Edges]:
    """The band of each directory's write rate: open ones have equal parts, whatever their size.

    `pinned`, `largest`: of the rates in each, as of the bytes in `edges`.
    """
    all_of_it = math.ceil(sum(rates)) + 1
    alike = [d._replace(capacity=all_of_it) for d in directories]
    return edges(alike, rates, Band(tolerance, 1.0), pinned, largest)


def lower_bound(
    around: Iterable[Edges], sizes: Iterable[float], ends: Iterable[float] | None = None
) -> int:
    """Bytes that any plan must move to bring directories of these sizes into their bands.

    `ends`: the sizes that a plan has reached, which may be out of the bands: then the bytes that
    any plan must move which ends as even as that one. So never more than that one has moved.
    """
    if ends is not None:
        around = [e.with_end(end) for e, end in zip(around, ends, strict=True)]
    above = missing = 0.0
    for e, size in zip(around, sizes, strict=True):
        above += max(0.0, size - e.high)
        missing += max(0.0, e.low - size)
    return int(max(above, missing))


def least_that_brings(
    prices: NDArray[np.float64], worths: NDArray[np.float64], wanted: float
) -> float:
    """The least price of some replicas (and a part of one) that are worth so much together.

    So the fewest bytes that carry a rate, or the lowest rate that comes with so many bytes.
    """
    if wanted <= 0 or not len(worths):
        return 0.0
    order = np.argsort(-worths / np.maximum(prices, 1), kind="stable")
    brought = np.cumsum(worths[order])
    at = int(np.searchsorted(brought, wanted))
    if at >= len(order):
        return float(prices.sum())
    before = float(brought[at - 1]) if at else 0.0
    whole = float(prices[order[:at]].sum())
    return whole + float(prices[order[at]]) * (wanted - before) / float(worths[order[at]])


def _with_giants(
    directories: Sequence[DirectoryLoad],
    sizes: Sequence[float],
    band: Band,
    pinned: Sequence[float],
    largest: Sequence[float],
) -> tuple[float, list[float]]:
    """(level, bytes that stay in each directory).

    A replica larger than the share of the largest directory is out of each band: it stays
    where it is, if that is under the high mark, and the others share what is left.
    """
    stays = list(pinned)
    roomiest = max((d.capacity for d in directories if d.open and not d.drain), default=0)
    while True:
        level = _level(directories, sizes, stays)
        most = level * roomiest * (1 + band.tolerance)
        giants = [
            n
            for n, d in enumerate(directories)
            if largest[n] > most
            and not d.drain
            and largest[n] <= band.mark(d.capacity) - pinned[n]
            and stays[n] == pinned[n]
        ]
        if not giants:
            return level, stays
        for n in giants:
            stays[n] = pinned[n] + largest[n]


def _level(
    directories: Sequence[DirectoryLoad], sizes: Sequence[float], stays: Sequence[float]
) -> float:
    """The fullness at which everything fits, as a share of capacity."""
    total = sum(sizes)
    room = sum(d.capacity for d in directories if d.open and not d.drain)
    flat = total / room if room else 0.0
    plain = all(
        d.open and not d.drain and held <= flat * d.capacity
        for d, held in zip(directories, stays, strict=True)
    )
    if plain:
        return flat
    return _poured(directories, sizes, stays, total, room)


def _poured(
    directories: Sequence[DirectoryLoad],
    sizes: Sequence[float],
    stays: Sequence[float],
    total: float,
    room: int,
) -> float:
    """The level where some directories are closed, drained, or hold what cannot leave."""
    capacity = np.array([d.capacity for d in directories], dtype=np.float64)
    size = np.array(sizes, dtype=np.float64)
    held = np.array(stays, dtype=np.float64)
    closed = np.array([not d.open for d in directories], dtype=bool)
    drained = np.array([d.drain for d in directories], dtype=bool)
    most = np.where(drained, 0.0, np.where(closed, size, np.inf))
    top = float(np.max(np.divide(size, capacity, out=np.zeros_like(size), where=capacity > 0),
                       initial=0.0))  # fmt: skip
    below, above = 0.0, max(top, total / room if room else 0.0)
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        if float(np.maximum(held, np.minimum(capacity * middle, most)).sum()) < total:
            below = middle
        else:
            above = middle
    return above
