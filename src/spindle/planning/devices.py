"""Which directories of a broker lie on one device, as far as a client can know. Pure.

DescribeLogDirs names no device. Directories on one file system have its total and, but for what is
written meanwhile, its free bytes in common; disks that are alike by chance do not, unless they are
empty: so what looks alike counts as one device only where the replicas of all fit into what is used
there. `pipeline.directory_loads` has the same rule for Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

DRIFT_BYTES: Final = 64 << 20
DRIFT_SHARE: Final = 0.001
"""How far the free bytes of one file system may differ between its directories, in bytes and as a
share of its size (the lesser counts): a broker looks at one after the other, and others write."""


class Room(NamedTuple):
    """What a broker tells of a directory, and the bytes of the replicas there."""

    path: str
    total: int | None
    usable: int
    used: int


def devices(rooms: Iterable[Room]) -> list[list[Room]]:
    """The directories of one broker, those on one device together, least free bytes first."""
    found: list[list[Room]] = []
    for alike in _alike(sorted(rooms, key=lambda r: (r.total or 0, r.usable, r.path))):
        total, together = alike[0].total, sum(room.used for room in alike)
        if total is not None and 0 < together <= total - alike[0].usable:
            found.append(alike)
        else:
            found += [[room] for room in alike]
    return found


def _alike(rooms: Sequence[Room]) -> Iterator[list[Room]]:
    """Neighbours with the same total whose free bytes hardly differ from one to the next."""
    for total, equal in groupby(rooms, key=lambda room: room.total):
        drift = min(DRIFT_BYTES, (total or 0) * DRIFT_SHARE)
        alike: list[Room] = []
        for room in equal:
            if alike and room.usable - alike[-1].usable > drift:
                yield alike
                alike = []
            alike.append(room)
        yield alike
