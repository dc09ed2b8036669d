"""Where the replicas of this broker live: its log directories, kept in step with the metadata.

Owns the existence and place of logs; what happens with the data in them is `replicas`'s. Composes,
from the ground up: `directories` (health), `purging`, `places` (which log is where), `repairs`,
`moves`, `catching_up` (what should be where), `saying` (what the controller is told). Each takes
those below it; what it tells upwards comes here (KIP-113, KIP-858, KIP-589).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, TypeVar

from spindle.core.logdirs.health import Verdict
from spindle.core.logdirs.move import LogDirMove, MoveInput
from spindle.core.logdirs.remembered_directories import RememberedDirectories
from spindle.model.activity import Abandon
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import (
    DirectoryId,
    LogDir,
    PartitionId,
)
from spindle.model.image import Delta
from spindle.model.log_values import LogKey, OpenedDirectory
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.altering import Altering
from spindle.node.logdirs.assignments_manager import AssignmentsManager
from spindle.node.logdirs.bad_copies import BadCopies
from spindle.node.logdirs.directories import ConfiguredLogDir, Directories
from spindle.node.logdirs.last_known_ends import LastKnownEnds
from spindle.node.logdirs.life import LifecyclePort
from spindle.node.logdirs.orders import Orders
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.purging import Purging
from spindle.node.logdirs.reconciler import Reconciler
from spindle.node.logdirs.remembered_directory_files import RememberedDirectoryFiles
from spindle.node.logdirs.repairs import Repairs
from spindle.node.logdirs.rescue import Rescue
from spindle.node.logdirs.returning import Returning
from spindle.node.logdirs.scrubbing import Scrubbing
from spindle.node.replicas.replica_manager import ReplicaManager

T = TypeVar("T")

SETTLE_PAUSE: Final = 0.01
LOOK_PAUSE: Final = 0.02


class LogDirManager:
    """The log directories of a broker and what lives in them."""

    def __init__(
        self,
        context: BrokerContext,
        life: LifecyclePort,
        replicas: ReplicaManager,
        has_answered: Callable[[PartitionId], bool],
    ) -> None:
        """`has_answered`: whether the leader of a replica has heard how far its log goes."""
        self._context = context
        self._life = life
        self._replicas = replicas
        self._out = context.out
        self.listeners: list[Callable[[LogDir], None]] = []
        """Told of each directory that has failed."""
        directories = self.directories = Directories(
            context, self._on_verdict, self._on_doubt, self._on_reopened
        )
        self.remembered_files = RememberedDirectoryFiles(
            context.out, RememberedDirectories(), directories.on_disk_failed
        )
        self.last_known_ends = LastKnownEnds(context, directories, directories.on_disk_failed)
        purging = self.purging = Purging(context, directories)
        places = self.places = ReplicaPlacementRegistry(
            context, directories, purging, self.remembered_files, replicas, self
        )
        self.bad_copies = BadCopies(context, directories, purging)
        self.repairs = Repairs(context, directories, places, self.bad_copies)
        self.rescue = Rescue(context, directories, places, self.bad_copies, self.repairs)
        self.orders = Orders(context, directories, places)
        self.scrubbing = Scrubbing(context, directories, places, self.on_log_failed)
        self.moves = AlterLogDirsManager(
            context, directories, purging, places, replicas, self.on_placed, self.on_log_failed
        )
        self.altering = Altering(context, directories, places, self.moves, self.remembered_files)
        self._catching_up = Reconciler(
            context,
            directories,
            purging,
            places,
            self.repairs,
            self.moves,
            self.last_known_ends,
            self._on_new,
            self.on_placed,
        )
        self._returning = Returning(context, directories, life, self._on_returned)
        self.saying = AssignmentsManager(
            context, life, directories, places, self.moves, has_answered, self.on_placed
        )
        self._opened: dict[LogDir, OpenedDirectory] = {}
        self._is_open = False
        self._is_settled = False
        self._awaited: dict[PartitionId, None] = {}
        self._looking: dict[LogDir, str] = {}
        """Directories in which some job has failed, though they have not: to be looked at."""

    # --- asking -----------------------------------------------------------------------------

    @property
    def offline(self) -> set[LogDir]:
        """Paths of the directories that have failed."""
        return self.directories.offline

    @property
    def online_ids(self) -> tuple[DirectoryId, ...]:
        """Ids of the directories that can be used, for the registration."""
        return tuple(d.id for d in self.directories.online if d.id is not None)

    @property
    def previous_broker_epoch(self) -> int:
        """Our epoch before a clean shutdown of every directory, or -1 (KIP-966)."""
        epochs = {o.broker_epoch for o in self._opened.values() if o.clean}
        whole = len(self._opened) == len(self.directories.all)
        clean = all(o.clean for o in self._opened.values())
        return epochs.pop() if whole and clean and len(epochs) == 1 else -1

    @property
    def is_settled(self) -> bool:
        """Whether every log found was compared with the metadata of this registration."""
        return self._is_settled

    # --- starting -----------------------------------------------------------------------------

    def on_opened(self, results: Mapping[LogDir, OpenedDirectory | Failure]) -> None:
        """Every directory was opened, or could not be. Their logs wait for the metadata."""
        ours = {path: results[path] for path in self.directories.all}
        self._opened = {p: o for p, o in ours.items() if isinstance(o, OpenedDirectory)}
        self.directories.on_opened(ours)
        for path, opened in self._opened.items():
            self._look_into(opened)
            self.remembered_files.read(path)
            self.last_known_ends.read(path)
        if not self.directories.online:
            self._out.halt("none of the log directories can be used (K858-11)")
        self._is_open = True
        self._await_metadata()

    def _look_into(self, opened: OpenedDirectory) -> None:
        """Tell of what is odd in a directory; go on with what was being deleted (K113-18)."""
        path = opened.path
        for warning in opened.warnings:
            self._out.say(
                "warning", "log directory opened with a warning", directory=path, reason=warning
            )
        for name in opened.ignored:
            self._out.say("warning", "foreign name left alone", directory=path, name=name)
        for name in opened.strays:
            self.purging.stray(path, name)
        for name in opened.deleted:
            self.purging.later(path, name)
        self.moves.kept.on_opened(opened)
        self.bad_copies.on_opened(opened)

    def _await_metadata(self) -> None:
        """Judge no log before the metadata shows this very registration: until then it is old."""
        if self._is_settled:
            return
        if self._may_settle():
            self._settle()
        else:
            self._out.after(SETTLE_PAUSE, self._await_metadata)

    def _may_settle(self) -> bool:
        state = self._context.image.brokers.get(self._context.node_id)
        epoch = self._life.epoch
        known = state is not None and epoch >= 0 and state.broker_epoch >= epoch
        is_read = self.remembered_files.is_read and self.last_known_ends.is_read
        return self._is_open and is_read and known

    def _settle(self) -> None:
        self._is_settled = True
        # One that has failed since it was opened has no logs now; when it is back, it tells.
        opened = {p: o for p, o in self._opened.items() if self.directories.is_online(p)}
        self._opened = {}
        self._catching_up.settle(opened)
        self._awaited = dict.fromkeys(self.places.all)
        self.on_settings()
        for id in list(self._awaited):
            self.on_placed(id)
        for directory in self.directories.online:
            self.scrubbing.begin(directory.path)
        if self.offline:
            self.repairs.on_directory_lost()
        self._returning.take_up()
        self._maybe_ready()

    def _on_new(self, id: PartitionId) -> None:
        if not self.saying.is_ready:
            self._awaited[id] = None

    def _maybe_ready(self) -> None:
        """Ask to be unfenced once the controller knows where everything is (K858-13)."""
        if self._is_settled and not self.saying.is_ready and not self._awaited:
            self.saying.is_ready = True
            self._out.say("info", "logs are ready", count=len(self.places.all))
            self._life.ready()

    # --- the metadata -------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Metadata was committed; `replicas` hears of it after us."""
        if not self._is_settled:
            return
        self._catching_up.on_metadata(delta)
        if delta.features:
            for id in self.places.all:
                self.on_placed(id)
        if self._context.node_id in delta.brokers:
            self.saying.on_registered()
            self._returning.take_up()
        self._maybe_ready()

    def on_settings(self) -> None:
        """Dynamic settings may have changed."""
        self.moves.on_settings()
        self.places.forget_figures()
        if self._is_settled and self.offline:
            self.repairs.on_directory_lost()
        if self._is_open:
            self._life.set_cordoned(self.directories.cordoned_ids())

    def on_answered(self, id: PartitionId) -> None:
        """A leader has answered the first fetch for a log of ours."""
        self.saying.on_answered(id)

    def on_placed(self, id: PartitionId) -> None:
        """A replica's log is somewhere, or nowhere, or is named elsewhere: tell the controller."""
        wanted = self.saying.tell(id)
        found = self.places.all.get(id)
        if found is not None and found.damaged:
            self.repairs.look_at(found)
        if self._awaited:
            creating = found is not None and found.stage is Stage.CREATING
            several = len(self.directories.all) > 1
            if not creating and (wanted is None or not several):
                self._awaited.pop(id, None)
                self._maybe_ready()

    # --- failures -----------------------------------------------------------------------------

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job was answered so; what it means is decided once for each directory."""
        self.directories.on_disk_failed(failure)

    def _on_doubt(self, directory: ConfiguredLogDir, failure: DiskFailed) -> None:
        """The disk is full, say: who could not go on is offline, the others serve (B-12)."""
        if directory.path not in self._looking:
            self._looking[directory.path] = str(failure)
            self._out.after(LOOK_PAUSE, partial(self._note_offline, directory.path))

    def _note_offline(self, path: LogDir) -> None:
        why = self._looking.pop(path)
        for found in list(self.places.all.values()):
            serves = self._replicas.bounds(found.id) is not None
            if found.directory == path and found.stage is Stage.READY and not serves:
                self.moves.on_replica_failed(found.id)
                self.places.fail(found, why)

    def on_crowded(self, id: PartitionId) -> None:
        """A replica cannot take more, its disk is full: those in sync go on without it (B-12)."""
        found, state = self.places.all.get(id), self._context.image.partition(id)
        if found is None or state is None or found.is_crowded:
            return
        others = [b for b in state.isr if b != self._context.node_id]
        if any(map(self._context.image.is_active, others)):
            found.crowded = found.directory
            self.on_placed(id)

    def _on_verdict(self, directory: ConfiguredLogDir, verdict: Verdict) -> None:
        self.places.forget_figures()
        if verdict is Verdict.FAILED:
            self._on_directory_failed(directory)
            return
        if verdict in (Verdict.FULL, Verdict.ROOM):
            event = "is full" if verdict is Verdict.FULL else "has room again"
            self._out.say("warning", f"log directory {event}", directory=directory.path)
        self._life.set_cordoned(self.directories.cordoned_ids())
        if verdict is Verdict.FULL:
            self.moves.kept.on_full(directory.path)
            self.bad_copies.on_full(directory.path)
        elif verdict is Verdict.ROOM:
            self.places.revive(directory.path)
            for id in list(self.places.all):
                self.on_placed(id)

    def _on_directory_failed(self, directory: ConfiguredLogDir) -> None:
        """A directory is lost: everybody hears of it in this very moment (K858-10)."""
        path = directory.path
        if not self._is_open:
            return
        self._out.say(
            "error", "log directory has failed", directory=path, reason=directory.health.why
        )
        if path == self._context.config.metadata_dir:
            self._out.halt(f"the metadata directory has failed: {directory.health.why}")
        elif not self.directories.online:
            self._out.halt(f"the last log directory has failed: {directory.health.why}")
        if directory.id is not None:
            self._life.on_directory_failed(directory.id)
            self._out.hurry()  # The controller elects while we go through thousands of replicas.
        if not directory.health.held:
            self._out.run(Abandon(path), lambda _: None)  # Else what was asked for is done first.
        self.directories.paces.forget(path)
        self.last_known_ends.note(self._replicas.log_ends(path))
        self._replicas.on_directory_failed(path)
        for listener in self.listeners:
            listener(path)
        self.places.on_directory_failed(path)
        self.bad_copies.on_directory_failed(path)
        self.purging.on_directory_failed(path)
        self.scrubbing.on_directory_failed(path)
        self.moves.on_directory_failed(path)
        for id in list(self.places.all):
            self.on_placed(id)
        self.repairs.on_directory_lost()

    def _on_reopened(self, directory: ConfiguredLogDir) -> None:
        """A failed directory is open again: register it."""
        self._out.say("warning", "log directory is back", directory=directory.path)
        self.directories.note(directory, "back")
        if self._is_settled:
            self._returning.take_up()

    def _on_returned(self, directory: ConfiguredLogDir) -> None:
        """The cluster knows that a directory is back: use what it holds."""
        opened = self.directories.take_up(directory)
        self._look_into(opened)
        self._catching_up.on_returned(opened)
        self.scrubbing.begin(directory.path)
        for id in list(self.places.all):
            self.on_placed(id)

    def on_log_failed(self, id: PartitionId, failure: LogFailed) -> None:
        """One log is damaged or gone on a healthy disk: that replica alone is offline (K589-02)."""
        found = self.places.all.get(id)
        if found is not None and found.stage is Stage.READY:
            self.moves.on_replica_failed(id)
            self.repairs.on_failed(found, failure)

    # --- from places --------------------------------------------------------------------------

    def expected(self) -> Iterator[tuple[LogDir, int]]:
        """(target, bytes that it will have) of each log that is being moved."""
        return self.moves.expected()

    def on_served(self, place: LocalReplica) -> None:
        """A replica serves, perhaps again."""
        self.last_known_ends.forget(place.id)
        self.moves.on_served(place)
        self.on_placed(place.id)

    def on_unserved(self, place: LocalReplica, failure: LogFailed) -> None:
        """A replica's log could not be made or loaded, on a directory that is well."""
        self.repairs.on_failed(place, failure)

    def on_removed(self, id: PartitionId) -> None:
        """A replica is not ours any more."""
        self.last_known_ends.forget(id)
        self.moves.on_removed(id)
        self.saying.on_removed(id)
        self._awaited.pop(id, None)

    # --- what changes in a log ----------------------------------------------------------------

    def on_truncated(self, id: PartitionId, offset: int) -> None:
        """A current log was cut back to `offset`: a future log follows (K113-13)."""
        self.moves.on_changed(id, MoveInput.TRUNCATED)

    def on_start_moved(self, id: PartitionId, offset: int) -> None:
        """A current log begins at `offset` now: a future log follows (K113-13)."""
        self.moves.on_changed(id, MoveInput.START_MOVED)

    def on_shortened(self, path: LogDir, key: LogKey) -> None:
        """A current log has set segments aside."""
        self.purging.sweep(path, key)

    # --- for DescribeLogDirs, housekeeping, figures ---------------------------------------------

    def futures(self, path: LogDir) -> Iterator[LogDirMove]:
        """The moves into a directory, finished ones excepted."""
        return (move for move in self.moves.all() if move.target == path)

    def future_marks(self, path: LogDir) -> dict[LogKey, int]:
        """High watermarks for the checkpoint: how much of each future log is known to be right."""
        marks = {}
        for move in self.futures(path):
            bounds = self._replicas.bounds(move.id)
            marks[move.future_key] = min(move.end, bounds[1]) if bounds is not None else move.end
        return marks

    @property
    def offline_replicas(self) -> int:
        """How many replicas the metadata gives us that we cannot serve (B-18)."""
        return sum(found.stage is Stage.OFFLINE for found in self.places.all.values())

    def stop_moving(self, then: Callable[[], None]) -> None:
        """The node is stopping: begin nothing new; `then` once nothing is being copied."""
        self.scrubbing.end()
        self.moves.close(then)
