"""All moves of a broker between its log directories: which may copy, how fast (K113-05, K113-07).

Each is a `LogDirMoveTask`. `orders` begins moves, `reconciler` resumes those of an earlier run.

`Awaited` are the answers that are owed (K113-01, K113-15). An order that was answered must outlive
a kill. Only the future log remembers the order, so the answer waits for the future log.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from spindle.core.logdirs.copy_limits import Slots, Throttles
from spindle.core.logdirs.events import LogDamaged, Post, ReplicaChanged
from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveInput
from spindle.model.errors import Error, LogFailed
from spindle.model.ids import LogDir, PartitionId
from spindle.model.log_values import LoadedLog
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.future_log_copier import MoveTools, rates_of
from spindle.node.logdirs.log_dir_move_task import (
    CopyGivenUp,
    LogDirMoveTask,
    MoveEvent,
    MoveStepped,
    MovesUnderWay,
)
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.purging import KeptCopies, Purging
from spindle.node.replicas.replica_manager import ReplicaManager

Answer = Callable[[Error], None]


class Awaited:
    """The answers that are owed, by replica and target."""

    def __init__(self) -> None:
        self._owed: dict[PartitionId, dict[LogDir, list[Answer]]] = {}

    def add(self, id: PartitionId, target: LogDir, then: Answer) -> None:
        """`then` is owed until one of the two below finds out what to say."""
        self._owed.setdefault(id, {}).setdefault(target, []).append(then)

    def tell(self, id: PartitionId, verdict: Callable[[LogDir], Error | None]) -> None:
        """Something of a replica has changed: answer for each target that has a verdict now."""
        for target in list(self._owed.get(id, ())):
            error = verdict(target)
            if error is not None:
                self._answer(id, target, error)

    def superseded(self, id: PartitionId, by: LogDir) -> None:
        """Another order has taken the place of these: they were followed, as far as that went."""
        for target in list(self._owed.get(id, ())):
            if target != by:
                self._answer(id, target, Error.NONE)

    def _answer(self, id: PartitionId, target: LogDir, error: Error) -> None:
        owed = self._owed[id].pop(target)
        if not self._owed[id]:
            del self._owed[id]
        for then in owed:
            then(error)


CLOSE_LIMIT: Final = 5.0
"""Seconds that a stop waits for what is being copied."""
CLOSE_CHECK: Final = 0.02


class MoveScheduler:
    """Gives the slots for copying to the moves that wait (B-10)."""

    def __init__(self, tools: MoveTools) -> None:
        self._tools = tools
        self._slots = Slots()

    def note(self, move: LogDirMove) -> None:
        """Remember which moves wait for a slot, and which have one."""
        if move.state is LogDirMoveState.WANTED:
            self._slots.wait(move.id, (move.source, move.target))
        elif move.state is not LogDirMoveState.COPYING:
            self._slots.leave(move.id)

    def next(self) -> PartitionId | None:
        """The move that may copy now: of those that wait, one between the least busy disks."""
        settings, directories = self._tools.context.settings, self._tools.directories
        if directories.closing:
            return None
        threads = settings.find_whole("num.replica.alter.log.dirs.threads")
        at_once = int(threads) if threads is not None else len(directories.all)
        return self._slots.next(at_once, settings.whole("log.dir.move.copies.max"))


class AlterLogDirsManager:
    """All moves of a broker."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        places: ReplicaPlacementRegistry,
        replicas: ReplicaManager,
        post: Post,
    ) -> None:
        self.kept = KeptCopies(context, directories, purging, post)
        throttles = Throttles(*rates_of(context), context.out.now)
        self.tools = MoveTools(
            context, directories, purging, places, replicas, post, self.kept, throttles
        )
        replicas.writes.timed = self.tools.pacing.on_append
        self._awaited = Awaited()
        self._closes_at = 0.0
        self.under_way = MovesUnderWay(self.tools)
        self._scheduler = MoveScheduler(self.tools)

    def close(self, then: Callable[[], None]) -> None:
        """Begin no copy any more; `then` once none is under way, or a while later.

        What is copied into a directory that was closed cleanly would be taken for a part of its
        logs, and what was cut off them then would be missing in the middle.
        """
        out, directories = self.tools.out, self.tools.directories
        if not directories.closing:
            directories.closing = True
            self._closes_at = out.now + CLOSE_LIMIT
        serving = directories.is_online
        waits = any(
            serving(t.move.source) and serving(t.move.target) for t in self.under_way.copying()
        )
        if waits and out.now < self._closes_at:
            out.after(CLOSE_CHECK, lambda: self.close(then))
        else:
            then()

    # --- what is asked for ------------------------------------------------------------------

    def order(self, place: LocalReplica, target: LogDir, then: Answer) -> None:
        """Have a replica that serves move to `target`, or stay there; `then` once that is sure.

        Sure is what a kill does not undo: the future log stands on disk (K113-01, K113-15).
        """
        task = self.under_way.tasks.get(place.id)
        self._awaited.superseded(place.id, by=target)
        if place.directory != target and (task is None or task.move.target != target):
            self.begin(place, target)
        elif place.directory == target and task is not None:
            # It stays where it is; what was copied goes, after a while (K113-08, B-11).
            task.again = task.move.source
            task.feed(MoveInput.CANCELLED)
        self._awaited.add(place.id, target, then)
        self.on_copy_set_aside(place.id)

    def on_copy_set_aside(self, id: PartitionId) -> None:
        """A replica's moves have changed something on disk: answer the orders that wait for it."""
        self._awaited.tell(id, partial(self._verdict, id))

    def _verdict(self, id: PartitionId, target: LogDir) -> Error | None:
        """What to answer to an order of a replica to `target`; None: nothing as yet."""
        place, task = self.tools.places.all.get(id), self.under_way.tasks.get(id)
        if place is None or not self.tools.directories.is_online(target):
            return Error.KAFKA_STORAGE_ERROR
        given_up = self.under_way.given_up
        if self.kept.is_leaving(id) or any(o.copier.busy for o in given_up.all_of(id)):
            return None  # After a kill the move that was given up would go on.
        if place.directory == target:
            return Error.NONE
        if task is None:
            return Error.KAFKA_STORAGE_ERROR  # It was given up.
        tasks = (task, given_up.of(id, target))
        made = any(t is not None and t.copier.made and t.move.target == target for t in tasks)
        return Error.NONE if made else None

    def begin(self, place: LocalReplica, target: LogDir) -> None:
        """Move a replica that serves; a move elsewhere is given up for this one (K113-09)."""
        assert place.directory is not None
        assert place.stage is Stage.READY
        task = self.under_way.tasks.get(place.id)
        if task is not None:
            task.again = target
            task.feed(MoveInput.REDIRECTED)
            return
        left = self.under_way.left.take(place.id)
        if left is not None and left.target != target:
            self.under_way.left.drop(left)
        task = self._add(place, target)
        self.tools.out.say("info", "move begins", partition=str(place.name), target=target)
        if self.under_way.given_up.of(place.id, target) is None:
            task.copier.prepare()

    def _add(self, place: LocalReplica, target: LogDir) -> LogDirMoveTask:
        assert place.directory is not None
        move = LogDirMove(place.id, place.name, place.directory, target)
        task = self.under_way.tasks[place.id] = LogDirMoveTask(self.tools, move, self._on_event)
        self.tools.places.arriving[place.id] = move
        return task

    def on_served(self, id: PartitionId) -> None:
        """A replica serves, perhaps again: a move that its failure ended goes on (K113-15)."""
        place = self.tools.places.all.get(id)
        left = self.under_way.left.take(id) if place is not None else None
        if place is None or left is None:
            return
        online = self.tools.directories.is_online(left.target)
        if online and self.may_resume(place, left.target):
            self.begin(place, left.target)
        else:
            self.under_way.left.drop(left)

    def resume(self, place: LocalReplica, target: LogDir, future: LoadedLog) -> None:
        """Go on with a move that was under way before a restart (K113-15)."""
        self.under_way.left.take(place.id)
        task = self._add(place, target)
        self.tools.out.say("info", "move resumes", partition=str(place.name), target=target)
        task.copier.go_on(future)

    def may_resume(self, place: LocalReplica, target: LogDir) -> bool:
        """Whether a future log that turned up in `target` can be gone on with."""
        ready = place.stage is Stage.READY and place.directory != target
        return ready and place.id not in self.under_way.tasks

    def leave(self, place: LocalReplica, path: LogDir, future: LoadedLog) -> None:
        """A future log whose current one cannot be seen stays as it is (K113-17)."""
        move = LogDirMove(place.id, place.name, "", path)
        move.end, move.size, move.state = future.end, future.size, LogDirMoveState.ABANDONED
        self.under_way.left.leave(move)

    # --- what happens -------------------------------------------------------------------------

    def on_settings(self) -> None:
        """Rates and limits may have changed."""
        tools = self.tools
        rates = rates_of(tools.context)
        if tools.throttles.rates != rates:
            tools.throttles.set_rates(*rates, tools.out.now)
            for task in list(self.under_way.tasks.values()):
                task.copier.copy_next()
        self._schedule()

    def on_directory_failed(self, path: LogDir) -> None:
        """Moves from and to a directory end (K113-12)."""
        for task in list(self.under_way.tasks.values()):
            if task.move.source == path:
                task.feed(MoveInput.SOURCE_FAILED)
            elif task.move.target == path:
                task.feed(MoveInput.TARGET_FAILED)
        self.under_way.left.on_directory_failed(path)
        for task in self.under_way.given_up.on_directory_failed(path):
            self._let_go(task)
        self.kept.on_directory_failed(path)

    def on_replica_failed(self, id: PartitionId) -> None:
        """The current log cannot be read any more; the copy is left as it is."""
        task = self.under_way.tasks.get(id)
        if task is not None:
            task.feed(MoveInput.SOURCE_FAILED)

    def on_removed(self, id: PartitionId) -> None:
        """The replica is not this broker's any more: its copy goes too (K113-14)."""
        task = self.under_way.tasks.get(id)
        if task is not None:
            task.feed(MoveInput.GONE)
        left = self.under_way.left.take(id)
        if left is not None:
            self.under_way.left.drop(left)
        for task in self.under_way.given_up.on_removed(id):
            self.under_way.left.drop(task.move)
        self.kept.on_removed(id)

    def on_changed(self, id: PartitionId, happened: MoveInput) -> None:
        """The current log was cut or shortened: the copy follows with the next piece (K113-13)."""
        task = self.under_way.tasks.get(id)
        if task is not None:
            task.feed(happened)
            task.copier.copy_next()

    def on_sent(self, id: PartitionId) -> None:
        """A report of a replica is on its way to the controller."""
        task = self.under_way.tasks.get(id)
        if task is not None and task.move.promised:
            task.in_doubt = True
            task.feed(MoveInput.SENT)

    def on_assignment(self, id: PartitionId) -> None:
        """The committed metadata of a replica has changed."""
        task, state = self.under_way.tasks.get(id), self.tools.context.image.partition(id)
        self.under_way.given_up.clear_doubts(id, task)
        for one in self.under_way.given_up.all_of(id):
            if self.under_way.given_up.is_free(one):
                self._let_go(one)
        if task is None or state is None:
            return
        if state.leader_epoch != task.leader_epoch:
            task.leader_epoch = state.leader_epoch
            task.feed(MoveInput.LEADER_CHANGED)
        told = self.tools.is_told(task.move)
        task.feed(MoveInput.ASSIGNED if told else MoveInput.UNASSIGNED)
        task.copier.copy_next()

    # --- what a move tells ----------------------------------------------------------------------

    def _on_event(self, event: MoveEvent) -> None:
        task = event.task
        if isinstance(event, MoveStepped):
            self._on_step(task, event.happened)
        elif isinstance(event, CopyGivenUp):
            if self.under_way.given_up.add(task):
                self._let_go(task)
        else:
            if self.under_way.given_up.is_free(task):
                self._let_go(task)
            self.on_copy_set_aside(task.move.id)

    def _let_go(self, task: LogDirMoveTask) -> None:
        """Give the copy of a move that was given up to the next one, or set it aside."""
        move = task.move
        other = self.under_way.tasks.get(move.id)
        if other is not None and other is not task and other.move.target == move.target:
            other.copier.prepare()  # The same move again: it finds the future log as it is.
        elif self.tools.directories.is_online(move.target):
            self.kept.set_aside(move)

    def _on_step(self, task: LogDirMoveTask, happened: MoveInput) -> None:
        """A move has changed its state, or ended."""
        move = task.move
        if self.under_way.tasks.get(move.id) is task:
            self._scheduler.note(move)
            if move.ended:
                del self.under_way.tasks[move.id]
                del self.tools.places.arriving[move.id]
                self._on_end(task, happened)
        self.on_copy_set_aside(move.id)
        self._schedule()

    def _on_end(self, task: LogDirMoveTask, happened: MoveInput) -> None:
        tools, move, renamed = self.tools, task.move, task.swap.discarded
        tools.figures.end("done" if move.state is LogDirMoveState.DONE else happened.name.lower())
        if move.state is LogDirMoveState.ABANDONED:
            tools.out.say("info", "move ends", partition=str(move.name), reason=happened.value)
            if happened is MoveInput.SOURCE_FAILED:
                self.under_way.left.leave(move)
        if happened is MoveInput.GONE and renamed is not None:
            tools.purging.later(move.source, renamed)
        tools.post(ReplicaChanged(move.id))
        if happened is MoveInput.DAMAGED and self._report_damage(task):
            failure = LogFailed(move.source, str(move.current_key), task.copier.damage)
            tools.post(LogDamaged(move.id, failure))
            return
        place, target = tools.places.all.get(move.id), task.again
        if place is None or target is None or place.stage is not Stage.READY:
            return
        if place.directory != target and tools.directories.is_online(target):
            self.begin(place, target)

    def _report_damage(self, task: LogDirMoveTask) -> bool:
        """The current log has a damaged batch, so it is not moved. True: others have it whole.

        Where other brokers have the partition in sync, this replica goes offline and the broker
        fetches it again from them (K589-02). Where no other broker has, the replica goes on serving
        what is well.
        """
        move, me = task.move, self.tools.context.node_id
        state = self.tools.context.image.partition(move.id)
        others = [] if state is None else [broker for broker in state.isr if broker != me]
        remedy = (
            f"the broker fetches it again from brokers {others}; then repeat the move"
            if others
            else "no other broker has it in sync: add a replica before you repair this one"
        )
        self.tools.out.say(
            "error",
            "damaged log not moved",
            partition=str(move.name),
            directory=move.source,
            reason=task.copier.damage,
            remedy=remedy,
        )
        return bool(others)

    def _schedule(self) -> None:
        """Give free slots to moves that wait."""
        while (id := self._scheduler.next()) is not None:
            self.under_way.tasks[id].feed(MoveInput.SLOT)
