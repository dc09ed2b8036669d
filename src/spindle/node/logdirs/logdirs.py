"""Where the replicas of this broker live: its log directories, kept in step with the metadata.

Owns the existence and place of logs; what happens with the data in them is `replicas`'s. Composes
`directories` (health), `places` (which log is where), `moves`, `assigning` (what the controller is
told), and decides what the metadata should say of each replica (KIP-113, KIP-858, KIP-589).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from spindle.core.logdirs.health import Verdict
from spindle.core.logdirs.move import Input, Move
from spindle.core.logdirs.news import News, StateChange, is_like
from spindle.model.activity import Abandon
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.features import DIRECTORY_ASSIGNMENT, METADATA_VERSION
from spindle.model.ids import (
    LOST,
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    DirectoryId,
    LogDir,
    PartitionId,
)
from spindle.model.image import Delta
from spindle.model.logs import LogKey, OpenedDirectory
from spindle.node.logdirs.assigning import Assigning
from spindle.node.logdirs.bad_copies import BadCopies
from spindle.node.logdirs.directories import Directories, Directory
from spindle.node.logdirs.moves import Moves
from spindle.node.logdirs.orders import Orders
from spindle.node.logdirs.places import Place, Places, Stage
from spindle.node.logdirs.purging import Purging
from spindle.node.logdirs.repairs import Repairs
from spindle.node.logdirs.reporting import Reporting
from spindle.node.logdirs.rescue import Rescue
from spindle.node.logdirs.returning import Returning
from spindle.node.logdirs.scrubbing import Scrubbing
from spindle.node.logdirs.telling import Speech, Telling
from spindle.node.logdirs.wish_files import WishFiles
from spindle.wire.apis import Key

if TYPE_CHECKING:
    from spindle.node.broker import Broker

T = TypeVar("T")

SETTLE_PAUSE: Final = 0.01
LOOK_PAUSE: Final = 0.02


class LogDirs:
    """The log directories of a broker and what lives in them."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self._out = broker.out
        self.returning = Returning(self)
        self.directories = Directories(
            broker.config,
            broker.cluster_id,
            broker.out,
            self._on_verdict,
            self.returning.on_reopened,
        )
        self.places = Places(self)
        self.wish_files = WishFiles(broker.out, self.places.wishes, self.on_disk_failed)
        self.repairs = Repairs(self)
        self.purging = Purging(self)
        self.bad_copies = BadCopies(self)
        self.orders = Orders(self)
        self.scrubbing = Scrubbing(self)
        self.rescue = Rescue(self)
        self.moves = Moves(self)
        self.assigning: Telling[DirectoryId] = self._telling(Assigning(self), News())
        self.reporting: Telling[StateChange] = self._telling(Reporting(self), News(is_like))
        self._opened: dict[LogDir, OpenedDirectory] = {}
        self._is_open = False
        self._is_settled = False
        self._is_ready = False
        self._awaited: dict[PartitionId, None] = {}
        self._unanswered: dict[PartitionId, None] = {}
        """Replicas that are back, but their leaders do not know yet how far their logs go."""
        self._looking: dict[LogDir, str] = {}
        """Directories in which some job has failed, though they have not: to be looked at."""

    def _telling(self, speech: Speech[T], queue: News[T]) -> Telling[T]:
        broker = self.broker
        return Telling(broker.out, broker.controller, lambda: broker.lifecycle.epoch, speech, queue)

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

    @property
    def speaks_of_directories(self) -> bool:
        """Whether the cluster's metadata knows directories (K858-19)."""
        level = self.broker.image.features.get(METADATA_VERSION, 0)
        return level >= DIRECTORY_ASSIGNMENT

    def assigned(self, id: PartitionId) -> DirectoryId:
        """The directory that the committed metadata names for our replica."""
        state = self.broker.image.partition(id)
        if state is None or self.broker.node_id not in state.replicas:
            return UNASSIGNED
        return self.broker.image.directory_of(state, self.broker.node_id)

    # --- starting -----------------------------------------------------------------------------

    def on_opened(self, results: Mapping[LogDir, OpenedDirectory | Failure]) -> None:
        """Every directory was opened, or could not be. Their logs wait for the metadata."""
        ours = {path: results[path] for path in self.directories.all}
        self._opened = {p: o for p, o in ours.items() if isinstance(o, OpenedDirectory)}
        self.directories.on_opened(ours)
        for path, opened in self._opened.items():
            self.look_into(opened)
            self.wish_files.read(path)
        if not self.directories.online:
            self._out.halt("none of the log directories can be used (K858-11)")
        self._is_open = True
        self._await_metadata()

    def look_into(self, opened: OpenedDirectory) -> None:
        """Tell of what is odd in a directory; go on with what was being deleted (K113-18)."""
        path = opened.path
        for warning in opened.warnings:
            self._out.say("warning", "log directory", directory=path, warning=warning)
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
        state = self.broker.image.brokers.get(self.broker.node_id)
        epoch = self.broker.lifecycle.epoch
        known = state is not None and epoch >= 0 and state.broker_epoch >= epoch
        return self._is_open and self.wish_files.is_read and known

    def _settle(self) -> None:
        self._is_settled = True
        opened, self._opened = self._opened, {}
        self.places.settle(opened)
        self._awaited = dict.fromkeys(self.places.all)
        self.on_settings()
        for id in list(self._awaited):
            self.on_placed(id)
        for directory in self.directories.online:
            self.scrubbing.begin(directory.path)
        if self.offline:
            self.repairs.on_directory_lost()
        self.returning.take_up()
        self._maybe_ready()

    def on_new(self, id: PartitionId) -> None:
        """A replica has come to this broker."""
        if not self._is_ready:
            self._awaited[id] = None

    def _maybe_ready(self) -> None:
        """Ask to be unfenced once the controller knows where everything is (K858-13)."""
        if self._is_settled and not self._is_ready and not self._awaited:
            self._is_ready = True
            self._out.say("info", "logs are ready", count=len(self.places.all))
            self.broker.lifecycle.ready()

    # --- the metadata -------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Metadata was committed; `replicas` hears of it after us."""
        if not self._is_settled:
            return
        self.places.on_metadata(delta)
        if delta.features:
            for id in self.places.all:
                self.on_placed(id)
        if self.broker.node_id in delta.brokers:
            self.assigning.on_registered()
            self.reporting.on_registered()
            self.returning.take_up()
        self._maybe_ready()

    def on_assignment(self, id: PartitionId) -> None:
        """The metadata of a replica of ours has changed."""
        self.moves.on_assignment(id)
        self.on_placed(id)

    def on_settings(self) -> None:
        """Dynamic settings may have changed."""
        self.moves.on_settings()
        self.places.forget_figures()
        if self._is_settled and self.offline:
            self.repairs.on_directory_lost()
        if self._is_open:
            self.broker.lifecycle.set_cordoned(self.directories.cordoned_ids())

    # --- what the metadata should say -----------------------------------------------------------

    def wanted(self, id: PartitionId) -> DirectoryId | None:
        """The directory that the metadata should name for a replica; None: what it names is right.

        A move that has caught up promises its target, and nothing else may be said until it has
        ended (B-05). A replica that cannot be used must not be named in a live directory.
        """
        found = self.places.all.get(id)
        if found is None or not self.speaks_of_directories:
            return None
        promised, assigned = self.moves.promised(id), self.assigned(id)
        if promised is not None:
            wanted = promised
        elif found.stage is Stage.READY:
            assert found.directory is not None
            if self._is_unknown(id, assigned):
                return None
            wanted = LOST if found.is_crowded else self.directories.id_of(found.directory)
        elif found.stage is Stage.OFFLINE and self._seems_online(assigned):
            wanted = LOST
        else:
            return None
        return None if wanted == assigned else wanted

    def _is_unknown(self, id: PartitionId, assigned: DirectoryId) -> bool:
        """Whether a replica that is back must wait until its leader has heard of its log.

        The leader remembers how far the log was before. Told now that we are back it would take us
        into the ISR for that, however little we have (found by the simulation, K589-04). After a
        start the epoch of the broker is another one, under which nothing is remembered.
        """
        state, me = self.broker.image.partition(id), self.broker.node_id
        waits = (
            self._is_ready
            and state is not None
            and state.leader not in (NO_LEADER, me)
            and not self._seems_online(assigned)
            and not self.broker.fetchers.has_answered(id)
        )
        if waits:
            self._unanswered[id] = None
        return waits

    def on_answered(self, id: PartitionId) -> None:
        """A leader has answered the first fetch for a log of ours."""
        if id in self._unanswered:
            del self._unanswered[id]
            self.on_placed(id)

    def _seems_online(self, assigned: DirectoryId) -> bool:
        return assigned in (UNASSIGNED, MIGRATING) or self.directories.path_of(assigned) is not None

    def on_placed(self, id: PartitionId) -> None:
        """A replica's log is somewhere, or nowhere, or is named elsewhere: tell the controller."""
        wanted, news = self.wanted(id), self.news_of(id)
        if news is not None:
            self.reporting.want(id, news)
        else:
            self.reporting.withdraw(id)
        if wanted is not None and news is None:
            self.assigning.want(id, wanted)
        else:
            self.assigning.withdraw(id)
        found = self.places.all.get(id)
        if found is not None and found.damaged:
            self.repairs.look_at(found)
        if self._awaited:
            creating = found is not None and found.stage is Stage.CREATING
            several = len(self.directories.all) > 1
            if not creating and (wanted is None or not several):
                self._awaited.pop(id, None)
                self._maybe_ready()

    def news_of(self, id: PartitionId) -> StateChange | None:
        """What became of a replica, if the controller should hear it by AlterReplicaState.

        A controller that lacks the API gets an assignment instead (K589-05).
        """
        lacks = self.broker.controller.lacks(Key.ALTER_REPLICA_STATE)
        return None if lacks else self.state_of(id)

    def state_of(self, id: PartitionId) -> StateChange | None:
        """The state of a replica that is not as the metadata says, whatever the reason is.

        Only of one that is bad on a good disk, or well again (K589-01, K589-04).
        """
        found, assigned = self.places.all.get(id), self.assigned(id)
        if found is None or not self.speaks_of_directories or self.moves.promised(id) is not None:
            return None
        if found.is_crowded and self._seems_online(assigned):
            return StateChange(online=False, reason="its disk is full")
        if found.stage is Stage.READY and assigned == LOST and not found.is_crowded:
            return None if self._is_unknown(id, assigned) else StateChange(online=True)
        if _is_bad(found) and self._seems_online(assigned):
            return StateChange(online=False, reason=found.why, damaged=True)
        return None

    # --- failures -----------------------------------------------------------------------------

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job was answered so; what it means is decided once for each directory."""
        if self.moves.closing:
            return  # The directories are being closed: this job came too late.
        verdict = self.directories.on_failure(failure)
        directory = self.directories.all.get(failure.directory)
        if directory is None:
            if failure.directory == self.broker.config.metadata_dir:
                self._out.halt(f"the metadata directory has failed: {failure}")
        elif (
            verdict is not Verdict.FAILED
            and directory.health.online
            and directory.path not in self._looking
        ):
            # The disk is full, say: who could not go on is offline, the others serve (B-12).
            self._looking[directory.path] = str(failure)
            self._out.after(LOOK_PAUSE, partial(self._note_offline, directory.path))

    def _note_offline(self, path: LogDir) -> None:
        why = self._looking.pop(path)
        for found in list(self.places.all.values()):
            serves = self.broker.replicas.bounds(found.id) is not None
            if found.directory == path and found.stage is Stage.READY and not serves:
                self.moves.on_replica_failed(found.id)
                self.places.fail(found, why)

    def on_crowded(self, id: PartitionId) -> None:
        """A replica cannot take more, its disk is full: those in sync go on without it (B-12)."""
        found, state = self.places.all.get(id), self.broker.image.partition(id)
        if found is None or state is None or found.is_crowded:
            return
        others = [b for b in state.isr if b != self.broker.node_id]
        if any(map(self.broker.image.is_active, others)):
            found.crowded = found.directory
            self.on_placed(id)

    def _on_verdict(self, directory: Directory, verdict: Verdict) -> None:
        lifecycle = self.broker.lifecycle
        self.places.forget_figures()
        if verdict is Verdict.FAILED:
            self._on_directory_failed(directory)
            return
        if verdict in (Verdict.FULL, Verdict.ROOM):
            event = "is full" if verdict is Verdict.FULL else "has room again"
            self._out.say("warning", f"log directory {event}", directory=directory.path)
        lifecycle.set_cordoned(self.directories.cordoned_ids())
        if verdict is Verdict.FULL:
            self.moves.kept.on_full(directory.path)
            self.bad_copies.on_full(directory.path)
        elif verdict is Verdict.ROOM:
            self.places.revive(directory.path)
            for id in list(self.places.all):
                self.on_placed(id)

    def _on_directory_failed(self, directory: Directory) -> None:
        """A directory is lost: everybody hears of it in this very moment (K858-10)."""
        path = directory.path
        if not self._is_open:
            return
        self._out.say("error", "log directory has failed", directory=path, why=directory.health.why)
        if path == self.broker.config.metadata_dir:
            self._out.halt(f"the metadata directory has failed: {directory.health.why}")
        elif not self.directories.online:
            self._out.halt(f"the last log directory has failed: {directory.health.why}")
        if directory.id is not None:
            self.broker.lifecycle.on_directory_failed(directory.id)
            self._out.hurry()  # The controller elects while we go through thousands of replicas.
        self._out.run(Abandon(path), lambda _: None)
        self.directories.paces.forget(path)
        self.broker.replicas.on_directory_failed(path)
        self.broker.housekeeping.on_directory_failed(path)
        self.places.on_directory_failed(path)
        self.bad_copies.on_directory_failed(path)
        self.purging.on_directory_failed(path)
        self.scrubbing.on_directory_failed(path)
        self.moves.on_directory_failed(path)
        for id in list(self.places.all):
            self.on_placed(id)
        self.repairs.on_directory_lost()

    def on_log_failed(self, id: PartitionId, failure: LogFailed) -> None:
        """One log is damaged or gone on a healthy disk: that replica alone is offline (K589-02)."""
        found = self.places.all.get(id)
        if found is not None and found.stage is Stage.READY:
            self.moves.on_replica_failed(id)
            self.repairs.on_failed(found, failure)

    def on_removed(self, id: PartitionId) -> None:
        """A replica is not ours any more."""
        self.moves.on_removed(id)
        self.assigning.withdraw(id)
        self.reporting.withdraw(id)
        self._awaited.pop(id, None)
        self._unanswered.pop(id, None)

    # --- what changes in a log ----------------------------------------------------------------

    def on_truncated(self, id: PartitionId, offset: int) -> None:
        """A current log was cut back to `offset`: a future log follows (K113-13)."""
        self.moves.on_changed(id, Input.TRUNCATED)

    def on_start_moved(self, id: PartitionId, offset: int) -> None:
        """A current log begins at `offset` now: a future log follows (K113-13)."""
        self.moves.on_changed(id, Input.START_MOVED)

    # --- for DescribeLogDirs, housekeeping, figures ---------------------------------------------

    def current(self, path: LogDir) -> Iterator[PartitionId]:
        """The replicas that serve from a directory."""
        return (
            id
            for id, found in self.places.all.items()
            if found.directory == path and found.stage is Stage.READY
        )

    def bytes_in(self, path: LogDir) -> int:
        """Bytes of the logs that serve from a directory."""
        found = (self.broker.replicas.find(id) for id in self.current(path))
        return sum(hosted.size for hosted in found if hosted is not None)

    def futures(self, path: LogDir) -> Iterator[Move]:
        """The moves into a directory, finished ones excepted."""
        return (move for move in self.moves.all() if move.target == path)

    def future_marks(self, path: LogDir) -> dict[LogKey, int]:
        """High watermarks for the checkpoint: how much of each future log is known to be right."""
        marks = {}
        for move in self.futures(path):
            bounds = self.broker.replicas.bounds(move.id)
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


def _is_bad(found: Place) -> bool:
    return found.stage is Stage.OFFLINE and found.damaged
