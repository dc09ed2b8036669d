"""What operators and tools order of log directories and replicas.

`Orders`: probe a directory, take it offline, back, or as a new disk (AlterLogDirState). Every order
is answered within a few seconds, in words, also where the disk does not answer (B-13, B-16).

`Rescue`: try a bad replica once more, or go on with what is left of it (RepairReplica). The broker
never serves a damaged replica that other brokers have: it fetches the replica again. A replica that
no other broker has waits for an operator (KIP-589): either its files are well again, or the
operator accepts the loss, and then the broker serves what is good of it.

`Altering`: what AlterReplicaLogDirs asks of one replica: a move, a directory to remember, or
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import partial
from typing import Final

from spindle.core.logdirs.health import Condition
from spindle.core.logdirs.reconciliation import better_copy
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed, Refusal
from spindle.model.ids import NO_LEADER, LogDir, PartitionId, TopicPartition
from spindle.model.jobs import Format, MeasureUsage, ReloadManner, Salvage, Salvaged
from spindle.model.log_values import LoadedLog, Usage
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager, Answer
from spindle.node.logdirs.directories import ConfiguredLogDir, Directories, DirectoryMonitor
from spindle.node.logdirs.placement_registry import (
    LocalReplica,
    RememberedDirectoryFiles,
    ReplicaPlacementRegistry,
    Stage,
)
from spindle.node.logdirs.repairs import BadCopies, Repairs

ANSWER_WITHIN: Final = 10.0
"""Seconds that an order waits for a disk before its answer says that the disk gave none."""
LOOK: Final = 0.05
NAMED_MAX: Final = 20
"""Partitions that a refusal names one by one."""

Then = Callable[[str], None]
"""Receives what came of an order, in words."""


class Order(IntEnum):
    """What the operator wants, by its number on the wire."""

    PROBE = 0
    ONLINE = 1
    OFFLINE = 2
    REPLACE = 3


def replicas_are(count: int) -> str:
    """So many replicas, and the verb that goes with them."""
    return "1 replica is" if count == 1 else f"{count} replicas are"


class Orders:
    """Carries out orders, one directory each."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        monitor: DirectoryMonitor,
        places: ReplicaPlacementRegistry,
    ) -> None:
        self._context = context
        self._directories = directories
        self._monitor = monitor
        self._places = places
        self._out = context.out

    def carry_out(
        self, path: LogDir, order: Order, then: Then, refuse: Then, *, force: bool = False
    ) -> None:
        """Do it; `then` or `refuse` is called once with what came of it. Refusal where it may not.

        `refuse`: the disk did not do what was wanted. `force`: take it offline although partitions
        have their last live replica there.
        """
        directory = self._directories.all.get(path)
        if directory is None:
            known = ", ".join(self._directories.all)
            raise Refusal(Error.LOG_DIR_NOT_FOUND, f"{path} is not in log.dirs, which are: {known}")
        if directory.health.condition is Condition.OPENING:
            raise Refusal(Error.KAFKA_STORAGE_ERROR, f"{path} is being opened: wait for that")
        if order is Order.PROBE:
            self._probe(directory, *self._once(directory, then, refuse))
        elif order is Order.OFFLINE:
            self._offline(directory, then, refuse, force)
        elif directory.health.online:
            self._already_online(directory, order, then)
        elif order is Order.ONLINE:
            self._online(directory, *self._once(directory, then, refuse))
        else:
            self._replace(directory, *self._once(directory, then, refuse))

    def _once(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> tuple[Then, Then]:
        """The same two, of which only the first call counts; after a while the answer is no."""
        answered = False

        def once(tell: Then) -> Then:
            def told(words: str) -> None:
                nonlocal answered
                if not answered:
                    answered = True
                    tell(words)

            return told

        late = f"{directory.path}: no answer within {ANSWER_WITHIN:.0f} s; look again later"
        self._out.after(ANSWER_WITHIN, partial(once(refuse), late))
        return once(then), once(refuse)

    # --- probe --------------------------------------------------------------------------------

    def _probe(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        asked = self._out.now

        def answered(result: Usage | Failure) -> None:
            if isinstance(result, Failure):
                if directory.health.online and isinstance(result, DiskFailed):
                    self._directories.on_disk_failed(result)
                refuse(str(result))
            else:
                took = (self._out.now - asked) * 1000
                then(f"{directory.path}: wrote, synced and read back within {took:.0f} ms")

        self._out.run(MeasureUsage(directory.path, write=True), answered)

    # --- offline ------------------------------------------------------------------------------

    def _offline(self, directory: ConfiguredLogDir, then: Then, refuse: Then, force: bool) -> None:
        path, directories = directory.path, self._directories
        if path == self._context.config.metadata_dir:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} holds the metadata log, too: without it the broker would stop. Stop the "
                "broker, or give it a metadata.log.dir of its own",
            )
        if [d.path for d in directories.online] == [path]:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} is the broker's last directory: without it the broker would stop",
            )
        if directory.opened is not None:
            raise Refusal(
                Error.INVALID_REQUEST, f"{path} is just coming back: try again in a moment"
            )
        last = [] if force else sorted(self._last_replicas(path))
        if last:
            more = f" and {len(last) - NAMED_MAX} more" if len(last) > NAMED_MAX else ""
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} holds the last live replica of {', '.join(last[:NAMED_MAX])}{more}: "
                "without it these partitions have no leader. Move them first (`spindle disks "
                "drain`), or order it with --force",
            )

        def released(result: Failure | None) -> None:
            closed = "its files are closed"
            if isinstance(result, Failure):
                closed += f", though not as they should be ({result})"
            stays = "it stays so until `spindle disks online` or `replace`, or a restart"
            done(f"{path} is offline and {closed}; {stays}")

        done, _ = self._once(directory, then, refuse)
        self._monitor.on_order(directory, online=False, released=released)

    def _last_replicas(self, path: LogDir) -> Iterator[str]:
        """The partitions that cannot be led, or read at all, without the replica in `path`."""
        image, me = self._context.image, self._context.node_id
        for place in self._places.all.values():
            state = image.partition(place.id)
            if state is None or place.directory != path or place.stage is Stage.OFFLINE:
                continue
            eligible = {*state.isr, *state.elr}
            others = (eligible if me in eligible else {*state.replicas}) - {me}
            if not any(image.is_active(b) and image.replica_is_online(state, b) for b in others):
                yield str(place.name)

    # --- back ---------------------------------------------------------------------------------

    def _already_online(self, directory: ConfiguredLogDir, order: Order, then: Then) -> None:
        if order is Order.REPLACE:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{directory.path} is online: drain it, take it offline, then change the disk",
            )
        self._monitor.on_order(directory, online=True)
        then(f"{directory.path} is online")

    def _online(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        self._monitor.on_order(directory, online=True)
        self._await_opened(directory, then, refuse)

    def _await_opened(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        if directory.opening:
            self._out.after(LOOK, partial(self._await_opened, directory, then, refuse))
        elif directory.opened is not None or directory.health.online:
            bad = directory.opened.quarantined if directory.opened is not None else ()
            told = "; ".join(f"{log.name}: {log.why}" for log in bad[:NAMED_MAX])
            more = f". {replicas_are(len(bad))} damaged: {told}" if bad else ""
            then(f"{directory.path} is open, and serves once the controller knows of it{more}")
        else:
            refuse(f"{directory.path} stays offline: {directory.health.why}")

    def _replace(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        def formatted(result: tuple[str, ...] | Failure) -> None:
            if isinstance(result, Failure):
                refuse(str(result))
            elif result:
                more = ", ..." if len(result) > 3 else ""
                refuse(
                    f"{directory.path} is not blank: it holds {', '.join(result[:3])}{more}. "
                    "Nothing was written; mount an empty disk there"
                )
            else:
                self._online(directory, then, refuse)

        job = Format(directory.path, self._context.cluster_id, self._context.node_id)
        self._out.run(job, formatted)


LINES_MAX: Final = 20
"""Segments that an answer names one by one."""

Told = Callable[[str], None]


class RescueAction(IntEnum):
    """What the operator wants, by its number on the wire."""

    REPAIR = 1
    """Fetch it again; where no other broker has it, load it again if its files are whole."""
    ACCEPT_LOSS = 2
    """Take the damage out, and serve the rest."""


class Rescue:
    """Orders for bad replicas."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        bad_copies: BadCopies,
        repairs: Repairs,
    ) -> None:
        self.context = context
        self.directories = directories
        self.places = places
        self.bad_copies = bad_copies
        self._repairs = repairs
        self._busy: set[LocalReplica] = set()

    def carry_out(
        self, name: TopicPartition, action: RescueAction, done: Told, failed: Told
    ) -> None:
        """Begin; `done` or `failed` receives the outcome. Refusal where it may not be done."""
        place = self._bad(name)
        self._repairs.begin_again(place)
        if action is RescueAction.REPAIR and self._is_elsewhere(place):
            self._repairs.look_at(place)
            done("it is fetched again once another replica leads and the ISR does not need it")
        elif action is RescueAction.REPAIR:
            self._repair_only_copy(place, done, failed)
        else:
            self._refuse_loss(place)
            self._busy.add(place)
            _Salvaging(self, place, done, failed, partial(self._busy.discard, place)).step(0)

    def _repair_only_copy(self, place: LocalReplica, done: Told, failed: Told) -> None:
        """The job reads each byte; the log serves if it is whole, and stays as it is if not."""

        def loaded(result: LoadedLog | Failure) -> None:
            self._busy.discard(place)
            if isinstance(result, Failure):
                why = result.why if isinstance(result, LogFailed) else result
                failed(
                    f"{place.name} is damaged still, and left as it is in {place.directory}: {why}."
                    " No other broker has it: `spindle replicas accept-loss` serves what is good of"
                    " it"
                )
            else:
                done(f"it is whole, and serves again from {result.start} to {result.end}")

        self._busy.add(place)
        self.places.reload(place, ReloadManner.MENDED, loaded)

    def _bad(self, name: TopicPartition) -> LocalReplica:
        id = self.context.image.resolve(name)
        place = self.places.all.get(id) if id is not None else None
        if place is None:
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"this broker has no replica of {name}")
        if place.stage is not Stage.OFFLINE or not place.damaged:
            raise Refusal(Error.INVALID_REQUEST, f"{name} is not damaged here: {self._how(place)}")
        if place in self._busy:
            raise Refusal(Error.INVALID_REQUEST, f"the loss of {name} is being dealt with already")
        if not self.directories.is_online(place.directory):
            raise Refusal(
                Error.KAFKA_STORAGE_ERROR, f"{place.directory} is offline: bring it back first"
            )
        return place

    def _how(self, place: LocalReplica) -> str:
        return "it serves" if place.stage is Stage.READY else place.why or place.stage.value

    def _is_elsewhere(self, place: LocalReplica) -> bool:
        state = self.context.image.partition(place.id)
        return state is not None and state.leader not in (NO_LEADER, self.context.node_id)

    def _refuse_loss(self, place: LocalReplica) -> None:
        """Refusal where another broker has more of it, or may have: that is not given up."""
        state, me = self.context.image.partition(place.id), self.context.node_id
        if state is None:
            text = f"{place.name} is not in the metadata: it is no partition of the cluster"
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, text)
        if self._is_elsewhere(place):
            text = f"broker {state.leader} has {place.name} whole: use `repair`, nothing is lost"
            raise Refusal(Error.INVALID_REQUEST, text)
        more = better_copy(state, me, place.name)
        if more is not None:
            raise Refusal(Error.INVALID_REQUEST, more)


class _Salvaging:
    """One log's, segment by segment."""

    def __init__(
        self,
        rescue: Rescue,
        place: LocalReplica,
        done: Told,
        failed: Told,
        over: Callable[[], None],
    ) -> None:
        self._rescue = rescue
        self._out = rescue.context.out
        self._place = place
        self._done = done
        self._failed = failed
        self._over = over
        self._lost: list[str] = []
        self._unique = self._out.new_id().hex

    def step(self, base: int) -> None:
        """Look at the next segment."""
        place = self._place
        assert place.directory is not None
        job = Salvage(place.directory, place.key, base, self._unique, place.why, self._out.wall_ms)
        self._out.run(job, self._on_salvaged)

    def _on_salvaged(self, result: Salvaged | Failure) -> None:
        place = self._place
        if isinstance(result, DiskFailed):
            self._rescue.directories.on_disk_failed(result)
        if isinstance(result, Failure):
            self._over()
            self._failed(str(result))
            return
        for line in result.lost:
            self._out.say("error", "records are lost", partition=str(place.name), lost=line)
        self._lost += result.lost
        if result.next is not None:
            self.step(result.next)
            return
        self._over()
        if self._rescue.places.all.get(place.id) is not place or not place.damaged:
            self._failed("the replica has changed meanwhile")
            return
        if self._lost:
            self._rescue.bad_copies.note(place, result.aside)
        self._rescue.places.reload(place, ReloadManner.LOSS_ACCEPTED)
        shown = self._lost[:LINES_MAX]
        more = [f"... and {len(self._lost) - len(shown)} more"] if self._lost[LINES_MAX:] else []
        self._done("lost: " + "; ".join([*shown, *more]) if shown else "nothing is lost")


NAME_MAX: Final = 255
FUTURE_SUFFIX_LENGTH: Final = len("." + "0" * 32 + "-future")


class Altering:
    """Carries out orders of AlterReplicaLogDirs, one replica each."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        moves: AlterLogDirsManager,
        remembered_files: RememberedDirectoryFiles,
    ) -> None:
        self._context = context
        self._directories = directories
        self._places = places
        self._moves = moves
        self._remembered_files = remembered_files

    def alter(self, name: TopicPartition, path: LogDir, then: Answer) -> None:
        """Have a replica moved to a directory, or created there later (K113-01, -08 to -11).

        `then` is called when the decision is on disk: at once, where there is nothing to do.
        """
        error = self._refusal(name, path)
        if error is not Error.NONE:
            then(error)
            return
        id = self._context.image.resolve(name)
        found = self._places.all.get(id) if id is not None else None
        if found is None or found.stage is Stage.CREATING:
            self._remember(name, id, path, then)
        else:
            self._moves.order(found, path, then)

    def _refusal(self, name: TopicPartition, path: LogDir) -> Error:
        """Why this cannot be done, whatever else comes of it; NONE if it can."""
        if len(f"{name}".encode()) + FUTURE_SUFFIX_LENGTH > NAME_MAX:
            return Error.INVALID_TOPIC_EXCEPTION
        if path not in self._directories.all:
            return Error.LOG_DIR_NOT_FOUND
        if not self._directories.is_online(path):
            return Error.KAFKA_STORAGE_ERROR
        id = self._context.image.resolve(name)
        found = self._places.all.get(id) if id is not None else None
        move = self._moves.under_way.of(found.id) if found is not None else None
        here = found is not None and (
            found.directory == path or (move is not None and move.target == path)
        )
        if not here and self._directories.is_cordoned(path):
            return Error.INVALID_REPLICA_ASSIGNMENT
        if found is not None and found.stage is Stage.OFFLINE:
            return Error.KAFKA_STORAGE_ERROR
        return Error.NONE

    def _remember(
        self, name: TopicPartition, id: PartitionId | None, path: LogDir, then: Answer
    ) -> None:
        topic_id = id.topic_id if id is not None else None
        remembered = self._remembered_files.remembered
        former = remembered.forget(name)
        remembered.remember(name, path, topic_id, self._context.out.wall_ms)
        self._remembered_files.changed(path)
        if former is not None and former != path:
            self._remembered_files.changed(former)
        known = id is not None and self._context.image.partition(id) is not None
        error = Error.REPLICA_NOT_AVAILABLE if known else Error.UNKNOWN_TOPIC_OR_PARTITION
        self._remembered_files.when_written(lambda: then(error))
