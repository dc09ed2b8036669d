"""Which replica's log lives in which directory: compared with the metadata, created, discarded.

Acts on `core.logdirs.catchup`'s table at start and whenever the metadata changes. Knows nothing of
the data in logs (`replicas`) and of moves (`moves`). Belongs to `logdirs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.logdirs.catchup import Action, Situation, decide, is_better
from spindle.core.logdirs.placement import Candidate, Rooms, Round
from spindle.core.logdirs.wishes import Wishes
from spindle.model import records as r
from spindle.model.config import topic_setting
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import DirectoryId, LogDir, PartitionId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE, Delta
from spindle.model.jobs import (
    Configure,
    CreateLog,
    Discard,
    LogSettings,
    MarkBad,
    Promote,
    Reload,
)
from spindle.model.logs import LoadedLog, LogKey, OpenedDirectory
from spindle.node.logdirs.findings import Findings

if TYPE_CHECKING:
    from spindle.node.logdirs.logdirs import LogDirs


class Stage(Enum):
    """How far a replica's log is."""

    CREATING = "being made"
    READY = "serves"
    OFFLINE = "cannot be used"


@dataclass(slots=True, eq=False)
class Place:
    """A replica of ours, and where its current log is. `directory` None: not known."""

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
    heals: int = 0
    """How often it was fetched anew for that, and (`retries`) taken up again as it was."""
    retries: int = 0
    hurt_at: float = float("-inf")
    """When it was last fetched anew."""

    @property
    def is_crowded(self) -> bool:
        """Whether the cluster has to go on without it for want of room."""
        return self.crowded is not None and self.crowded == self.directory

    @property
    def key(self) -> LogKey:
        """The current log's."""
        return LogKey(self.name.topic, self.name.partition)


class Places:
    """All replicas of this broker."""

    def __init__(self, logs: LogDirs) -> None:
        self._logs = logs
        self._broker = logs.broker
        self._out = logs.broker.out
        self.all: dict[PartitionId, Place] = {}
        self.wishes = Wishes()
        self._round: Round | None = None

    # --- comparing disks and metadata -------------------------------------------------------

    def settle(self, opened: Mapping[LogDir, OpenedDirectory]) -> None:
        """The metadata is known and the directories are open: bring both together."""
        found = Findings(self._logs, opened)
        self._round = None
        for topic, state in self._broker.image.partitions():
            if self._broker.node_id in state.replicas:
                id = PartitionId(topic.topic_id, state.partition_id)
                name = TopicPartition(topic.name, state.partition_id)
                place = self.all[id] = Place(id, name, Stage.OFFLINE, None)
                self._take_up(place, state, found)

    def on_returned(self, opened: OpenedDirectory) -> None:
        """A directory is back (B-13): take up what is still missing, set aside what is not."""
        found = Findings(self._logs, {opened.path: opened})
        self._round = None
        for place in list(self.all.values()):
            state = self._broker.image.partition(place.id)
            assert state is not None
            if place.stage is Stage.OFFLINE:
                self._take_up(place, state, found)
                continue
            current, future = found.current(place.id), found.future(place.id)
            if current is not None:
                found.set_aside(current, None)
            if future is not None and not self._logs.moves.may_resume(place, future.path):
                found.set_aside(future, None)
            elif future is not None:
                self._logs.moves.resume(place, future.path, future.log)

    def _take_up(self, place: Place, state: r.Partition, found: Findings) -> None:
        """Do what the catch-up table says of a replica that is not served yet."""
        current, future = found.current(place.id), found.future(place.id)
        if current is None and str(place.name) in found.damaged:
            place.directory, bad = found.damaged[str(place.name)]
            failure = LogFailed(place.directory, bad.name, bad.why, suspect=bad.suspect)
            self._logs.repairs.on_failed(place, failure)
            return
        if current is None and future is None and place.damaged:
            return
        if current is not None and future is not None and current.path == future.path:
            self.discard(future.path, future.log.key)
            future = None
        situation = self._situation(state, is_new=False)
        ids = self._logs.directories
        situation.current = ids.id_of(current.path) if current else None
        situation.future = ids.id_of(future.path) if future else None
        action = decide(situation).action
        if current is None:
            if action is Action.PROMOTE:
                assert future is not None
                self._promote(place, future.path)
                return
            if future is not None:
                self._logs.moves.leave(place, future.path, future.log)
            self._act(place, action, state)
        elif future is not None and is_better(future.log, current.log):
            # The disk lost what was appended last, the copy has it (B-02).
            self.discard(current.path, current.log.key)
            self._promote(place, future.path)
        else:
            self._serve(place, current.path, current.log)
            if future is not None:
                self._logs.moves.resume(place, future.path, future.log)

    # --- the metadata changes ---------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Topics came or went, replicas were given to us or taken away."""
        self._round = None
        for topic_id, topic in delta.removed.items():
            for index in topic.partitions:
                known = self.all.get(PartitionId(topic_id, index))
                if known is not None:
                    self.remove(known)
        for id in delta.partitions:
            state = self._broker.image.partition(id)
            known = self.all.get(id)
            ours = state is not None and self._broker.node_id in state.replicas
            if known is not None and not ours:
                self.remove(known)
            elif known is not None:
                self._logs.on_assignment(id)
            elif state is not None and ours:
                name = self._broker.image.name_of(id)
                assert name is not None
                self.all[id] = found = Place(id, name, Stage.OFFLINE, None)
                self._logs.on_new(id)
                action = decide(self._situation(state, is_new=True)).action
                self._act(found, action, state)
        if delta.configs:
            self._configure(delta)

    def _situation(self, state: r.Partition, *, is_new: bool) -> Situation:
        directories = self._logs.directories
        return Situation(
            current=None,
            future=None,
            assigned=self._broker.image.directory_of(state, self._broker.node_id),
            online=tuple(d.id for d in directories.online if d.id is not None),
            any_offline=bool(directories.offline),
            is_new=is_new,
        )

    def _act(self, found: Place, action: Action, state: r.Partition) -> None:
        if action is Action.OFFLINE:
            self.fail(found, "its log may be in an offline directory")
            return
        assigned = None
        if action is Action.CREATE:
            id = self._broker.image.directory_of(state, self._broker.node_id)
            assigned = self._logs.directories.path_of(id)
        self.create(found, self.choose(found, assigned))

    # --- creating ---------------------------------------------------------------------------

    def choose(self, found: Place, assigned: LogDir | None = None) -> list[LogDir]:
        """The directories for a new replica, best first."""
        wish = self.wishes.of(found.name, found.id.topic_id, self._out.wall_ms)
        if self._round is None:
            self._round = Round(self._candidates())
        ranked = self._round.order(wish, assigned)
        if ranked:
            self._round.took(ranked[0])
        return ranked

    def rooms(self) -> Rooms[DirectoryId]:
        """What the directories that take new replicas have to offer, for the controller (B-24)."""
        rooms = Round(self._candidates()).rooms
        of = {self._logs.directories.id_of(path): room for path, room in rooms.of.items()}
        return Rooms(of, rooms.share, rooms.grown)

    def forget_figures(self) -> None:
        """Directories are not what they were: place the next replica by new figures."""
        self._round = None

    def _candidates(self) -> list[Candidate]:
        sizes: dict[LogDir, list[int]] = {p: [] for p in self._logs.directories.all}
        for found in self.all.values():
            if found.directory is not None and found.stage is not Stage.OFFLINE:
                hosted = self._broker.replicas.find(found.id)
                sizes[found.directory].append(0 if hosted is None else hosted.size)
        for path, size in self._logs.moves.expected():
            sizes[path].append(size)
        return [
            Candidate(
                d.path,
                d.health.online,
                self._logs.directories.is_cordoned(d.path),
                d.usage.total,
                d.usage.usable,
                d.rate,
                sizes[d.path],
            )
            for d in self._logs.directories.all.values()
        ]

    def create(self, found: Place, ranked: list[LogDir]) -> None:
        """Make a replica's log in the first of these directories that can hold it."""
        if not ranked:
            self.fail(found, "no log directory can take it")
            return
        path = ranked[0]
        found.stage, found.directory, found.ranked = Stage.CREATING, path, ranked
        settings = self.settings_of(found.name.topic)
        job = CreateLog(path, found.key, found.id.topic_id, settings)
        self._out.run(job, partial(self._on_created, found, ranked))

    def _on_created(self, found: Place, ranked: list[LogDir], result: LoadedLog | Failure) -> None:
        if isinstance(result, DiskFailed):
            self._logs.on_disk_failed(result)
        if self.all.get(found.id) is not found or found.stage is not Stage.CREATING:
            return
        if found.ranked is not ranked:
            return  # Too late: it was given up, and is being made elsewhere.
        if isinstance(result, DiskFailed):
            self._create_elsewhere(found)
        elif isinstance(result, LogFailed):
            self._logs.repairs.on_failed(found, result)
        else:
            assert isinstance(result, LoadedLog)
            self._serve(found, ranked[0], result)

    def _create_elsewhere(self, found: Place) -> None:
        rest = [p for p in found.ranked[1:] if self._logs.directories.is_online(p)]
        self.create(found, rest)

    def reload(self, found: Place, *, forgive: bool = False) -> None:
        """Take up a log again that a failed call has taken from us."""
        path = found.directory
        assert path is not None, "its log is somewhere"
        found.stage, found.ranked = Stage.CREATING, [path]
        job = Reload(path, found.key, forgive)
        self._out.run(job, partial(self._on_created, found, found.ranked))

    def _promote(self, found: Place, path: LogDir) -> None:
        """The future log becomes the current one: there is no other (K113-16), or no better."""
        found.stage, found.directory, found.ranked = Stage.CREATING, path, [path]
        job = Promote(path, found.key._replace(future=True))
        self._out.run(job, partial(self._on_created, found, found.ranked))

    def _serve(self, found: Place, path: LogDir, log: LoadedLog) -> None:
        found.stage, found.directory, found.why, found.damaged = Stage.READY, path, "", False
        wished = self.wishes.forget(found.name)
        if wished is not None:
            self._logs.wish_files.changed(wished)
        settings = self.settings_of(found.name.topic)
        self._out.run(Configure(path, found.key, settings), partial(self._on_done, path))
        self._broker.replicas.on_log_ready(found.id, found.name, path, log)
        self._logs.moves.on_served(found)
        self._logs.on_placed(found.id)

    # --- losing -----------------------------------------------------------------------------

    def fail(self, found: Place, why: str, *, damaged: bool = False) -> None:
        """A replica cannot be used; the controller learns of it if it might think otherwise."""
        found.stage, found.why, found.damaged = Stage.OFFLINE, why, damaged
        self._out.say("error", "replica is offline", partition=str(found.name), why=why)
        self._broker.replicas.on_replica_failed(found.id, Error.KAFKA_STORAGE_ERROR)
        if damaged and found.directory is not None:
            job = MarkBad(found.directory, found.key, why, self._out.wall_ms)
            self._out.run(job, partial(self._on_done, found.directory))
        self._logs.on_placed(found.id)

    def on_directory_failed(self, path: LogDir) -> None:
        """Replicas whose current log was there are offline."""
        for found in list(self.all.values()):
            if found.directory == path and found.stage is not Stage.CREATING:
                found.stage, found.why = Stage.OFFLINE, f"{path} is offline"
                found.damaged = False  # When it is back, it tells.
            elif found.directory == path and found.stage is Stage.CREATING:
                self._create_elsewhere(found)

    def revive(self, path: LogDir) -> None:
        """A full directory has room again: load what could not be written to (B-12)."""
        for found in list(self.all.values()):
            if found.directory == path:
                found.crowded = None
                if found.stage is Stage.OFFLINE and not found.damaged:
                    self.create(found, [path])

    # --- discarding -------------------------------------------------------------------------

    def remove(self, found: Place) -> None:
        """The topic is deleted, or the replica belongs to another broker now."""
        del self.all[found.id]
        self._logs.on_removed(found.id)
        self._broker.replicas.on_log_gone(found.id)
        path = found.directory
        if path is not None and self._logs.directories.is_online(path):
            self.discard(path, found.key)

    def discard(self, path: LogDir, key: LogKey, suffix: str = "delete") -> None:
        """Rename a log away; `-delete` goes after a while, `-stray` stays for a person to see."""
        job = Discard(path, key, suffix, self._out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._logs.on_disk_failed(result)
            elif isinstance(result, LogFailed):
                self._out.say("debug", "nothing to discard", why=str(result))
            elif isinstance(result, str) and suffix == "delete":
                self._logs.purging.later(path, result)
            elif isinstance(result, str):
                self._logs.purging.stray(path, result)

        self._out.run(job, discarded)

    # --- settings ---------------------------------------------------------------------------

    def settings_of(self, topic: str) -> LogSettings:
        """What a topic's logs obey."""
        overrides = self._broker.image.config(TOPIC_RESOURCE, topic)
        node = self._broker.settings
        segment_ms = topic_setting(overrides, node, "segment.ms")
        if "compact" in topic_setting(overrides, node, "cleanup.policy"):
            # The active segment is never compacted: it must not stay that for longer (KIP-354).
            segment_ms = min(segment_ms, topic_setting(overrides, node, "max.compaction.lag.ms"))
        return LogSettings(
            segment_bytes=topic_setting(overrides, node, "segment.bytes"),
            segment_ms=segment_ms,
            index_interval_bytes=topic_setting(overrides, node, "index.interval.bytes"),
            index_max_bytes=topic_setting(overrides, node, "segment.index.bytes"),
            flush_messages=topic_setting(overrides, node, "flush.messages"),
        )

    def _configure(self, delta: Delta) -> None:
        names = {name for kind, name in delta.configs if kind == TOPIC_RESOURCE}
        everyone = any(kind != TOPIC_RESOURCE for kind, _ in delta.configs)
        for found in self.all.values():
            if (everyone or found.name.topic in names) and found.stage is Stage.READY:
                assert found.directory is not None
                job = Configure(found.directory, found.key, self.settings_of(found.name.topic))
                self._out.run(job, partial(self._on_done, found.directory))

    def _on_done(self, path: LogDir, result: object) -> None:
        if isinstance(result, DiskFailed):
            self._logs.on_disk_failed(result)
