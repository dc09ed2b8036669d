"""Which replica's log lives in which directory: compared with the metadata, created, discarded.

Acts on `core.logdirs.catchup`'s table at start and whenever the metadata changes. Knows nothing of
the data in logs (`replicas`) and of moves (`moves`). Belongs to `logdirs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.logdirs.catchup import (
    Action,
    Situation,
    decide,
    is_better,
    rank_copy,
)
from spindle.core.logdirs.placement import Candidate, place
from spindle.core.logdirs.wishes import Wishes
from spindle.model import records as r
from spindle.model.config import topic_setting
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import METADATA_TOPIC, LogDir, PartitionId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE, Delta
from spindle.model.jobs import Configure, CreateLog, Discard, LogSettings, Promote
from spindle.model.logs import LoadedLog, LogKey, OpenedDirectory

if TYPE_CHECKING:
    from spindle.node.logdirs import LogDirs

HEALS_MAX: Final = 3
"""How often a damaged replica is fetched anew before it is left for a person to look at."""
HEAL_DELAY: Final = 1.0


class Stage(Enum):
    """How far a replica's log is."""

    CREATING = "being made"
    READY = "serves"
    OFFLINE = "cannot be used"


@dataclass(slots=True)
class Place:
    """A replica of ours, and where its current log is. `directory` None: not known."""

    id: PartitionId
    name: TopicPartition
    stage: Stage
    directory: LogDir | None
    why: str = ""
    damaged: bool = False
    """Its directory is well, but this log is not (KIP-589)."""
    heals: int = 0
    healing: bool = False

    @property
    def key(self) -> LogKey:
        """The current log's."""
        return LogKey(self.name.topic, self.name.partition)


Found = dict[PartitionId, list[tuple[LogDir, LoadedLog]]]


class Places:
    """All replicas of this broker."""

    def __init__(self, logs: LogDirs) -> None:
        self._logs = logs
        self._broker = logs.broker
        self._out = logs.broker.out
        self.all: dict[PartitionId, Place] = {}
        self.wishes = Wishes()

    # --- the first comparison ---------------------------------------------------------------

    def settle(self, opened: Mapping[LogDir, OpenedDirectory]) -> None:
        """The metadata is known and the directories are open: bring both together."""
        currents, futures = self._sort(opened)
        damaged = self._damaged(opened)
        for topic, state in self._broker.image.partitions():
            if self._broker.node_id in state.replicas:
                id = PartitionId(topic.topic_id, state.partition_id)
                name = TopicPartition(topic.name, state.partition_id)
                current = self._choose(id, currents.pop(id, []))
                future = self._choose(id, futures.pop(id, []))
                found = self.all[id] = Place(id, name, Stage.OFFLINE, None)
                if current is None and str(name) in damaged:
                    found.directory, why = damaged[str(name)]
                    self.fail(found, why, damaged=True)
                else:
                    self._begin(found, state, current, future)

    def _sort(self, opened: Mapping[LogDir, OpenedDirectory]) -> tuple[Found, Found]:
        currents: Found = {}
        futures: Found = {}
        for path, directory in opened.items():
            for log in directory.logs:
                if log.key.topic == METADATA_TOPIC:
                    continue
                id = self._id_of(log)
                if id is None:
                    self._stray(path, log)
                else:
                    (futures if log.key.future else currents).setdefault(id, []).append((path, log))
        return currents, futures

    def _damaged(self, opened: Mapping[LogDir, OpenedDirectory]) -> dict[str, tuple[LogDir, str]]:
        """Logs that could not be loaded, by name: each costs one replica (B-15, B-28)."""
        found = {}
        for path, directory in opened.items():
            for bad in directory.quarantined:
                self._out.say(
                    "error", "log cannot be loaded", directory=path, log=bad.name, why=bad.why
                )
                found[bad.name] = (path, bad.why)
        return found

    def _id_of(self, log: LoadedLog) -> PartitionId | None:
        """Which replica of ours a log is of; None where it is of none."""
        if log.topic_id is None:
            return None
        id = PartitionId(log.topic_id, log.key.partition)
        state = self._broker.image.partition(id)
        if state is None or self._broker.node_id not in state.replicas:
            return None
        return id if self._broker.image.name_of(id) == log.key.topic_partition else None

    def _stray(self, path: LogDir, log: LoadedLog) -> None:
        """The metadata gives this broker no such replica: set it aside, and say so (B-17)."""
        empty = log.end == log.start
        self._out.say(
            "warning", "stray log set aside", directory=path, log=str(log.key), bytes=log.size
        )
        self.discard(path, log.key, "delete" if empty else "stray")

    def _choose(
        self, id: PartitionId, found: list[tuple[LogDir, LoadedLog]]
    ) -> tuple[LogDir, LoadedLog] | None:
        """The best of several copies (B-04); the others are discarded if they hold nothing more."""
        if not found:
            return None
        state = self._broker.image.partition(id)
        assert state is not None
        assigned = self._broker.image.directory_of(state, self._broker.node_id)
        best = max(
            found,
            key=lambda f: (*rank_copy(f[1]), self._logs.directories.id_of(f[0]) == assigned),
        )
        for path, log in found:
            if (path, log) != best:
                contained = log.end == best[1].end or is_better(best[1], log)
                self._out.say(
                    "warning",
                    "a second copy of a replica is set aside",
                    directory=path,
                    log=str(log.key),
                    end=log.end,
                    kept=best[0],
                    kept_end=best[1].end,
                )
                self.discard(path, log.key, "delete" if contained else "stray")
        return best

    def _begin(
        self,
        found: Place,
        state: r.Partition,
        current: tuple[LogDir, LoadedLog] | None,
        future: tuple[LogDir, LoadedLog] | None,
    ) -> None:
        """Do what the catch-up table says of a replica at start."""
        directories = self._logs.directories
        situation = self._situation(found, state, is_new=False)
        situation.current = directories.id_of(current[0]) if current else None
        situation.future = directories.id_of(future[0]) if future else None
        decision = decide(situation)
        if decision.action is Action.PROMOTE:
            assert future is not None
            self._promote(found, future[0])
        elif current is not None:
            if future is not None and is_better(future[1], current[1]):
                # The disk lost what was appended last, the copy has it (B-02).
                self.discard(current[0], current[1].key)
                self._promote(found, future[0])
                return
            self._serve(found, *current)
            if future is not None:
                self._logs.moves.resume(found, *future)
        else:
            self._act(found, decision.action, state)

    # --- the metadata changes ---------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Topics came or went, replicas were given to us or taken away."""
        for topic_id in delta.removed:
            for id in [id for id in self.all if id.topic_id == topic_id]:
                self.remove(self.all[id])
        for id in delta.partitions:
            state = self._broker.image.partition(id)
            known = self.all.get(id)
            ours = state is not None and self._broker.node_id in state.replicas
            if known is not None and not ours:
                self.remove(known)
            elif known is not None:
                self._logs.on_assignment(id)
                self._maybe_heal(known)
            elif state is not None and ours:
                name = self._broker.image.name_of(id)
                assert name is not None
                self.all[id] = found = Place(id, name, Stage.OFFLINE, None)
                action = decide(self._situation(found, state, is_new=True)).action
                self._act(found, action, state)
        if delta.configs:
            self._configure(delta)

    def _situation(self, found: Place, state: r.Partition, *, is_new: bool) -> Situation:
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
        self._create(found, self.choose(found, assigned))

    # --- creating ---------------------------------------------------------------------------

    def choose(self, found: Place, assigned: LogDir | None = None) -> list[LogDir]:
        """The directories for a new replica, best first."""
        wish = self.wishes.of(found.name, found.id.topic_id, self._out.wall_ms)
        return place(self._candidates(), wish, assigned)

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

    def _create(self, found: Place, ranked: list[LogDir]) -> None:
        if not ranked:
            self.fail(found, "no log directory can take it")
            return
        path = ranked[0]
        found.stage, found.directory = Stage.CREATING, path
        settings = self.settings_of(found.name.topic)
        job = CreateLog(path, found.key, found.id.topic_id, settings)
        self._out.run(job, partial(self._on_created, found, ranked))

    def _on_created(self, found: Place, ranked: list[LogDir], result: LoadedLog | Failure) -> None:
        if isinstance(result, DiskFailed):
            self._logs.on_disk_failed(result)
        if self.all.get(found.id) is not found or found.stage is not Stage.CREATING:
            return
        if isinstance(result, DiskFailed):
            rest = [p for p in ranked[1:] if self._logs.directories.is_online(p)]
            self._create(found, rest)
        elif isinstance(result, LogFailed):
            self.fail(found, str(result), damaged=True)
        else:
            assert isinstance(result, LoadedLog)
            self._serve(found, ranked[0], result)

    def _promote(self, found: Place, path: LogDir) -> None:
        """The future log becomes the current one: there is no other (K113-16), or no better."""
        found.stage, found.directory = Stage.CREATING, path
        job = Promote(path, found.key._replace(future=True))
        self._out.run(job, partial(self._on_created, found, [path]))

    def _serve(self, found: Place, path: LogDir, log: LoadedLog) -> None:
        found.stage, found.directory, found.why, found.damaged = Stage.READY, path, "", False
        self.wishes.forget(found.name)
        settings = self.settings_of(found.name.topic)
        self._out.run(Configure(path, found.key, settings), partial(self._on_done, path))
        self._broker.replicas.on_log_ready(found.id, found.name, path, log)
        self._logs.on_placed(found.id)

    # --- losing and healing -----------------------------------------------------------------

    def fail(self, found: Place, why: str, *, damaged: bool = False) -> None:
        """A replica cannot be used; the controller learns of it if it might think otherwise."""
        found.stage, found.why, found.damaged = Stage.OFFLINE, why, damaged
        self._out.say("error", "replica is offline", partition=str(found.name), why=why)
        self._broker.replicas.on_replica_failed(found.id, Error.KAFKA_STORAGE_ERROR)
        self._logs.on_placed(found.id)
        self._maybe_heal(found)

    def on_directory_failed(self, path: LogDir) -> None:
        """Replicas whose current log was there are offline."""
        for found in self.all.values():
            if found.directory == path and found.stage is Stage.READY:
                found.stage, found.why = Stage.OFFLINE, f"{path} is offline"

    def revive(self, path: LogDir) -> None:
        """A full directory has room again: load what could not be written to (B-12)."""
        for found in list(self.all.values()):
            if found.stage is Stage.OFFLINE and found.directory == path:
                self._create(found, [path])

    def _maybe_heal(self, found: Place) -> None:
        """Fetch a damaged replica anew, once nobody counts on our copy any more (K589-04)."""
        if self._may_heal(found) and not found.healing and found.heals < HEALS_MAX:
            found.healing = True
            self._out.after(HEAL_DELAY, lambda: self._heal(found))

    def _may_heal(self, found: Place) -> bool:
        state = self._broker.image.partition(found.id)
        me = self._broker.node_id
        return (
            found.stage is Stage.OFFLINE
            and found.damaged
            and self.all.get(found.id) is found
            and self._logs.directories.is_online(found.directory)
            and state is not None
            and state.leader not in (-1, me)
            and me not in state.isr
            and me not in state.elr
        )

    def _heal(self, found: Place) -> None:
        found.healing = False
        if not self._may_heal(found):
            return
        found.heals += 1
        path = found.directory
        assert path is not None
        self._out.say("info", "damaged replica is fetched anew", partition=str(found.name))
        self.discard(path, found.key, "stray")
        self._create(found, [path])

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
            elif suffix == "delete":
                assert isinstance(result, str)
                self._logs.purge_later(path, result)

        self._out.run(job, discarded)

    # --- settings ---------------------------------------------------------------------------

    def settings_of(self, topic: str) -> LogSettings:
        """What a topic's logs obey."""
        overrides = self._broker.image.config(TOPIC_RESOURCE, topic)
        node = self._broker.settings
        return LogSettings(
            segment_bytes=topic_setting(overrides, node, "segment.bytes"),
            segment_ms=topic_setting(overrides, node, "segment.ms"),
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
