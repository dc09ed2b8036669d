"""The directory of a new replica: by free bytes and load, not by counting (K113-27, B-07, B-24).

Pure. `Rooms` are the figures of a broker's directories and rank them. A broker begins a `Round`
whenever logs are to be created, from what it sees of its disks, and asks first whether a wish or
the metadata names a directory. It tells its rooms to the controller, which then chooses by them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from spindle.model.ids import LogDir

K = TypeVar("K", bound=Hashable)

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


class Room(NamedTuple):
    """What a directory offers."""

    left: int
    """Bytes that it will have left once its young logs are as large as the others."""
    rate: int
    """Bytes written per second of late."""
    logs: int
    """How many logs it holds."""


class Rooms(Generic[K]):
    """The directories of one broker as figures; each replica placed counts for the next.

    `share`: bytes that make no difference; 0 where the free bytes are not known, so that only the
    number of logs counts. `grown`: bytes that a new log is expected to need.
    """

    __slots__ = ("_of", "grown", "share")

    def __init__(self, of: Mapping[K, Room], share: int, grown: int) -> None:
        self._of = dict(of)
        self.share = share
        self.grown = grown

    @property
    def of(self) -> Mapping[K, Room]:
        """The figures now."""
        return self._of

    def copy(self) -> Rooms[K]:
        """The same, to be changed apart."""
        return Rooms(self._of, self.share, self.grown)

    def order(self, among: Iterable[K]) -> list[K]:
        """Directories by room, then by load, then by logs; those without figures are left out."""
        return sorted((key for key in among if key in self._of), key=self._rank)

    def took(self, key: K) -> None:
        """A replica is being created there; no matter where there are no figures."""
        room = self._of.get(key)
        if room is not None:
            self._of[key] = room._replace(left=room.left - self.grown, logs=room.logs + 1)

    def _rank(self, key: K) -> tuple[int, int, int]:
        room = self._of[key]
        if self.share <= 0:
            return (0, 0, room.logs)
        return (-(room.left // self.share), room.rate // LEAST_BYTES, room.logs)


class Round:
    """Placement of several replicas by the same figures."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        known = [c for c in candidates if c.online]
        self._free = [c.path for c in known if not c.cordoned]
        self._cordoned = [c.path for c in known if c.cordoned]
        share = max([LEAST_BYTES, *(c.total // SHARES for c in known)])
        sizes = [size for c in known for size in c.sizes if size]
        mean = sum(sizes) // len(sizes) if sizes else 0
        grown = max(share, min(mean, share * SHARES // LARGEST))
        of = {
            c.path: Room(
                left=c.usable - sum(max(0, grown - size) for size in c.sizes),
                rate=int(c.rate),
                logs=len(c.sizes),
            )
            for c in known
        }
        blind = any(c.usable < 0 or c.total <= 0 for c in known)
        self._rooms = Rooms(of, 0 if blind else share, grown)

    @property
    def rooms(self) -> Rooms[LogDir]:
        """The figures of all directories, for the controller: it knows which are cordoned."""
        return self._rooms.copy()

    def order(self, wish: LogDir | None = None, assigned: LogDir | None = None) -> list[LogDir]:
        """The online directories for a new replica, best first; empty where none is online.

        First the one wished for, then the one that the metadata names (both also where cordoned:
        somebody has decided), then those not cordoned by room; cordoned ones only where all are.
        Without figures from a file system: by the number of logs, as Apache Kafka does.
        """
        by_room = self._rooms.order(self._free or self._cordoned)
        named = [p for p in (wish, assigned) if p is not None and p in self._rooms.of]
        return list(dict.fromkeys([*named, *by_room]))

    def took(self, path: LogDir) -> None:
        """A replica is being created there."""
        self._rooms.took(path)
