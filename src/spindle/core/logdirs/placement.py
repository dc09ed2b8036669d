"""The directory of a new replica: by free bytes and load, not by counting (K113-27, B-07).

Pure. Knows directories as figures; whether a wish or the metadata names one is its first question.
Called by the node whenever a log is to be created.
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


def place(
    candidates: Sequence[Candidate], wish: LogDir | None = None, assigned: LogDir | None = None
) -> list[LogDir]:
    """The online directories for a new replica, best first; empty where none is online.

    First the one wished for, then the one that the metadata names (both also where cordoned:
    somebody has decided), then those not cordoned by room; cordoned ones only where all are.
    """
    online = [c for c in candidates if c.online]
    free = [c for c in online if not c.cordoned] or online
    by_room = [c.path for c in rank(free)]
    named = [p for p in (wish, assigned) if any(p == c.path for c in online)]
    return list(dict.fromkeys([*(p for p in named if p is not None), *by_room]))


def rank(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates by what they will have left once all their logs are grown, best first.

    Without figures from a file system: by the number of logs, as Apache Kafka does.
    """
    if not candidates:
        return []
    if any(c.usable < 0 or c.total <= 0 for c in candidates):
        return sorted(candidates, key=lambda c: len(c.sizes))
    share = max(LEAST_BYTES, max(c.total for c in candidates) // SHARES)
    mean = _mean([size for c in candidates for size in c.sizes if size])
    grown = max(share, min(mean, share * SHARES // LARGEST))
    return sorted(
        candidates,
        key=lambda c: (-(_left(c, grown) // share), c.rate // LEAST_BYTES, len(c.sizes)),
    )


def _left(candidate: Candidate, grown: int) -> int:
    """Usable bytes less what its young logs will take until they are as large as the others."""
    return candidate.usable - sum(max(0, grown - size) for size in candidate.sizes)


def _mean(sizes: Sequence[int]) -> int:
    return sum(sizes) // len(sizes) if sizes else 0
