"""What the disks hold and what the metadata says, brought together: at start, and at each change.

`Reconciler` acts on `core.logdirs.reconciliation`'s table. It decides for each replica whether its
log is served, made, promoted, moved on, or waited for; the placement registry carries it out.
`Findings` sorts what opened directories hold by replica: the best copy of each; strays are set
aside.

`LastKnownEnds` remembers how far the logs of failed directories had come: one that comes back
shorter has lost records. It is noted when a directory fails, in a small file in each directory that
still serves: a broker that is restarted meanwhile knows, too (B-31).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypedDict

from spindle.core.logdirs.events import LogsCompared, Post, ReplicaAdded, ReplicaChanged
from spindle.core.logdirs.reconciliation import (
    ReconcileAction,
    ReplicaSituation,
    decide,
    is_better,
    rank_copy,
)
from spindle.model import metadata_records as r
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import (
    METADATA_TOPIC,
    LogDir,
    PartitionId,
    TopicPartition,
    id_from_text,
    id_to_text,
)
from spindle.model.image import Delta
from spindle.model.jobs import GetFile, PutFile, RemoveFile
from spindle.model.log_values import LoadedLog, OpenedDirectory, QuarantinedLog
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.directories import ConfiguredLogDir, Directories, LifecyclePort
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.purging import Purging
from spindle.node.logdirs.repairs import Repairs

ENDS_FILE: Final = "spindle-log-ends.json"
GATHER: Final = 0.1
"""Seconds for which changes gather before they are written."""


class LastKnownEnds:
    """The log ends of replicas that do not serve."""

    def __init__(self, context: BrokerContext, directories: Directories) -> None:
        self._out = context.out
        self._directories = directories
        self._ends: dict[PartitionId, int] = {}
        self._written: set[LogDir] = set()
        """Directories that may have the file."""
        self._reading = 0
        self._due = False

    @property
    def is_read(self) -> bool:
        """Whether all that was asked for has been read."""
        return self._reading == 0

    def end_of(self, id: PartitionId) -> int:
        """Where a replica's log had ended at least, as far as is remembered; else 0."""
        return self._ends.get(id, 0)

    def read(self, path: LogDir) -> None:
        """Take up what a run before has noted in a directory."""
        self._reading += 1
        self._out.run(GetFile(path, ENDS_FILE), partial(self._on_read, path))

    def _on_read(self, path: LogDir, result: bytes | Failure | None) -> None:
        self._reading -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        if not isinstance(result, bytes):
            return
        self._written.add(path)
        try:
            found = _decode(result)
        except (ValueError, KeyError, TypeError) as error:
            self._out.say("warning", "log ends cannot be read", directory=path, reason=str(error))
            self._change()
            return
        for id, end in found.items():
            self._ends[id] = max(end, self.end_of(id))

    def note(self, ends: Mapping[PartitionId, int]) -> None:
        """These logs are in a directory that has just failed."""
        self._ends.update(ends)
        if ends:
            self._change()

    def forget(self, id: PartitionId) -> None:
        """A replica serves again, wherever its log is, or it is not ours any more."""
        if self._ends.pop(id, None) is not None:
            self._change()

    def _change(self) -> None:
        if not self._due:
            self._due = True
            self._out.after(GATHER, self._write)

    def _write(self) -> None:
        self._due = False
        data = _encode(self._ends)
        for directory in self._directories.online:
            path = directory.path
            if self._ends:
                self._written.add(path)
                self._out.run(PutFile(path, ENDS_FILE, data), self._on_written)
            elif path in self._written:
                self._written.discard(path)
                self._out.run(RemoveFile(path, ENDS_FILE), self._on_written)

    def _on_written(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)


def _encode(ends: Mapping[PartitionId, int]) -> bytes:
    rows = [
        {"id": id_to_text(id.topic_id), "partition": id.partition, "end": end}
        for id, end in ends.items()
    ]
    return json.dumps({"version": 1, "logs": rows}).encode()


class _EndRow(TypedDict):
    id: str
    partition: int
    end: int


class _EndsFile(TypedDict):
    logs: list[_EndRow]


def _decode(data: bytes) -> dict[PartitionId, int]:
    document: _EndsFile = json.loads(data)
    return {
        PartitionId(id_from_text(row["id"]), int(row["partition"])): int(row["end"])
        for row in document["logs"]
    }


@dataclass(frozen=True, slots=True)
class LocatedLog:
    """A log and the directory that it was found in."""

    path: LogDir
    log: LoadedLog


class Findings:
    """The current and future logs of our replicas, and those that could not be loaded."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        opened: Mapping[LogDir, OpenedDirectory],
    ) -> None:
        self._context = context
        self._directories = directories
        self._purging = purging
        self._out = context.out
        self._found: dict[tuple[PartitionId, bool], list[LocatedLog]] = {}
        self.damaged: dict[str, tuple[LogDir, QuarantinedLog]] = {}
        """Logs that could not be loaded, by name: where, and why. Each costs one replica (B-15)."""
        for path, directory in opened.items():
            for log in directory.logs:
                if log.key.topic != METADATA_TOPIC:
                    self._sort(LocatedLog(path, log))
            for bad in directory.quarantined:
                self._out.say(
                    "error", "log cannot be loaded", directory=path, log=bad.name, reason=bad.why
                )
                self.damaged[bad.name] = (path, bad)
                self._sort_damaged(path, bad)

    def current(self, id: PartitionId) -> LocatedLog | None:
        """The best current log of a replica."""
        return self._best(id, self._found.pop((id, False), []))

    def future(self, id: PartitionId) -> LocatedLog | None:
        """The best future log of a replica."""
        return self._best(id, self._found.pop((id, True), []))

    def _sort(self, copy: LocatedLog) -> None:
        id = self._id_of(copy.log)
        if id is not None:
            self._found.setdefault((id, copy.log.key.future), []).append(copy)
            return
        # The metadata gives this broker no such replica: set it aside, and say so (B-17).
        path, log = copy.path, copy.log
        fields = {"directory": path, "log": str(log.key), "bytes": log.size}
        self._out.say("warning", "stray log set aside", **fields)
        self._purging.discard(path, log.key, "delete" if log.end == log.start else "stray")

    def _sort_damaged(self, path: LogDir, bad: QuarantinedLog) -> None:
        """Set a damaged log aside where no replica here has its name: it would stay for good."""
        id = self._context.image.resolve(bad.key.topic_partition)
        state = None if id is None else self._context.image.partition(id)
        if state is not None and self._context.node_id in state.replicas:
            return
        self._discard_damaged(path, bad, "damaged stray log set aside")

    def _discard_damaged(self, path: LogDir, bad: QuarantinedLog, event: str) -> None:
        self._out.say("warning", event, directory=path, log=bad.name, reason=bad.why)
        self._purging.discard(path, bad.key, "stray")

    def set_damaged_aside(self, name: TopicPartition) -> None:
        """A replica serves: a copy of it that could not be loaded is in the next move's way."""
        for path, bad in self.damaged.values():
            if bad.key.future and bad.key.topic_partition == name:
                self._discard_damaged(path, bad, "damaged copy of a replica set aside")

    def _id_of(self, log: LoadedLog) -> PartitionId | None:
        """The replica of this broker that a log belongs to; None where it belongs to none."""
        if log.topic_id is None:
            return None
        id = PartitionId(log.topic_id, log.key.partition)
        state = self._context.image.partition(id)
        if state is None or self._context.node_id not in state.replicas:
            return None
        return id if self._context.image.name_of(id) == log.key.topic_partition else None

    def _best(self, id: PartitionId, found: list[LocatedLog]) -> LocatedLog | None:
        """The best of several copies (B-04); the others go, if they hold nothing more."""
        if not found:
            return None
        assigned = self._context.assigned(id)
        best = max(
            found, key=lambda c: (*rank_copy(c.log), self._directories.id_of(c.path) == assigned)
        )
        for copy in found:
            if copy is not best:
                self.set_aside(copy, best.log)
                self._out.say("warning", "copy of the replica kept", directory=best.path)
        return best

    def set_aside(self, copy: LocatedLog, kept: LoadedLog | None) -> None:
        """A copy is not needed: deleted if `kept` has all of it, else kept as a stray."""
        contained = kept is not None and (
            (copy.log.end, copy.log.epochs) == (kept.end, kept.epochs) or is_better(kept, copy.log)
        )
        self._out.say(
            "warning",
            "duplicate copy of a replica set aside",
            directory=copy.path,
            log=str(copy.log.key),
            end=copy.log.end,
        )
        self._purging.discard(copy.path, copy.log.key, "delete" if contained else "stray")


SETTLE_PAUSE: Final = 0.01


class Reconciler:
    """Keeps the places of our replicas in step with the metadata."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        places: ReplicaPlacementRegistry,
        repairs: Repairs,
        moves: AlterLogDirsManager,
        life: LifecyclePort,
        post: Post,
    ) -> None:
        self._context = context
        self._directories = directories
        self._purging = purging
        self._places = places
        self._repairs = repairs
        self._moves = moves
        self._life = life
        self._post = post
        self.last_known_ends = LastKnownEnds(context, directories)
        self._opened: dict[LogDir, OpenedDirectory] = {}
        """What was found when the directories were opened."""
        self.is_settled = False
        """Every log found was compared with the metadata of this registration."""

    # --- starting -----------------------------------------------------------------------------

    @property
    def previous_broker_epoch(self) -> int:
        """Our epoch before a clean shutdown of every directory, or -1 (KIP-966)."""
        epochs = {o.broker_epoch for o in self._opened.values() if o.clean}
        whole = len(self._opened) == len(self._directories.all)
        clean = all(o.clean for o in self._opened.values())
        return epochs.pop() if whole and clean and len(epochs) == 1 else -1

    def on_opened(self, opened: dict[LogDir, OpenedDirectory]) -> None:
        """The directories are open. Their logs wait for the metadata."""
        self._opened = opened
        self._await_metadata()

    def _await_metadata(self) -> None:
        """Judge no log before the metadata shows this very registration: until then it is old."""
        if not self._may_settle():
            self._context.out.after(SETTLE_PAUSE, self._await_metadata)
            return
        self.is_settled = True
        # One that has failed since it was opened has no logs now; when it is back, it tells.
        opened = {p: o for p, o in self._opened.items() if self._directories.is_online(p)}
        self._opened = {}
        self._settle(opened)
        self._post(LogsCompared())

    def _may_settle(self) -> bool:
        state = self._context.image.brokers.get(self._context.node_id)
        epoch = self._life.epoch
        known = state is not None and epoch >= 0 and state.broker_epoch >= epoch
        return self._places.remembered_files.is_read and self.last_known_ends.is_read and known

    # --- comparing disks and metadata -------------------------------------------------------

    def _settle(self, opened: Mapping[LogDir, OpenedDirectory]) -> None:
        found = Findings(self._context, self._directories, self._purging, opened)
        self._places.forget_figures()
        for topic, state in self._context.image.partitions():
            if self._context.node_id in state.replicas:
                id = PartitionId(topic.topic_id, state.partition_id)
                name = TopicPartition(topic.name, state.partition_id)
                place = self._places.all[id] = LocalReplica(id, name, Stage.OFFLINE, None)
                self._take_up(place, state, found)

    def returned(self) -> list[ConfiguredLogDir]:
        """The directories that are back and may be used: the cluster knows of them.

        Before that, the cluster has known of their failure. A directory may hold less than it did,
        and no replica in it may go on leading in the same epoch as if nothing had happened (B-13).
        None is back before the metadata is known: until then the broker cannot say whose logs it
        holds.
        """
        own = self._context.image.brokers.get(self._context.node_id)
        if own is None:
            return []
        returned = []
        for directory in self._directories.all.values():
            if directory.opened is None or directory.id is None:
                continue
            if not self._context.speaks_of_directories:
                returned.append(directory)
            elif directory.id not in own.log_dirs:
                if not directory.offered:
                    directory.offered = True
                    self._life.on_directory_back(directory.id)
            elif directory.offered:
                returned.append(directory)
        return returned

    def on_returned(self, opened: OpenedDirectory) -> None:
        """A directory is back (B-13): take up what is still missing, set aside what is not."""
        found = Findings(self._context, self._directories, self._purging, {opened.path: opened})
        self._places.forget_figures()
        for place in list(self._places.all.values()):
            state = self._context.image.partition(place.id)
            if state is None:
                continue  # Its topic is gone: the removal is about to come.
            if place.stage is Stage.OFFLINE:
                self._take_up(place, state, found)
                continue
            found.set_damaged_aside(place.name)
            current, future = found.current(place.id), found.future(place.id)
            if current is not None:
                found.set_aside(current, None)
            if future is not None and not self._moves.may_resume(place, future.path):
                found.set_aside(future, None)
            elif future is not None:
                self._moves.resume(place, future.path, future.log)

    def _take_up(
        self, place: LocalReplica, state: r.PartitionRegistration, found: Findings
    ) -> None:
        """Do what the catch-up table says of a replica that is not served yet."""
        current, future = found.current(place.id), found.future(place.id)
        if current is None and str(place.name) in found.damaged:
            place.directory, bad = found.damaged[str(place.name)]
            failure = LogFailed(place.directory, bad.name, bad.why, suspect=bad.suspect)
            self._give_up_copy(place, future)
            self._repairs.on_failed(place, failure)
            return
        if current is None and future is None and place.damaged:
            return
        reached = self.last_known_ends.end_of(place.id)
        if current is not None and current.log.end < reached:
            has_all = future is not None and future.log.end >= reached
            if future is None or not has_all or not is_better(future.log, current.log):
                self._give_up_copy(place, future)
                self._take_for_damaged(place, current, reached)
                return
        if current is not None and future is not None and current.path == future.path:
            self._purging.discard(future.path, future.log.key)
            future = None
        situation = self._situation(state, is_new=False)
        ids = self._directories
        situation.current = ids.id_of(current.path) if current else None
        situation.future = ids.id_of(future.path) if future else None
        action = decide(situation).action
        if current is None:
            if action is ReconcileAction.PROMOTE:
                assert future is not None
                self._places.promote(place, future.path)
                return
            if future is not None:
                self._moves.leave(place, future.path, future.log)
            self._act(place, action, state)
        elif future is not None and is_better(future.log, current.log):
            # The disk lost what was appended last, the copy has it (B-02).
            self._purging.discard(current.path, current.log.key)
            self._places.promote(place, future.path)
        else:
            self._places.serve(place, current.path, current.log)
            found.set_damaged_aside(place.name)
            if future is not None:
                self._moves.resume(place, future.path, future.log)

    def _give_up_copy(self, place: LocalReplica, future: LocatedLog | None) -> None:
        """A damaged replica moves no further: what was copied of it is kept for a while."""
        if future is not None:
            self._moves.leave(place, future.path, future.log)

    def _take_for_damaged(self, place: LocalReplica, copy: LocatedLog, reached: int) -> None:
        """A log came back shorter than we know it was: others may have what it lost (B-31)."""
        place.directory = copy.path
        why = f"it came back with its end at {copy.log.end}, and had reached {reached}"
        failure = LogFailed(copy.path, str(copy.log.key), why)
        self._repairs.on_failed(place, failure, reached)

    # --- the metadata changes ---------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Topics came or went, replicas were given to us or taken away."""
        if not delta.goes_on:
            self._places.forget_figures()  # They cost a look at every log.
        for id in delta.gone:
            known = self._places.all.get(id)
            if known is not None:
                self._places.remove(known)
        for id in delta.partitions:
            state = self._context.image.partition(id)
            known = self._places.all.get(id)
            ours = state is not None and self._context.node_id in state.replicas
            if known is not None and not ours:
                self._places.remove(known)
            elif known is not None:
                self._moves.on_assignment(id)
                self._post(ReplicaChanged(id))
            elif state is not None and ours:
                name = self._context.image.name_of(id)
                assert name is not None
                self._places.all[id] = found = LocalReplica(id, name, Stage.OFFLINE, None)
                self._post(ReplicaAdded(id))
                action = decide(self._situation(state, is_new=True)).action
                self._act(found, action, state)
        if delta.configs:
            self._places.configure(delta)

    def _situation(self, state: r.PartitionRegistration, *, is_new: bool) -> ReplicaSituation:
        directories = self._directories
        return ReplicaSituation(
            current=None,
            future=None,
            assigned=self._context.image.directory_of(state, self._context.node_id),
            online=tuple(d.id for d in directories.online if d.id is not None),
            any_offline=bool(directories.offline),
            is_new=is_new,
        )

    def _act(
        self, found: LocalReplica, action: ReconcileAction, state: r.PartitionRegistration
    ) -> None:
        if action is ReconcileAction.OFFLINE:
            self._places.fail(found, "its log may be in an offline directory")
            return
        assigned = None
        if action is ReconcileAction.CREATE:
            id = self._context.image.directory_of(state, self._context.node_id)
            assigned = self._directories.path_of(id)
        self._places.create(found, self._places.choose(found, assigned))
