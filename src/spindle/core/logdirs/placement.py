"""The directory of a new replica: by free bytes and load, not by counting (K113-27, B-07).

Pure. Knows directories as figures; whether a wish or the metadata names one is its first question.
The node begins a round whenever logs are to be created.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spindle.model.ids import LogDir

SHARES: Final = 1024
"""A new log counts at least as this fraction of the largest disk, whatever its bytes are now."""
LARGEST: Final = 16
"""And no log is expected to grow beyond this part of the largest disk."""
LEAST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A directory that could take a replica. `usable` and `total` in bytes, -1 where unknown.

    `sizes`: bytes of each log in it, those on their way here by a move with what they will have;
    `rate`: bytes written per second of late.
    """

    path: LogDir
    online: bool
    cordoned: bool
    total: int
    usable: int
    rate: float
    sizes: Sequence[int]


class Round:
    """Placement of several replicas by the same figures: each one placed counts for the next."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._online = {c.path: c for c in candidates if c.online}
        known = list(self._online.values())
        self._share = max([LEAST_BYTES, *(c.total // SHARES for c in known)])
        sizes = [size for c in known for size in c.sizes if size]
        mean = sum(sizes) // len(sizes) if sizes else 0
        self._grown = max(self._share, min(mean, self._share * SHARES // LARGEST))
        self._count = {c.path: len(c.sizes) for c in known}
        self._blind = any(c.usable < 0 or c.total <= 0 for c in known)
        self._left = {
            # What it will have left once its young logs are as large as the others.
            c.path: c.usable - sum(max(0, self._grown - size) for size in c.sizes)
            for c in known
        }

    def order(self, wish: LogDir | None = None, assigned: LogDir | None = None) -> list[LogDir]:
        """The online directories for a new replica, best first; empty where none is online.

        First the one wished for, then the one that the metadata names (both also where cordoned:
        somebody has decided), then those not cordoned by room; cordoned ones only where all are.
        Without figures from a file system: by the number of logs, as Apache Kafka does.
        """
        free = [c for c in self._online.values() if not c.cordoned] or list(self._online.values())
        by_room = [c.path for c in sorted(free, key=self._rank)]
        named = [p for p in (wish, assigned) if p is not None and p in self._online]
        return list(dict.fromkeys([*named, *by_room]))

    def took(self, path: LogDir) -> None:
        """A replica is being created there."""
        self._left[path] -= self._grown
        self._count[path] += 1

    def _rank(self, candidate: Candidate) -> tuple[float, float, int]:
        path = candidate.path
        if self._blind:
            return (0, 0, self._count[path])
        room = self._left[path] // self._share
        return (-room, candidate.rate // LEAST_BYTES, self._count[path])
