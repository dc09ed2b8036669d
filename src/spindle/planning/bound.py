"""What even means for a broker, and what no plan can beat: the bytes that must move to get there.

The level is found like that of water poured into vessels: directories that take nothing more keep
what they have, those to drain keep only what cannot leave, all others are equally full. Pure.
Called by the planner and by its tests.

LB = max(bytes above the bands' upper edges, bytes missing at their lower edges). It is also what
the linear relaxation of the full problem gives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindle.planning.load import Band, DirectoryLoad

_HALVINGS = 60
"""Of the interval in which the level is looked for: more than a double can tell apart."""


class Edges(NamedTuple):
    """The bytes between which a directory is in the band.

    `fair`: its upper edge if all replicas were small; less than `high` where something cannot
    leave, or a single replica is larger than anybody's share.
    """

    low: float
    mean: float
    high: float
    fair: float = 0.0

    def outside(self, size: int) -> float:
        """Bytes by which a directory of this size is out of the band; less than one is none."""
        off = max(size - self.high, self.low - size)
        return off if off >= 1 else 0.0


def edges(
    directories: Sequence[DirectoryLoad],
    sizes: Mapping[str, int],
    band: Band,
    pinned: Mapping[str, int] | None = None,
    largest: Mapping[str, int] | None = None,
) -> dict[str, Edges]:
    """The band of each directory.

    `pinned`: bytes in each that cannot leave; `largest`: its largest replica of those that can.
    Directories to drain shall hold nothing but what cannot leave; closed ones may only lose.
    """
    level, stays = _with_giants(directories, sizes, band, pinned or {}, largest or {})
    result = {}
    for d in directories:
        held = stays.get(d.path, 0)
        if d.drain:
            result[d.path] = Edges(0.0, 0.0, float(held), float(held))
            continue
        middle = level * d.capacity
        fair = min(middle * (1 + band.tolerance), d.capacity * band.high_mark)
        high = max(fair, held)
        mean = min(max(middle, held), high, math.inf if d.open else sizes[d.path])
        low = min(middle * (1 - band.tolerance), high) if d.open else 0.0
        result[d.path] = Edges(low, mean, high, fair)
    return result


def lower_bound(around: Mapping[str, Edges], sizes: Mapping[str, int]) -> int:
    """Bytes that any plan must move to bring directories of these sizes into their bands."""
    above = sum(max(0.0, sizes[p] - e.high) for p, e in around.items())
    missing = sum(max(0.0, e.low - sizes[p]) for p, e in around.items())
    return int(max(above, missing))


def _with_giants(
    directories: Sequence[DirectoryLoad],
    sizes: Mapping[str, int],
    band: Band,
    pinned: Mapping[str, int],
    largest: Mapping[str, int],
) -> tuple[float, dict[str, int]]:
    """(level, bytes that stay in each directory).

    A replica larger than the share of the largest directory is out of everybody's band: it stays
    where it is, if that is under the high mark, and the others share what is left.
    """
    stays = dict(pinned)
    roomiest = max((d.capacity for d in directories if d.open and not d.drain), default=0)
    while True:
        level = _level(directories, sizes, stays)
        most = level * roomiest * (1 + band.tolerance)
        giants = [
            d.path
            for d in directories
            if not d.drain
            and most < largest.get(d.path, 0) <= d.capacity * band.high_mark - pinned.get(d.path, 0)
            and stays.get(d.path, 0) == pinned.get(d.path, 0)
        ]
        if not giants:
            return level, stays
        for path in giants:
            stays[path] = pinned.get(path, 0) + largest[path]


def _level(
    directories: Sequence[DirectoryLoad], sizes: Mapping[str, int], pinned: Mapping[str, int]
) -> float:
    """The fullness at which everything fits, as a share of capacity."""
    total = sum(sizes.values())
    top = max((sizes[d.path] / d.capacity for d in directories if d.capacity), default=0.0)
    room = sum(d.capacity for d in directories if d.open and not d.drain)
    below, above = 0.0, max(top, total / room if room else 0.0)
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        if sum(_holds(d, middle, sizes, pinned) for d in directories) < total:
            below = middle
        else:
            above = middle
    return above


def _holds(
    directory: DirectoryLoad, level: float, sizes: Mapping[str, int], pinned: Mapping[str, int]
) -> float:
    """What a directory holds if all are filled to this level."""
    stays = pinned.get(directory.path, 0)
    if directory.drain:
        return stays
    wanted = directory.capacity * level
    return max(stays, wanted if directory.open else min(wanted, sizes[directory.path]))
