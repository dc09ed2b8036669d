"""How long a plan takes at least: what its throttles alone ask for. Pure.

The speed of disks and networks is unknown, and the leader of a partition, its sender, may
change on the way. So nothing but what each broker must take in, and each disk must rest, counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from spindle.planning.load import PlannedMove


class CopyRates(NamedTuple):
    """Bytes/s that the moves of a broker, and on the average those of a disk, may copy at most.

    None: no limit. A broker's copies between its disks have one limit, those from others another
    one of the same size.
    """

    broker: int | None = None
    disk: int | None = None


class Longest(NamedTuple):
    """What keeps to its limit for longest: seconds, bytes copied in this time, by which broker.

    `way`: in words from where to where.
    """

    seconds: float
    size: int
    broker: int
    way: str


def longest(moves: Iterable[PlannedMove], pace: CopyRates) -> Longest | None:
    """What the pace makes take longest; None where it sets no limit, or nothing is copied.

    After its last move a disk's rest is not waited for: its largest one is left out, therefore.
    """
    inside: defaultdict[int, int] = defaultdict(int)
    coming: defaultdict[int, int] = defaultdict(int)
    disks: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for move in moves:
        (coming if move.between else inside)[move.to] += move.size
        for place in ((move.broker, move.source), (move.to, move.target)):
            disks[place].append(move.size)
    found: list[Longest] = []
    if pace.broker is not None:
        for broker, size in inside.items():
            found.append(Longest(size / pace.broker, size, broker, "between its disks"))
        for broker, size in coming.items():
            found.append(Longest(size / pace.broker, size, broker, "from other brokers"))
    if pace.disk is not None:
        for (broker, path), sizes in disks.items():
            size = sum(sizes) - max(sizes)
            way = f"from and to {path}, its last move left out"
            found.append(Longest(size / pace.disk, size, broker, way))
    return max((one for one in found if one.size), default=None)
