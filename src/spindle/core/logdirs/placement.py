"""The directory of a new replica: by free bytes and load, not by counting (K113-27, B-07, B-24).

Pure. `DirectoryCapacities` are the figures of a broker's directories and rank them. A broker begins
a `Round` whenever logs are to be created, from what it sees of its disks, and asks first whether a
remembered directory or the metadata names one. It tells the figures to the controller, which then
chooses by them.

`RememberedDirectories` says where replicas that are not here yet are to be created (K113-10). An
entry is bound to the topic's id where that is known, expires, and gives way when its directory
cannot be used (B-09).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from spindle.model.ids import LogDir, TopicId, TopicPartition

LIFETIME_MS: Final = 24 * 3600 * 1000
ENTRIES_MAX: Final = 100_000


@dataclass(frozen=True, slots=True)
class RememberedDirectory:
    """A directory for one replica. `topic_id` is None while the topic is not known here."""

    directory: LogDir
    topic_id: TopicId | None
    until_ms: int


class RememberedDirectories:
    """All entries of a broker, by partition; the oldest goes when there are too many."""

    def __init__(self) -> None:
        self._remembered: dict[TopicPartition, RememberedDirectory] = {}

    def __len__(self) -> int:
        return len(self._remembered)

    def remember(
        self, name: TopicPartition, directory: LogDir, topic_id: TopicId | None, now_ms: int
    ) -> None:
        """The newest directory for a partition counts."""
        self._remembered.pop(name, None)
        if len(self._remembered) >= ENTRIES_MAX:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[name] = RememberedDirectory(directory, topic_id, now_ms + LIFETIME_MS)

    def of(self, name: TopicPartition, topic_id: TopicId, now_ms: int) -> LogDir | None:
        """The directory remembered for a replica of this very topic, or None."""
        remembered = self._remembered.get(name)
        if remembered is None:
            return None
        if remembered.until_ms <= now_ms or remembered.topic_id not in (None, topic_id):
            del self._remembered[name]
            return None
        return remembered.directory

    def forget(self, name: TopicPartition) -> LogDir | None:
        """The replica exists now; the directory that was remembered for it, if any."""
        remembered = self._remembered.pop(name, None)
        return remembered.directory if remembered is not None else None

    def in_directory(
        self, directory: LogDir, now_ms: int
    ) -> list[tuple[TopicPartition, RememberedDirectory]]:
        """The entries of a directory that have not expired, for its file."""
        return [
            (name, remembered)
            for name, remembered in self._remembered.items()
            if remembered.directory == directory and remembered.until_ms > now_ms
        ]

    def restore(self, name: TopicPartition, remembered: RememberedDirectory) -> None:
        """An entry from before a restart; a newer one for the same partition stands.

        A crash may have left an older one in the file of another directory.
        """
        known = self._remembered.get(name)
        if known is None and len(self._remembered) >= ENTRIES_MAX:
            return
        if known is None or known.until_ms < remembered.until_ms:
            self._remembered[name] = remembered


K = TypeVar("K", bound=Hashable)

SHARES: Final = 1024
"""A new log counts at least as this fraction of the largest disk, whatever its bytes are now."""
LARGEST: Final = 16
"""And no log is expected to grow beyond this part of the largest disk."""
LEAST_BYTES: Final = 1 << 20
OWN: Final = -1
"""As a device: one that no other directory lies on, as far as is known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A directory that could take a replica. `usable` and `total` in bytes, -1 where unknown.

    `device`: equal for directories on one file system, -1 where unknown.
    `sizes`: bytes of each log in it, those on their way here by a move with what they will have;
    `rate`: bytes written per second of late.
    """

    path: LogDir
    online: bool
    cordoned: bool
    total: int
    usable: int
    device: int
    rate: float
    sizes: Sequence[int]


class DirectoryCapacity(NamedTuple):
    """What a directory offers. Those on one device have its bytes together, and its load."""

    left: int
    """Bytes that its device will have left once its young logs are as large as the others."""
    rate: int
    """Bytes written per second to its device of late."""
    logs: int
    """How many logs it holds."""
    device: int = OWN
    """Which of its broker's devices it lies on, counted from 0."""


class DirectoryCapacities(Generic[K]):
    """The directories of one broker as figures; each replica placed counts for the next.

    `share`: bytes that make no difference; 0 where the free bytes are not known, so that only the
    number of logs counts. `grown`: bytes that a new log is expected to need.
    """

    __slots__ = ("_of", "grown", "share")

    def __init__(self, of: Mapping[K, DirectoryCapacity], share: int, grown: int) -> None:
        self._of = dict(of)
        self.share = share
        self.grown = grown

    @property
    def of(self) -> Mapping[K, DirectoryCapacity]:
        """The figures now."""
        return self._of

    def copy(self) -> DirectoryCapacities[K]:
        """The same, to be changed apart."""
        return DirectoryCapacities(self._of, self.share, self.grown)

    def order(self, among: Iterable[K]) -> list[K]:
        """Directories by room, then by load, then by logs; those without figures are left out."""
        return sorted((key for key in among if key in self._of), key=self._rank)

    def took(self, key: K) -> None:
        """A replica is being created there; no matter where there are no figures."""
        room = self._of.get(key)
        if room is None:
            return
        self._of[key] = room._replace(logs=room.logs + 1)
        for other, beside in list(self._of.items()):
            if other == key or beside.device == room.device != OWN:
                self._of[other] = beside._replace(left=beside.left - self.grown)

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
            c.path: DirectoryCapacity(left, rate, len(c.sizes), number)
            for number, device in enumerate(_devices(known))
            for left, rate in [_offer(device, grown)]
            for c in device
        }
        blind = any(c.usable < 0 or c.total <= 0 for c in known)
        self._rooms = DirectoryCapacities(of, 0 if blind else share, grown)

    @property
    def rooms(self) -> DirectoryCapacities[LogDir]:
        """The figures of all directories, for the controller: it knows which are cordoned."""
        return self._rooms.copy()

    def order(
        self, preferred: LogDir | None = None, assigned: LogDir | None = None
    ) -> list[LogDir]:
        """The online directories for a new replica, best first; empty where none is online.

        First the preferred one, then the one that the metadata names (both also where cordoned: an
        operator or the controller has decided), then those not cordoned by room; cordoned ones
        only where all are.
        Without figures from a file system: by the number of logs, as Apache Kafka does.
        """
        by_room = self._rooms.order(self._free or self._cordoned)
        named = [p for p in (preferred, assigned) if p is not None and p in self._rooms.of]
        return list(dict.fromkeys([*named, *by_room]))

    def took(self, path: LogDir) -> None:
        """A replica is being created there."""
        self._rooms.took(path)


def _devices(known: Sequence[Candidate]) -> list[list[Candidate]]:
    """The directories by device; one whose device is unknown stands alone."""
    found: dict[object, list[Candidate]] = {}
    for candidate in known:
        unknown = candidate.device < 0
        found.setdefault(candidate.path if unknown else candidate.device, []).append(candidate)
    return list(found.values())


def _offer(device: Sequence[Candidate], grown: int) -> tuple[int, int]:
    """Bytes that a device will have left once all of its logs have grown, and its load."""
    growth = sum(max(0, grown - size) for c in device for size in c.sizes)
    return min(c.usable for c in device) - growth, int(sum(c.rate for c in device))
