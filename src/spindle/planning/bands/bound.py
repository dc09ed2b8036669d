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
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.planning.load import Band, DirectoryLoad

_HALVINGS = 60
"""Of the interval in which the level is looked for: more than a double can tell apart."""


_DEAR = 10
"""Bytes of a giant that may be moved to bring one byte closer."""


class GiantsWays(NamedTuple):
    """Where replicas that are larger than any share may go, by the index of directories.

    `may_go`: whether the largest replica of a directory that can leave it may go to another.
    `group`: of each directory, what it is a part of (its broker), which counts as a whole, too.
    """

    may_go: Callable[[int, int], bool]
    group: Sequence[int]


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
    ways: GiantsWays | None = None,
) -> list[Edges]:
    """The band of each directory, from the bytes in it.

    `pinned`: bytes in each that cannot leave; `largest`: its largest replica of those that can;
    `ways`: where that may go (None: it is never wanted elsewhere if it is larger than any share).
    Directories to drain must hold nothing but what cannot leave; closed ones may only lose.
    """
    none = [0] * len(directories)
    giants = _Giants(directories, band, pinned or none, largest or none, ways)
    level, stays = giants.settled(sizes)
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


class _Giants:
    """Replicas larger than the share of the largest directory: they are out of each band.

    Such a replica stays where it is, if that is under the high mark, and the others share what is
    left. If so much beside it cannot leave that it stands clearly better in another directory, the
    band of that one has the room for it.
    """

    def __init__(
        self,
        directories: Sequence[DirectoryLoad],
        band: Band,
        pinned: Sequence[float],
        largest: Sequence[float],
        ways: GiantsWays | None,
    ) -> None:
        self._directories, self._band, self._ways = directories, band, ways
        self._pinned, self._largest = pinned, largest
        self._stays = list(pinned)
        self._groups = Counter[int]()
        """Bytes that stay in each group."""
        self._room = Counter[int]()
        for n, d in enumerate(directories):
            self._groups[self._group(n)] += int(pinned[n])
            self._room[self._group(n)] += d.capacity
        self._settled: set[int] = set()
        """Directories whose giant has been decided on."""

    def settled(self, sizes: Sequence[float]) -> tuple[float, list[float]]:
        """(level, bytes that are to stay in each directory)."""
        targets = [d.capacity for d in self._directories if d.open and not d.drain]
        roomiest = max(targets, default=0)
        while True:
            level = _level(self._directories, sizes, self._stays)
            giants = self._larger_than(level * roomiest * (1 + self._band.tolerance))
            # Those that stand beside little are first: they are not asked to make way.
            before = len(self._settled)
            for n in sorted(giants, key=lambda n: (self._shares(n, self._pinned), n)):
                self._settle(n, level)
            if len(self._settled) == before:
                return level, self._stays

    def _larger_than(self, most: float) -> list[int]:
        return [
            n
            for n, d in enumerate(self._directories)
            if self._largest[n] > most and not d.drain and n not in self._settled
        ]

    def _settle(self, n: int, level: float) -> None:
        """Count the giant of a directory where it stands best; nowhere if there is no room."""
        size = self._largest[n]
        fits = self._pinned[n] + size <= self._band.mark(self._directories[n].capacity)
        best = self._best(n, level, fits)
        if best is None and not fits:
            return
        place = n if best is None else best
        self._stays[place] += size
        self._groups[self._group(place)] += int(size)
        self._settled.add(n)

    def _best(self, n: int, level: float, fits: bool) -> int | None:
        """The other directory in which the giant of one stands best; None: none is worth it.

        `fits`: it may stay where it is.
        """
        if self._ways is None:
            return None
        size = self._largest[n]
        fitting = [
            (self._shares(m, self._stays), m)
            for m, d in enumerate(self._directories)
            if m != n
            and d.open
            and not d.drain
            and self._stays[m] + size <= self._band.mark(d.capacity)
        ]
        for _, m in sorted(fitting):
            if (not fits or self._worth_it(n, m, level)) and self._ways.may_go(n, m):
                return m
        return None

    def _worth_it(self, n: int, m: int, level: float) -> bool:
        """Whether a giant stands clearly better in another directory, or in its group."""
        here, there = self._shares(n, self._pinned), self._shares(m, self._stays)
        own = min(level, here[0]) - there[0]
        group = min(level, here[1]) - there[1] if self._group(n) != self._group(m) else 0.0
        gain, least = max(own, group), self._band.tolerance * level
        in_bytes = gain * self._directories[m].capacity
        return own >= -least and gain >= least and in_bytes * _DEAR >= self._largest[n]

    def _group(self, n: int) -> int:
        return 0 if self._ways is None else self._ways.group[n]

    def _shares(self, n: int, stays: Sequence[float]) -> tuple[float, float]:
        """How full a directory is with what stays in it, and the group that it is a part of."""
        full = stays[n] / max(1, self._directories[n].capacity)
        group = self._group(n)
        return full, self._groups[group] / max(1, self._room[group])


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
