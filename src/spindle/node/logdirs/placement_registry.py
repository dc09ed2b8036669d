"""Which replica's log lives in which directory: found, created, served, lost, removed.

The parts above decide what should live where (`reconciler`, `moves`, `repairs`). Knows nothing of
the data in logs (`replicas`).

The broker remembers across a restart where to create replicas that are not here yet: each directory
has a small file of them (B-09). `RememberedDirectoryFiles` knows JSON and jobs;
`core.logdirs.placement` knows what an entry means. Apache Kafka leaves plain files there alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Final, TypedDict

from spindle.core.logdirs.events import (
    Post,
    ReplicaChanged,
    ReplicaRemoved,
    ReplicaServed,
    ReplicaUnserved,
)
from spindle.core.logdirs.move import LogDirMove
from spindle.core.logdirs.placement import (
    Candidate,
    DirectoryCapacities,
    RememberedDirectories,
    RememberedDirectory,
    Round,
)
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import (
    DirectoryId,
    LogDir,
    PartitionId,
    TopicPartition,
    id_from_text,
    id_to_text,
)
from spindle.model.image import TOPIC_RESOURCE, Delta
from spindle.model.jobs import (
    Configure,
    CreateLog,
    GetFile,
    LogSettings,
    MarkBad,
    Promote,
    PutFile,
    Reload,
    ReloadManner,
    RemoveFile,
)
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext, PerTopic
from spindle.node.log_settings import log_settings
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.purging import Purging
from spindle.node.replicas.replica_manager import ReplicaManager

REMEMBERED_FILE: Final = "spindle-wishes.json"
"""The name, and the key inside, are those of the first release that had such files."""
GATHER: Final = 0.05
"""Seconds in which changes are gathered for one write."""
PATIENCE: Final = 2.0
"""Seconds after which an order that waits for a write goes on without it: the disk may hang."""


class RememberedDirectoryFiles:
    """Reads the files once, writes them when entries change."""

    def __init__(
        self, out: Outbox, remembered: RememberedDirectories, directories: Directories
    ) -> None:
        self._out = out
        self.remembered = remembered
        self._directories = directories
        self._dirty: dict[LogDir, None] = {}
        self._reading = 0
        self._writing = 0
        self._waiting: list[Callable[[], None]] = []

    @property
    def is_read(self) -> bool:
        """Whether all that was asked for has been read."""
        return self._reading == 0

    def read(self, path: LogDir) -> None:
        """Take up the entries from before the restart."""
        self._reading += 1
        self._out.run(GetFile(path, REMEMBERED_FILE), partial(self._on_read, path))

    def _on_read(self, path: LogDir, result: bytes | Failure | None) -> None:
        self._reading -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        if not isinstance(result, bytes):
            return
        try:
            for name, entry in _decode(path, result):
                self.remembered.restore(name, entry)
        except (ValueError, KeyError, TypeError) as error:
            self._out.say(
                "warning",
                "remembered directories cannot be read",
                directory=path,
                reason=str(error),
            )

    def changed(self, path: LogDir) -> None:
        """The entries of a directory are others now: write them soon."""
        if not self._dirty:
            self._out.after(GATHER, self._write)
        self._dirty[path] = None

    def when_written(self, then: Callable[[], None]) -> None:
        """Run `then` once all changes are on disk: they outlive us from there on."""
        waits = [then]

        def once() -> None:
            if waits:
                waits.pop()()

        self._waiting.append(once)
        self._out.after(PATIENCE, once)
        self._look()

    def _look(self) -> None:
        if self._dirty or self._writing:
            return
        waiting, self._waiting = self._waiting, []
        for once in waiting:
            once()

    def _write(self) -> None:
        dirty, self._dirty = self._dirty, {}
        for path in dirty:
            remembered = self.remembered.in_directory(path, self._out.wall_ms)
            put = PutFile(path, REMEMBERED_FILE, _encode(remembered))
            job = put if remembered else RemoveFile(path, REMEMBERED_FILE)
            self._writing += 1
            self._out.run(job, self._on_written)

    def _on_written(self, result: Failure | None) -> None:
        self._writing -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        self._look()


def _encode(remembered: list[tuple[TopicPartition, RememberedDirectory]]) -> bytes:
    rows = [
        {
            "topic": name.topic,
            "partition": name.partition,
            "id": None if entry.topic_id is None else id_to_text(entry.topic_id),
            "until": entry.until_ms,
        }
        for name, entry in remembered
    ]
    return json.dumps({"version": 1, "wishes": rows}).encode()


class _RememberedRow(TypedDict):
    topic: str
    partition: int
    id: str | None
    until: int


class _RememberedFile(TypedDict):
    wishes: list[_RememberedRow]


def _decode(path: LogDir, data: bytes) -> list[tuple[TopicPartition, RememberedDirectory]]:
    document: _RememberedFile = json.loads(data)
    return [
        (
            TopicPartition(str(row["topic"]), int(row["partition"])),
            RememberedDirectory(
                path, None if row["id"] is None else id_from_text(row["id"]), int(row["until"])
            ),
        )
        for row in document["wishes"]
    ]


class Stage(Enum):
    """How far a replica's log is."""

    CREATING = "being made"
    READY = "serves"
    OFFLINE = "cannot be used"


@dataclass(slots=True)
class HealingHistory:
    """How often a damaged replica was fetched again, and (`retries`) loaded again as it was."""

    heals: int = 0
    retries: int = 0
    hurt_at: float = float("-inf")
    """When it was last fetched again."""


@dataclass(slots=True, eq=False)
class LocalReplica:
    """A replica of this broker, and where its current log is. `directory` None: not known."""

    id: PartitionId
    name: TopicPartition
    stage: Stage
    directory: LogDir | None
    why: str = ""
    ranked: list[LogDir] = field(default_factory=list)
    """While it is being made: the directory where, and others that could take it, best first."""
    crowded: LogDir | None = None
    """The full directory in which it cannot grow: there it counts as offline (B-12)."""
    damaged: bool = False
    """Its directory is well, but this log is not (KIP-589)."""
    healing: HealingHistory = field(default_factory=HealingHistory)
    unmade: bool = False
    """Its log could not be made where it should be: something else is there by that name."""
    doubtful: tuple[tuple[int, int], ...] = ()
    """Gaps that compaction or a power cut had left when its log was loaded (`LoadedLog.doubtful`).
    Retention and cuts take some of them later: ask `doubtful_in`."""

    @property
    def is_crowded(self) -> bool:
        """Whether the cluster has to go on without it for want of room."""
        return self.crowded is not None and self.crowded == self.directory

    @property
    def key(self) -> LogKey:
        """The current log's."""
        return LogKey(self.name.topic, self.name.partition)


Loaded = Callable[[LoadedLog | Failure], None]
"""Receives a log that was loaded, or why it was not."""


def _note_made(found: LocalReplica, result: LoadedLog | Failure) -> None:
    """Remember whether a log could be made by its name."""
    found.unmade = isinstance(result, LogFailed) and result.taken


def _nothing(_: LoadedLog | Failure) -> None:
    """No caller waits for the result."""


class ReplicaPlacementRegistry:
    """All replicas of this broker."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        remembered_files: RememberedDirectoryFiles,
        replicas: ReplicaManager,
        post: Post,
    ) -> None:
        self._context = context
        self._directories = directories
        self.purging = purging
        self.remembered_files = remembered_files
        self._replicas = replicas
        self._post = post
        self._out = context.out
        self.all: dict[PartitionId, LocalReplica] = {}
        self.arriving: dict[PartitionId, LogDirMove] = {}
        """The moves under way: what they copy counts where it will be."""
        self.remembered = remembered_files.remembered
        self._round: Round | None = None
        self._settings = PerTopic(context, partial(log_settings, context))

    # --- asking -----------------------------------------------------------------------------

    def current(self, path: LogDir) -> Iterator[PartitionId]:
        """The replicas that serve from a directory."""
        return (
            id
            for id, found in self.all.items()
            if found.directory == path and found.stage is Stage.READY
        )

    def bytes_in(self, path: LogDir) -> int:
        """Bytes of the logs that serve from a directory."""
        found = (self._replicas.partitions.find(id) for id in self.current(path))
        return sum(hosted.size for hosted in found if hosted is not None)

    def doubtful_in(self, path: LogDir) -> Iterator[tuple[TopicPartition, tuple[int, int]]]:
        """The gaps in logs that serve from a directory which may be losses, and are there yet."""
        for id in self.current(path):
            found, hosted = self.all[id], self._replicas.partitions.find(id)
            for gap in found.doubtful:
                log = None if hosted is None else hosted.partition.log
                if log is None or log.start < gap[1] <= log.end:
                    yield found.name, gap

    # --- creating ---------------------------------------------------------------------------

    def choose(self, found: LocalReplica, assigned: LogDir | None = None) -> list[LogDir]:
        """The directories for a new replica, best first."""
        remembered = self.remembered.of(found.name, found.id.topic_id, self._out.wall_ms)
        if self._round is None:
            self._round = Round(self._candidates())
        ranked = self._round.order(remembered, assigned)
        if ranked:
            self._round.took(ranked[0])
        return ranked

    def rooms(self) -> DirectoryCapacities[DirectoryId]:
        """What the directories that take new replicas have to offer, for the controller (B-24)."""
        rooms = Round(self._candidates()).rooms
        of = {self._directories.id_of(path): room for path, room in rooms.of.items()}
        return DirectoryCapacities(of, rooms.share, rooms.grown)

    def forget_figures(self) -> None:
        """Directories are not what they were: place the next replica by new figures."""
        self._round = None

    def _candidates(self) -> list[Candidate]:
        sizes: dict[LogDir, list[int]] = {p: [] for p in self._directories.all}
        for found in self.all.values():
            if found.directory is not None and found.stage is not Stage.OFFLINE:
                hosted = self._replicas.partitions.find(found.id)
                sizes[found.directory].append(0 if hosted is None else hosted.size)
        for move in self.arriving.values():
            hosted = self._replicas.partitions.find(move.id)
            sizes[move.target].append(max(move.size, 0 if hosted is None else hosted.size))
        return [
            Candidate(
                d.path,
                d.health.online,
                self._directories.is_cordoned(d.path),
                d.usage.total,
                d.usage.usable,
                d.usage.device,
                d.rate,
                sizes[d.path],
            )
            for d in self._directories.all.values()
        ]

    def create(self, found: LocalReplica, ranked: list[LogDir]) -> None:
        """Make a replica's log in the first of these directories that can hold it."""
        if not ranked:
            self.fail(found, "no log directory can take it")
            return
        path = ranked[0]
        found.stage, found.directory, found.ranked = Stage.CREATING, path, ranked
        settings = self.settings_of(found.name.topic)
        job = CreateLog(path, found.key, found.id.topic_id, settings)
        self._out.run(job, partial(self._on_created, found, ranked, partial(_note_made, found)))

    def _on_created(
        self, found: LocalReplica, ranked: list[LogDir], then: Loaded, result: LoadedLog | Failure
    ) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        then(result)
        if self.all.get(found.id) is not found or found.stage is not Stage.CREATING:
            return
        if found.ranked is not ranked:
            return  # Too late: it was given up, and is being made elsewhere.
        if isinstance(result, DiskFailed) or (isinstance(result, LogFailed) and ranked[1:]):
            self._out.say("warning", "log cannot be created here", reason=str(result))
            self._create_elsewhere(found)
        elif isinstance(result, LogFailed):
            self._post(ReplicaUnserved(found.id, result))
        else:
            assert isinstance(result, LoadedLog)
            for warning in result.warnings:
                self._out.say(
                    "warning", "log opened with a warning", directory=ranked[0], reason=warning
                )
            self.serve(found, ranked[0], result)

    def _create_elsewhere(self, found: LocalReplica) -> None:
        rest = [p for p in found.ranked[1:] if self._directories.is_online(p)]
        self.create(found, rest)

    def reload(
        self,
        found: LocalReplica,
        manner: ReloadManner = ReloadManner.AGAIN,
        then: Loaded = _nothing,
    ) -> None:
        """Load a log again after a failed call took it out of use. `then` receives the result."""
        path = found.directory
        assert path is not None, "its log is somewhere"
        found.stage, found.ranked = Stage.CREATING, [path]
        job = Reload(path, found.key, manner)
        self._out.run(job, partial(self._on_created, found, found.ranked, then))

    def promote(self, found: LocalReplica, path: LogDir) -> None:
        """The future log becomes the current one: there is no other (K113-16), or no better."""
        found.stage, found.directory, found.ranked = Stage.CREATING, path, [path]
        job = Promote(path, found.key._replace(future=True))
        self._out.run(job, partial(self._on_created, found, found.ranked, _nothing))

    def serve(self, found: LocalReplica, path: LogDir, log: LoadedLog) -> None:
        """A replica's log is there and may be used."""
        found.stage, found.directory, found.why, found.damaged = Stage.READY, path, "", False
        found.doubtful = log.doubtful
        remembered = self.remembered.forget(found.name)
        if remembered is not None:
            self.remembered_files.changed(remembered)
        settings = self.settings_of(found.name.topic)
        self._out.run(Configure(path, found.key, settings), partial(self._on_done, path))
        self._replicas.on_log_ready(found.id, found.name, path, log)
        self._post(ReplicaServed(found.id))

    # --- losing -----------------------------------------------------------------------------

    def fail(
        self, found: LocalReplica, why: str, *, damaged: bool = False, reached: int = 0
    ) -> None:
        """A replica cannot be used; the controller learns of it if it might think otherwise.

        `why` names neither the replica nor its directory: every report shows them beside it.
        `reached`: where its log had ended at least, of a damaged one.
        """
        found.stage, found.why, found.damaged = Stage.OFFLINE, why, damaged
        where = found.directory or "none"
        self._out.say(
            "error", "replica is offline", partition=str(found.name), directory=where, reason=why
        )
        self._replicas.on_replica_failed(found.id, Error.KAFKA_STORAGE_ERROR)
        if damaged and found.directory is not None:
            job = MarkBad(found.directory, found.key, why, self._out.wall_ms, reached)
            self._out.run(job, partial(self._on_done, found.directory))
        self._post(ReplicaChanged(found.id))

    def on_directory_failed(self, path: LogDir) -> None:
        """Replicas whose current log was there are offline."""
        for found in list(self.all.values()):
            if found.crowded == path:
                found.crowded = None  # When it is back, an append finds out whether it is full.
            if found.directory == path and found.stage is not Stage.CREATING:
                found.stage, found.why = Stage.OFFLINE, f"{path} is offline"
                found.damaged = False  # When it is back, it tells.
            elif found.directory == path and found.stage is Stage.CREATING:
                self._create_elsewhere(found)

    def revive(self, path: LogDir) -> None:
        """A full directory has room again: load what could not be written to (B-12)."""
        for found in list(self.all.values()):
            if found.crowded == path:
                found.crowded = None  # Also of one that was moved away: it may come back.
            if found.directory == path and found.stage is Stage.OFFLINE and not found.damaged:
                self.create(found, [path])

    def remove(self, found: LocalReplica) -> None:
        """The topic is deleted, or the replica belongs to another broker now."""
        del self.all[found.id]
        self._post(ReplicaRemoved(found.id))
        self._replicas.on_log_gone(found.id)
        path = found.directory
        if path is not None and self._directories.is_online(path):
            self.purging.discard(path, found.key)

    # --- settings ---------------------------------------------------------------------------

    def settings_of(self, topic: str) -> LogSettings:
        """What a topic's logs obey."""
        return self._settings.of(topic)

    def configure(self, delta: Delta) -> None:
        """Settings have changed: logs obey them from now on."""
        names = {name for kind, name in delta.configs if kind == TOPIC_RESOURCE}
        everyone = any(kind != TOPIC_RESOURCE for kind, _ in delta.configs)
        for found in self.all.values():
            if (everyone or found.name.topic in names) and found.stage is Stage.READY:
                assert found.directory is not None
                job = Configure(found.directory, found.key, self.settings_of(found.name.topic))
                self._out.run(job, partial(self._on_done, found.directory))

    def _on_done(self, path: LogDir, result: object) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
