"""Where the replicas of this broker live: its log directories, kept in step with the metadata.

Owns the existence and place of logs; `replicas` owns what happens with the data in them. Composes,
from the ground up: `directories` (health), `purging`, `placement_registry` (which log is where),
`repairs`, `alter_log_dirs_manager` (moves), `reconciler` (what should be where),
`assignments_manager` (the reports to the controller). Each takes those below it. A part posts an
event to report upwards; `CONSEQUENCES` says which parts receive each event and in which order
(KIP-113, KIP-858, KIP-589).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias, TypeVar

from spindle.core.logdirs import events as e
from spindle.core.logdirs.move import LogDirMove, MoveInput
from spindle.core.logdirs.placement import RememberedDirectories
from spindle.model.activity import Abandon
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import DirectoryId, LogDir, PartitionId, TopicPartition
from spindle.model.image import Delta
from spindle.model.log_values import LogKey, OpenedDirectory
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.assignments_manager import AssignmentsManager
from spindle.node.logdirs.directories import Directories, DirectoryMonitor, LifecyclePort
from spindle.node.logdirs.orders import Altering, Orders, Rescue
from spindle.node.logdirs.placement_registry import (
    RememberedDirectoryFiles,
    ReplicaPlacementRegistry,
    Stage,
)
from spindle.node.logdirs.purging import Purging
from spindle.node.logdirs.reconciler import Reconciler
from spindle.node.logdirs.repairs import BadCopies, Repairs, Scrubbing
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.hosted_partitions import HostedPartitions
from spindle.node.replicas.replica_manager import ReplicaManager


class OperatorOrders(NamedTuple):
    """What operators and tools may want of log directories and replicas."""

    directories: Orders
    altering: Altering
    rescue: Rescue


class ListedReplica(NamedTuple):
    """A replica in a directory, as DescribeLogDirs tells of it."""

    name: TopicPartition
    size: int
    """In bytes."""
    lag: int
    """By how much its end lies behind the high watermark or, of a future log, behind the current
    one: -1 where that is offline (K113-20)."""
    is_future: bool = False


def listed(
    partitions: HostedPartitions, replicas: Iterable[HostedPartition], moves: Iterable[LogDirMove]
) -> Iterator[ListedReplica | None]:
    """Replicas and future logs as they are; None for a replica that is not served."""
    for each in replicas:
        hosted = partitions.find(each.id) if each.gone else each
        if hosted is None or hosted.is_offline:
            yield None
        else:
            log = hosted.partition.log
            lag = log.high_watermark - log.end
            yield ListedReplica(hosted.name, hosted.size, lag if lag > 0 else 0)
    for move in moves:
        bounds = partitions.bounds(move.id)
        lag = -1 if bounds is None else max(0, bounds[2] - move.end)
        yield ListedReplica(move.name, move.size, lag, is_future=True)


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
        self.context = context
        self.replicas = replicas
        post = self.post = e.EventQueue(self._deliver).post
        """Delivers an event to all parts that it concerns."""
        directories = self.directories = Directories(context, post)
        self.monitor = DirectoryMonitor(context, directories, post)
        remembered = RememberedDirectoryFiles(context.out, RememberedDirectories(), directories)
        purging = Purging(context, directories)
        places = self.places = ReplicaPlacementRegistry(
            context, directories, purging, remembered, replicas, post
        )
        bad_copies = BadCopies(context, directories, purging)
        self.repairs = Repairs(context, directories, places, bad_copies)
        self.scrubbing = Scrubbing(context, directories, places, post)
        self.moves = AlterLogDirsManager(context, directories, purging, places, replicas, post)
        self.orders = OperatorOrders(
            Orders(context, directories, self.monitor, places),
            Altering(context, directories, places, self.moves, remembered),
            Rescue(context, directories, places, bad_copies, self.repairs),
        )
        self.reconciler = Reconciler(
            context, directories, purging, places, self.repairs, self.moves, life, post
        )
        self.assignments = AssignmentsManager(
            context, life, directories, places, self.moves, has_answered, post
        )

    # --- events -------------------------------------------------------------------------------

    def _deliver(self, event: e.LogDirEvent) -> None:
        """Deliver an event to all parts that it concerns, in the order of the table."""
        for _, consequence in CONSEQUENCES[type(event)]:
            consequence(self, event)

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job failed so; `Health` decides what that means, once for each directory."""
        self.directories.on_disk_failed(failure)

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
    def offline_replicas(self) -> int:
        """How many replicas the metadata gives us that we cannot serve (B-18)."""
        return sum(found.stage is Stage.OFFLINE for found in self.places.all.values())

    def futures(self, path: LogDir) -> Iterator[LogDirMove]:
        """The moves into a directory, finished ones excepted."""
        return (move for move in self.moves.under_way.all() if move.target == path)

    def listings(self) -> dict[LogDir, Iterator[ListedReplica | None]]:
        """The replicas that are in each directory now, each as it is at its turn; None: one that
        is not served."""
        partitions = self.replicas.partitions
        here = partitions.by_directory()
        return {
            path: listed(partitions, here.get(path, ()), list(self.futures(path)))
            for path in self.directories.all
        }

    def future_marks(self, path: LogDir) -> dict[LogKey, int]:
        """High watermarks for the checkpoint: how much of each future log is known to be right."""
        marks = {}
        for move in self.futures(path):
            bounds = self.replicas.partitions.bounds(move.id)
            marks[move.future_key] = min(move.end, bounds[1]) if bounds is not None else move.end
        return marks

    # --- life ---------------------------------------------------------------------------------

    def on_opened(self, results: Mapping[LogDir, OpenedDirectory | Failure]) -> None:
        """Every directory was opened, or could not be. Their logs wait for the metadata."""
        ours = {path: results[path] for path in self.directories.all}
        self.directories.on_opened(ours)
        self.monitor.begin()
        opened = {path: o for path, o in ours.items() if isinstance(o, OpenedDirectory)}
        for path, found in opened.items():
            self.look_into(found)
            self.places.remembered_files.read(path)
            self.reconciler.last_known_ends.read(path)
        if not self.directories.online:
            self.context.out.halt("none of the log directories can be used (K858-11)")
        self.reconciler.on_opened(opened)

    def look_into(self, opened: OpenedDirectory) -> None:
        """Report what is odd in a directory; resume the deletions begun there (K113-18)."""
        path, out, purging = opened.path, self.context.out, self.places.purging
        for warning in opened.warnings:
            out.say(
                "warning", "log directory opened with a warning", directory=path, reason=warning
            )
        for name in opened.ignored:
            out.say("warning", "foreign name left alone", directory=path, name=name)
        for name in opened.strays:
            purging.stray(path, name)
        for name in opened.deleted:
            purging.later(path, name)
        self.moves.kept.on_opened(opened)
        self.repairs.bad_copies.on_opened(opened)

    def on_metadata(self, delta: Delta) -> None:
        """Metadata was committed; `replicas` receives it after the log directories."""
        if not self.reconciler.is_settled:
            return
        self.reconciler.on_metadata(delta)
        if delta.features:
            self.tell_of_all()
        if self.context.node_id in delta.brokers:
            self.assignments.on_registered()
            self.take_up()
        self.assignments.make_ready()

    def on_settings(self) -> None:
        """Dynamic settings may have changed."""
        self.moves.on_settings()
        self.places.forget_figures()
        if self.reconciler.is_settled and self.offline:
            self.repairs.on_directory_lost()
        if self.directories.is_open:
            self.assignments.tell_cordoned()

    def take_up(self) -> None:
        """Use the directories that are back, as soon as the cluster knows of them."""
        for directory in self.reconciler.returned():
            opened = self.monitor.take_up(directory)
            self.look_into(opened)
            self.reconciler.on_returned(opened)
            self.assignments.tell_cordoned()
            self.scrubbing.begin(directory.path)
            self.tell_of_all()

    def tell_of_all(self) -> None:
        """What the controller should know of the replicas may have changed: report each again."""
        for id in list(self.places.all):
            self.tell_of(id)

    def tell_of(self, id: PartitionId) -> None:
        """Report one replica again; look whether a damaged one can be healed."""
        self.assignments.tell(id)
        found = self.places.all.get(id)
        if found is not None and found.damaged:
            self.repairs.look_at(found)

    def stop_moving(self, then: Callable[[], None]) -> None:
        """The node is stopping: begin nothing new; `then` once nothing is being copied."""
        self.scrubbing.end()
        self.moves.close(then)


# --- what comes of an event -------------------------------------------------------------------

E = TypeVar("E", bound=e.LogDirEvent)
Consequence: TypeAlias = tuple[str, Callable[[LogDirManager, E], None]]
"""What happens, in words, and how."""


def _halt_without(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    out, why = logs.context.out, logs.directories.all[event.path].health.why
    out.say("error", "log directory has failed", directory=event.path, reason=why)
    if event.path == logs.context.config.metadata_dir:
        out.halt(f"the metadata directory has failed: {why}")
    elif not logs.directories.online:
        out.halt(f"the last log directory has failed: {why}")


def _tell_controller(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    id = logs.directories.all[event.path].id
    if id is not None:
        logs.assignments.on_directory_failed(id)


def _abandon_jobs(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    if not logs.directories.all[event.path].health.held:
        logs.context.out.run(Abandon(event.path), lambda _: None)
    # Else an operator has ordered it: what was asked for before is done first.


def _note_ends(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    logs.reconciler.last_known_ends.note(logs.replicas.partitions.log_ends(event.path))


def _forget_end(logs: LogDirManager, event: e.ReplicaServed | e.ReplicaRemoved) -> None:
    logs.reconciler.last_known_ends.forget(event.id)


def _tell_listeners(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    for listener in logs.directories.listeners:
        listener(event.path)


def _forget_contents(logs: LogDirManager, event: e.DirectoryFailed) -> None:
    logs.repairs.bad_copies.on_directory_failed(event.path)
    logs.places.purging.on_directory_failed(event.path)
    logs.scrubbing.on_directory_failed(event.path)


def _rebuild(logs: LogDirManager, _: object) -> None:
    if logs.offline:
        logs.repairs.on_directory_lost()


def _make_room(logs: LogDirManager, event: e.DirectoryFull) -> None:
    logs.moves.kept.on_full(event.path)
    logs.repairs.bad_copies.on_full(event.path)


def _say(
    logs: LogDirManager, event: e.DirectoryFull | e.DirectoryHasRoom | e.DirectoryReopened
) -> None:
    words = {e.DirectoryFull: "is full", e.DirectoryHasRoom: "has room again"}
    found = words.get(type(event), "is back")
    logs.context.out.say("warning", f"log directory {found}", directory=event.path)


def _fail_stuck(logs: LogDirManager, event: e.DirectoryDoubted) -> None:
    """The disk is full, say: replicas that could not go on are offline, the others serve."""
    for found in list(logs.places.all.values()):
        serves = logs.replicas.partitions.bounds(found.id) is not None
        if found.directory == event.path and found.stage is Stage.READY and not serves:
            logs.moves.on_replica_failed(found.id)
            logs.places.fail(found, event.why)


def _take_up(logs: LogDirManager, _: object) -> None:
    if logs.reconciler.is_settled:
        logs.take_up()


def _begin_scrubbing(logs: LogDirManager, _: object) -> None:
    for directory in logs.directories.online:
        logs.scrubbing.begin(directory.path)


def _repair(logs: LogDirManager, event: e.ReplicaUnserved) -> None:
    found = logs.places.all.get(event.id)
    if found is not None:
        logs.repairs.on_failed(found, event.failure)


def _go_on_without(logs: LogDirManager, event: e.LogCrowded) -> None:
    """A replica cannot take more: those in sync go on without it (B-12)."""
    image = logs.context.image
    found, state = logs.places.all.get(event.id), image.partition(event.id)
    if found is None or state is None or found.is_crowded:
        return
    others = [broker for broker in state.isr if broker != logs.context.node_id]
    if any(map(image.is_active, others)):
        found.crowded = found.directory
        logs.tell_of(event.id)


def _fail_one(logs: LogDirManager, event: e.LogDamaged) -> None:
    """One log is damaged or gone on a healthy disk: that replica alone is offline (K589-02)."""
    found = logs.places.all.get(event.id)
    if found is not None and found.stage is Stage.READY:
        logs.moves.on_replica_failed(event.id)
        logs.repairs.on_failed(found, event.failure)


Always: TypeAlias = Consequence[e.LogDirEvent]
FORGET_FIGURES: Final[Always] = ("forget figures", lambda logs, _: logs.places.forget_figures())
TELL_CORDONED: Final[Always] = ("tell cordoned", lambda logs, _: logs.assignments.tell_cordoned())
TELL_OF_ALL: Final[Always] = ("tell of all replicas", lambda logs, _: logs.tell_of_all())


def _row(event: type[E], *consequences: Consequence[E]) -> tuple[type, tuple[Consequence[E], ...]]:
    return event, consequences


CONSEQUENCES: Final[Mapping[type, tuple[tuple[str, Callable[..., None]], ...]]] = MappingProxyType(
    dict(
        [
            _row(
                e.DirectoryFailed,
                FORGET_FIGURES,
                ("halt without directories", _halt_without),
                ("tell controller", _tell_controller),
                ("abandon jobs", _abandon_jobs),
                ("forget pace", lambda logs, event: logs.directories.paces.forget(event.path)),
                TELL_CORDONED,
                ("note log ends", _note_ends),
                (
                    "fail partitions",
                    lambda logs, event: logs.replicas.on_directory_failed(event.path),
                ),
                ("tell listeners", _tell_listeners),
                ("fail replicas", lambda logs, event: logs.places.on_directory_failed(event.path)),
                ("forget contents", _forget_contents),
                ("end moves", lambda logs, event: logs.moves.on_directory_failed(event.path)),
                TELL_OF_ALL,
                ("rebuild replicas", _rebuild),
            ),
            _row(
                e.DirectoryFull,
                FORGET_FIGURES,
                ("warn", _say),
                TELL_CORDONED,
                ("make room", _make_room),
            ),
            _row(
                e.DirectoryHasRoom,
                FORGET_FIGURES,
                ("warn", _say),
                TELL_CORDONED,
                ("revive replicas", lambda logs, event: logs.places.revive(event.path)),
                TELL_OF_ALL,
            ),
            _row(e.DirectoryPaceChanged, FORGET_FIGURES, TELL_CORDONED),
            _row(e.DirectoryDoubted, ("fail stuck replicas", _fail_stuck)),
            _row(
                e.DirectoryReopened,
                ("warn", _say),
                ("note", lambda logs, event: logs.directories.note_back(event.path)),
                ("take up", _take_up),
            ),
            _row(
                e.LogsCompared,
                ("await all replicas", lambda logs, _: logs.assignments.begin()),
                ("apply settings", lambda logs, _: logs.on_settings()),
                TELL_OF_ALL,
                ("begin scrubbing", _begin_scrubbing),
                ("rebuild replicas", _rebuild),
                ("take up", _take_up),
                ("make ready", lambda logs, _: logs.assignments.make_ready()),
            ),
            _row(
                e.ReplicaAdded,
                ("await it", lambda logs, event: logs.assignments.on_added(event.id)),
            ),
            _row(
                e.ReplicaServed,
                ("forget last end", _forget_end),
                ("resume move", lambda logs, event: logs.moves.on_served(event.id)),
                ("tell of it", lambda logs, event: logs.tell_of(event.id)),
            ),
            _row(e.ReplicaUnserved, ("repair", _repair)),
            _row(e.ReplicaChanged, ("tell of it", lambda logs, event: logs.tell_of(event.id))),
            _row(
                e.ReplicaRemoved,
                ("forget last end", _forget_end),
                ("remove copies", lambda logs, event: logs.moves.on_removed(event.id)),
                ("withdraw reports", lambda logs, event: logs.assignments.on_removed(event.id)),
            ),
            _row(
                e.CopySetAside,
                ("answer orders", lambda logs, event: logs.moves.on_copy_set_aside(event.id)),
            ),
            _row(
                e.LogJobFailed,
                ("judge disk", lambda logs, event: logs.on_disk_failed(event.failure)),
            ),
            _row(e.LogDamaged, ("fail replica", _fail_one)),
            _row(e.LogCrowded, ("go on without it", _go_on_without)),
            _row(
                e.LogTruncated,
                ("follow", lambda logs, it: logs.moves.on_changed(it.id, MoveInput.TRUNCATED)),
            ),
            _row(
                e.LogStartMoved,
                ("follow", lambda logs, it: logs.moves.on_changed(it.id, MoveInput.START_MOVED)),
            ),
            _row(
                e.LogShortened,
                ("unlink", lambda logs, event: logs.places.purging.sweep(event.path, event.key)),
            ),
        ]
    )
)
"""The consequences of each event, in this order."""
