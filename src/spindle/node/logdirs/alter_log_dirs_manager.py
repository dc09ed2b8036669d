"""All moves of a broker between its log directories: who may copy now, and how fast (K113-05, -07).

Each is a `LogDirMoveTask`. `altering` begins moves, `reconciler` goes on with those of before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveInput
from spindle.core.logdirs.slots import Slots
from spindle.core.logdirs.throttle import Throttles
from spindle.model.errors import DiskFailed, Error, LogFailed
from spindle.model.ids import LOST, DirectoryId, LogDir, PartitionId
from spindle.model.jobs import LogSettings
from spindle.model.log_values import LoadedLog
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.awaited import Answer, Awaited
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.given_up import GivenUp
from spindle.node.logdirs.kept_copies import KeptCopies
from spindle.node.logdirs.log_dir_move_task import LogDirMoveTask
from spindle.node.logdirs.move_figures import MoveFigures
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.purging import Purging
from spindle.node.replicas.replica_manager import ReplicaManager

CLOSE_LIMIT: Final = 5.0
"""Seconds that a stop waits for what is being copied."""
CLOSE_CHECK: Final = 0.02


class AlterLogDirsManager:
    """All moves of a broker."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        places: ReplicaPlacementRegistry,
        replicas: ReplicaManager,
        placed: Callable[[PartitionId], None],
        on_log_failed: Callable[[PartitionId, LogFailed], None],
    ) -> None:
        """`placed`: what the metadata should say of a replica may be something else now."""
        self._context = context
        self._directories = directories
        self._purging = purging
        self._places = places
        self.replicas = replicas
        self._placed = placed
        self._on_log_failed = on_log_failed
        self.out = context.out
        self.throttles = Throttles(*self._rates, self.out.now)
        self.figures = MoveFigures()
        self.kept = KeptCopies(context, directories, purging, self._tell)
        self._awaited = Awaited()
        self._closes_at = 0.0
        self._runs: dict[PartitionId, LogDirMoveTask] = {}
        self._left: dict[PartitionId, LogDirMove] = {}
        """Given up because their source failed; their future logs stay on disk (K113-17)."""
        self._given_up = GivenUp(self._is_named, self._let_go)
        self._slots = Slots()

    def close(self, then: Callable[[], None]) -> None:
        """Begin no copy any more; `then` once none is under way, or a while later.

        What is copied into a directory that was closed cleanly would be taken for a part of its
        logs, and what was cut off them then would be missing in the middle.
        """
        if not self.closing:
            self._directories.closing = True
            self._closes_at = self.out.now + CLOSE_LIMIT
        serving = self._directories.is_online
        waits = any(serving(r.move.source) and serving(r.move.target) for r in self._copying())
        if waits and self.out.now < self._closes_at:
            self.out.after(CLOSE_CHECK, lambda: self.close(then))
        else:
            then()

    def _copying(self) -> list[LogDirMoveTask]:
        return [run for run in (*self._runs.values(), *self._given_up) if run.busy]

    @property
    def copying_to(self) -> set[LogDir]:
        """The directories into which something is being copied: not to be closed as clean."""
        return {run.move.target for run in self._copying()}

    @property
    def closing(self) -> bool:
        """Whether no copy is begun any more."""
        return self._directories.closing

    def of(self, id: PartitionId) -> LogDirMove | None:
        """The move of a replica that is under way."""
        return self._runs[id].move if id in self._runs else None

    def promised(self, id: PartitionId) -> DirectoryId | None:
        """The directory that a move wants the metadata to name, and nobody may gainsay (B-05)."""
        move = self.of(id)
        return self._directories.id_of(move.target) if move and move.promised else None

    def doubted(self, id: PartitionId) -> DirectoryId | None:
        """The target of a move that was given up, as long as the controller may yet name it."""
        target = self._given_up.doubted(id)
        return self._directories.id_of(target) if target is not None else None

    def all(self) -> Iterator[LogDirMove]:
        """All moves that are under way or have left a future log behind."""
        yield from (run.move for run in self._runs.values())
        yield from self._left.values()

    def expected(self) -> Iterator[tuple[LogDir, int]]:
        """(target, bytes that it will have) of each move, for placement."""
        for run in self._runs.values():
            hosted = self.replicas.find(run.move.id)
            yield run.move.target, max(run.move.size, 0 if hosted is None else hosted.size)

    def left(self, move: LogDirMove) -> int:
        """Bytes that a move has still to copy."""
        hosted = self.replicas.find(move.id)
        return 0 if hosted is None else max(0, hosted.size - move.size)

    def statistics(self) -> Iterator[Sample]:
        """Figures of all moves."""
        moves = [run.move for run in self._runs.values()]
        yield from self.figures.statistics(self.out.now, moves, self.left)

    @property
    def _rates(self) -> tuple[int, int]:
        settings = self._context.settings
        broker = settings.whole("replica.alter.log.dirs.io.max.bytes.per.second")
        return int(broker), settings.whole("log.dir.move.max.bytes.per.second")

    @property
    def share(self) -> float:
        """The share of its time that a move may copy while clients are served (B-10)."""
        return self._context.settings.number("log.dir.move.busy.share")

    @property
    def _at_once(self) -> int:
        threads = self._context.settings.find_whole("num.replica.alter.log.dirs.threads")
        return int(threads) if threads is not None else len(self._directories.all)

    # --- what is asked for ------------------------------------------------------------------

    def order(self, place: LocalReplica, target: LogDir, then: Answer) -> None:
        """Have a replica that serves move to `target`, or stay there; `then` once that is sure.

        Sure is what a kill does not undo: the future log stands on disk (K113-01, K113-15).
        """
        move = self.of(place.id)
        self._awaited.superseded(place.id, by=target)
        if place.directory == target:
            self._cancel(place.id)
        elif move is None or move.target != target:
            self.begin(place, target)
        self._awaited.add(place.id, target, then)
        self._tell(place.id)

    def _tell(self, id: PartitionId) -> None:
        self._awaited.tell(id, partial(self._verdict, id))

    def _verdict(self, id: PartitionId, target: LogDir) -> Error | None:
        """What to answer to who wants a replica in `target`; None: nothing as yet."""
        place, run = self._places.all.get(id), self._runs.get(id)
        if place is None or not self._directories.is_online(target):
            return Error.KAFKA_STORAGE_ERROR
        if self.kept.is_leaving(id) or any(other.busy for other in self._given_up.all_of(id)):
            return None  # After a kill the move that was given up would go on.
        if place.directory == target:
            return Error.NONE
        if run is None:
            return Error.KAFKA_STORAGE_ERROR  # It was given up.
        runs = (run, self._given_up.of(id, target))
        made = any(r is not None and r.made and r.move.target == target for r in runs)
        return Error.NONE if made else None

    def begin(self, place: LocalReplica, target: LogDir) -> None:
        """Move a replica that serves; a move elsewhere is given up for this one (K113-09)."""
        assert place.directory is not None
        assert place.stage is Stage.READY
        run = self._runs.get(place.id)
        if run is not None:
            run.again = target
            run.feed(MoveInput.REDIRECTED)
            return
        left = self._left.pop(place.id, None)
        if left is not None and left.target != target:
            self._drop(left)
        run = self._add(place, target)
        self.out.say("info", "move begins", partition=str(place.name), target=target)
        if self._given_up.of(place.id, target) is None:
            run.prepare()

    def on_served(self, place: LocalReplica) -> None:
        """A replica serves, perhaps again: a move that its failure ended goes on (K113-15)."""
        left = self._left.get(place.id)
        if left is None:
            return
        if self._directories.is_online(left.target) and self.may_resume(place, left.target):
            self.begin(place, left.target)
        else:
            self._drop(self._left.pop(place.id))

    def _drop(self, left: LogDirMove) -> None:
        if self._directories.is_online(left.target):
            self._purging.discard(left.target, left.future_key)

    def resume(self, place: LocalReplica, target: LogDir, future: LoadedLog) -> None:
        """Go on with a move that was under way before a restart (K113-15)."""
        self._left.pop(place.id, None)
        run = self._add(place, target)
        self.out.say("info", "move resumes", partition=str(place.name), target=target)
        run.go_on(future)

    def may_resume(self, place: LocalReplica, target: LogDir) -> bool:
        """Whether a future log that turned up in `target` can be gone on with."""
        ready = place.stage is Stage.READY and place.directory != target
        return ready and place.id not in self._runs

    def leave(self, place: LocalReplica, path: LogDir, future: LoadedLog) -> None:
        """A future log whose current one cannot be seen stays as it is (K113-17)."""
        move = LogDirMove(place.id, place.name, "", path)
        move.end, move.size, move.state = future.end, future.size, LogDirMoveState.ABANDONED
        self._left[place.id] = move

    def _add(self, place: LocalReplica, target: LogDir) -> LogDirMoveTask:
        assert place.directory is not None
        run = LogDirMoveTask(self, LogDirMove(place.id, place.name, place.directory, target))
        self._runs[place.id] = run
        return run

    def _cancel(self, id: PartitionId) -> None:
        """Stay where it is; what was copied goes, after a while (K113-08, B-11)."""
        run = self._runs.get(id)
        if run is not None:
            run.again = run.move.source
            run.feed(MoveInput.CANCELLED)

    def on_settings(self) -> None:
        """Rates and limits may have changed."""
        if self.throttles.rates != self._rates:
            self.throttles.set_rates(*self._rates, self.out.now)
            for run in list(self._runs.values()):
                run.pump()
        self._schedule()

    # --- what happens -------------------------------------------------------------------------

    def on_directory_failed(self, path: LogDir) -> None:
        """Moves from and to a directory end (K113-12)."""
        for run in list(self._runs.values()):
            if run.move.source == path:
                run.feed(MoveInput.SOURCE_FAILED)
            elif run.move.target == path:
                run.feed(MoveInput.TARGET_FAILED)
        for id in [id for id, move in self._left.items() if move.target == path]:
            del self._left[id]
        self._given_up.on_directory_failed(path)
        self.kept.on_directory_failed(path)

    def on_replica_failed(self, id: PartitionId) -> None:
        """The current log cannot be read any more; the copy is left as it is."""
        run = self._runs.get(id)
        if run is not None:
            run.feed(MoveInput.SOURCE_FAILED)

    def on_removed(self, id: PartitionId) -> None:
        """The replica is not ours any more: its copy goes too (K113-14)."""
        run = self._runs.get(id)
        if run is not None:
            run.feed(MoveInput.GONE)
        left = self._left.pop(id, None)
        if left is not None:
            self._drop(left)
        for run in self._given_up.on_removed(id):
            self._drop(run.move)
        self.kept.on_removed(id)

    def on_changed(self, id: PartitionId, happened: MoveInput) -> None:
        """The current log was cut or shortened: the copy follows with the next piece (K113-13)."""
        run = self._runs.get(id)
        if run is not None:
            run.feed(happened)
            run.pump()

    def on_sent(self, id: PartitionId) -> None:
        """The controller is being told something of a replica."""
        run = self._runs.get(id)
        if run is not None and run.move.promised:
            run.in_doubt = True
            run.feed(MoveInput.SENT)

    def on_assignment(self, id: PartitionId) -> None:
        """The committed metadata of a replica has changed."""
        run, state = self._runs.get(id), self._context.image.partition(id)
        given_up = self._given_up.all_of(id)
        self._clear_doubts(id, given_up if run is None else [*given_up, run])
        for one in given_up:
            self._given_up.look(one)
        if run is None or state is None:
            return
        if state.leader_epoch != run.leader_epoch:
            run.leader_epoch = state.leader_epoch
            run.feed(MoveInput.LEADER_CHANGED)
        run.feed(MoveInput.ASSIGNED if self.is_told(run) else MoveInput.UNASSIGNED)
        run.pump()

    def _clear_doubts(self, id: PartitionId, runs: list[LogDirMoveTask]) -> None:
        """What the metadata names was said after what it was told before: that has passed."""
        is_lost = self._context.assigned(id) == LOST
        seen = [at for at, run in enumerate(runs) if is_lost or self.is_told(run)]
        for run in runs[: seen[-1] + 1] if seen else ():
            run.in_doubt = False

    # --- for the runs -------------------------------------------------------------------------

    def is_told(self, run: LogDirMoveTask) -> bool:
        """Whether the committed metadata names the target, or knows no directories (K858-19)."""
        target = self._directories.id_of(run.move.target)
        return (
            not self._context.speaks_of_directories or self._context.assigned(run.move.id) == target
        )

    def settings_of(self, topic: str) -> LogSettings:
        """What the topic's logs obey."""
        return self._places.settings_of(topic)

    def correct(self, id: PartitionId) -> None:
        """Have the metadata say what it should of this replica."""
        self._placed(id)

    def drop_future(self, run: LogDirMoveTask) -> None:
        """Have the future log of a move that has ended deleted."""
        self._purging.discard(run.move.target, run.move.future_key)

    def drop_current(self, run: LogDirMoveTask, path: LogDir) -> None:
        """Have the plain log in a directory deleted."""
        self._purging.discard(path, run.move.current_key)

    def keep_future(self, run: LogDirMoveTask) -> None:
        """Set the future log aside for a while, as soon as it may be touched."""
        self._given_up.add(run)

    def on_idle(self, run: LogDirMoveTask) -> None:
        """A move had ended, and its last job on the future log has come back now."""
        self._given_up.look(run)
        self._tell(run.move.id)

    def _is_named(self, run: LogDirMoveTask) -> bool:
        return self._context.speaks_of_directories and self.is_told(run)

    def _let_go(self, run: LogDirMoveTask) -> None:
        """Give the copy of a move that was given up to the next one, or set it aside."""
        move = run.move
        other = self._runs.get(move.id)
        if other is not None and other is not run and other.move.target == move.target:
            other.prepare()  # The same move again: it finds the future log as it is.
        elif self._directories.is_online(move.target):
            self.kept.set_aside(move)

    def take_kept(self, run: LogDirMoveTask) -> str | None:
        """What an earlier move to the same directory had copied."""
        return self.kept.take(run.move.target, run.move.id)

    def drop_kept(self, run: LogDirMoveTask, name: str) -> None:
        """It cannot be used after all."""
        self._purging.now(run.move.target, name)

    def on_copied(self, run: LogDirMoveTask, size: int) -> None:
        """So many bytes more are copied."""
        self.figures.copied(self.out.now, run.move, size)

    def on_blocked(self, seconds: float) -> None:
        """A swap is over; appends were blocked for so long."""
        self.figures.blocked.add(seconds)

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job of a move was answered so."""
        self._directories.on_disk_failed(failure)

    def on_promoted(self, run: LogDirMoveTask, log: LoadedLog) -> None:
        """Serve from the target; the renamed source goes after a while (K113-04)."""
        move = run.move
        place = self._places.all[move.id]
        place.directory, place.stage, place.why = move.target, Stage.READY, ""
        self.out.say("info", "move is done", partition=str(move.name), directory=move.target)
        if self.replicas.bounds(move.id) is not None:
            self.replicas.thaw(move.id, move.target, log)
        else:
            # The source has failed during the swap; what was committed in it is committed here.
            before = self.replicas.find(move.id)
            if before is not None:
                log = replace(log, stable=max(log.stable, before.partition.high_watermark))
            self.replicas.on_log_ready(move.id, move.name, move.target, log)
        if run.discarded is not None:
            self._purging.later(move.source, run.discarded)

    def on_stranded(self, run: LogDirMoveTask) -> None:
        """The renamed source is all there is: it is kept for the operator."""
        place = self._places.all[run.move.id]
        self._places.fail(place, f"{run.move.target} failed while its log was moved there")
        if run.discarded is not None:
            self.on_source_renamed(run, run.discarded)

    def on_source_renamed(self, run: LogDirMoveTask, name: str) -> None:
        """The source has its `-delete` name, but the move has ended."""
        move = run.move
        if move.id not in self._places.all:
            self._purging.later(move.source, name)
            return
        self.out.say(
            "error",
            "the only copy of a replica has been renamed: stop this broker, restore the name",
            directory=move.source,
            name=name,
            partition=str(move.name),
        )

    def on_step(self, run: LogDirMoveTask, happened: MoveInput) -> None:
        """A move has changed its state, or ended."""
        move = run.move
        self._queue(run)
        if move.ended and self._runs.get(move.id) is run:
            del self._runs[move.id]
            self.figures.end(
                "done" if move.state is LogDirMoveState.DONE else happened.name.lower()
            )
            if move.state is LogDirMoveState.ABANDONED:
                self.out.say("info", "move ends", partition=str(move.name), reason=happened.value)
                if happened is MoveInput.SOURCE_FAILED:
                    self._left[move.id] = move
            if happened is MoveInput.GONE and run.discarded is not None:
                self._purging.later(move.source, run.discarded)
            self.correct(move.id)
            if happened is MoveInput.DAMAGED:
                self._on_damaged(run)
            self._go_again(run)
        self._tell(move.id)
        self._schedule()

    def _on_damaged(self, run: LogDirMoveTask) -> None:
        """The current log has a damaged batch: nothing is moved of it.

        Where others have the partition in sync, this replica is offline and fetched anew from them
        (K589-02). Where nobody has, it goes on serving what is well.
        """
        move, me = run.move, self._context.node_id
        state = self._context.image.partition(move.id)
        others = [] if state is None else [broker for broker in state.isr if broker != me]
        remedy = (
            f"the broker fetches it again from brokers {others}; then repeat the move"
            if others
            else "no other broker has it in sync: add a replica before you repair this one"
        )
        self.out.say(
            "error",
            "damaged log not moved",
            partition=str(move.name),
            directory=move.source,
            reason=run.damage,
            remedy=remedy,
        )
        if others:
            failure = LogFailed(move.source, str(move.current_key), run.damage)
            self._on_log_failed(move.id, failure)

    def _go_again(self, run: LogDirMoveTask) -> None:
        place, target = self._places.all.get(run.move.id), run.again
        if place is None or target is None or place.stage is not Stage.READY:
            return
        if place.directory != target and self._directories.is_online(target):
            self.begin(place, target)

    # --- slots ------------------------------------------------------------------------------

    def _queue(self, run: LogDirMoveTask) -> None:
        """Keep in mind who waits for a slot, and who has one."""
        move, id = run.move, run.move.id
        if self._runs.get(id) is not run:
            return
        if move.state is LogDirMoveState.WANTED:
            self._slots.wait(id, (move.source, move.target))
        elif move.state is not LogDirMoveState.COPYING:
            self._slots.leave(id)

    def _schedule(self) -> None:
        """Give free slots to moves that wait, those between the least busy disks first (B-10)."""
        while not self.closing:
            per_disk = self._context.settings.whole("log.dir.move.copies.max")
            id = self._slots.next(self._at_once, per_disk)
            if id is None:
                return
            self._runs[id].feed(MoveInput.SLOT)
