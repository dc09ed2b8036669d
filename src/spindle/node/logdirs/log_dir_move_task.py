"""One move between log directories, carried out, and all that are under way or were given up.

`LogDirMoveTask` makes jobs of its table's effects, and inputs of the answers: it copies in pieces,
has the target reported to the controller, and swaps (KIP-113, KIP-858; order and safety are those
of `core.logdirs.move`). It knows one replica; `alter_log_dirs_manager` makes and schedules it, and
receives its `MoveEvent`s.

A copy that a move has left may not be touched while a job is at work on it, nor while the metadata
names its directory or may come to: what is named must have the replica. If this process died before
the controller heard where the replica stays, and the source's disk were changed for a blank one
meanwhile, the next start would make an empty log there and lead with it. And a new move would take
the old word for its own, while a contrary one is on its way (found by the exhaustive search,
K858-20). `GivenUp` says when a copy may be touched; `alter_log_dirs_manager` then acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from spindle.core.logdirs.events import ReplicaChanged
from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveEffect, MoveInput
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LOST, DirectoryId, LogDir, PartitionId
from spindle.model.jobs import Discard, Promote, Restore, SyncNames
from spindle.model.log_values import LoadedLog
from spindle.model.statistics import Sample
from spindle.node.logdirs.future_log_copier import Feed, FutureLogCopier, MoveTools
from spindle.node.logdirs.placement_registry import Stage


class LogDirSwap:
    """The end of a move: appends are blocked, the two logs are renamed, appends go on."""

    def __init__(
        self, tools: MoveTools, move: LogDirMove, feed: Feed, give_up: Callable[[str], None]
    ) -> None:
        self._tools = tools
        self._move = move
        self._feed = feed
        self._give_up = give_up
        self.discarded: str | None = None
        """The name that the source was given."""
        self._promoted: LoadedLog | None = None
        self._frozen_at = 0.0

    def freeze(self) -> None:
        """Block appends, once no write is under way."""
        self._frozen_at = self._tools.out.now

        def frozen() -> None:
            if self._move.state is LogDirMoveState.FREEZING:
                self._feed(MoveInput.FROZEN)

        if self._tools.serves(self._move):
            self._tools.replicas.freeze(self._move.id, frozen)

    def thaw(self) -> None:
        """Appends go on, in the source."""
        self._tools.figures.blocked.add(self._tools.out.now - self._frozen_at)
        self._tools.replicas.thaw(self._move.id, self._move.source, None)

    def finish(self) -> None:
        """Serve from the target; the renamed source goes after a while (K113-04)."""
        tools, move, log = self._tools, self._move, self._promoted
        assert log is not None, "the future log has its plain name"
        tools.figures.blocked.add(tools.out.now - self._frozen_at)
        place = tools.places.all[move.id]
        place.directory, place.stage, place.why = move.target, Stage.READY, ""
        tools.out.say("info", "move is done", partition=str(move.name), directory=move.target)
        if tools.serves(move):
            tools.replicas.thaw(move.id, move.target, log)
        else:
            # The source has failed during the swap; what was committed in it is committed here.
            before = tools.replicas.partitions.find(move.id)
            if before is not None:
                log = replace(log, stable=max(log.stable, before.partition.log.high_watermark))
            tools.replicas.on_log_ready(move.id, move.name, move.target, log)
        if self.discarded is not None:
            tools.out.run(SyncNames(move.target), self._on_names_synced)
            tools.purging.later(move.source, self.discarded)

    def _on_names_synced(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._tools.directories.on_disk_failed(result)

    def strand(self) -> None:
        """The renamed source is all there is: it is kept for the operator."""
        place = self._tools.places.all[self._move.id]
        why = f"{self._move.target} failed while its log was moved there"
        self._tools.places.fail(place, why)
        if self.discarded is not None:
            self._on_source_renamed(self.discarded)

    def _on_source_renamed(self, name: str) -> None:
        """The source has its `-delete` name, but the move has ended."""
        move = self._move
        if move.id not in self._tools.places.all:
            self._tools.purging.later(move.source, name)
            return
        self._tools.out.say(
            "error",
            "the only copy of a replica has been renamed: stop this broker, restore the name",
            directory=move.source,
            name=name,
            partition=str(move.name),
        )

    def discard(self) -> None:
        """Give the source its `-delete` name."""
        move = self._move
        job = Discard(move.source, move.current_key, "delete", self._tools.out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, str):
                self.discarded = result
                if move.ended:
                    self._on_source_renamed(result)
                else:
                    self._feed(MoveInput.DISCARDED)
                return
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            if move.state is LogDirMoveState.RESTORING:
                self._feed(MoveInput.RESTORED)  # It never lost its name.
            elif move.state is LogDirMoveState.DISCARDING:
                self._give_up(str(result))

        self._tools.out.run(job, discarded)

    def promote(self) -> None:
        """Give the future log the plain name.

        The source has lost its own for good: after a power cut the future log alone is found, and
        becomes the current one (K113-16). So appends go on before the name is on the medium.
        """
        move = self._move

        def promoted(result: LoadedLog | Failure) -> None:
            if move.ended:
                return
            if isinstance(result, LoadedLog):
                self._promoted = result
                self._feed(MoveInput.PROMOTED)
                return
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            # A failed target has made it restore the source already.
            if move.state is LogDirMoveState.PROMOTING:
                self._give_up(str(result))

        job = Promote(move.target, move.future_key, synced=self.discarded is None)
        self._tools.out.run(job, promoted)

    def restore(self) -> None:
        """Give the source its plain name back."""
        move = self._move
        if self.discarded is None:
            self._feed(MoveInput.SOURCE_FAILED)  # It died first: there is no name to give back.
            return

        def restored(result: LoadedLog | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            if move.ended:
                return
            if isinstance(result, Failure):
                self._give_up(str(result))
            else:
                self.discarded = None
                self._feed(MoveInput.RESTORED)

        self._tools.out.run(Restore(move.source, move.current_key, self.discarded), restored)


class LogDirMoveTask:
    """A move under way."""

    def __init__(
        self, tools: MoveTools, move: LogDirMove, told: Callable[[MoveEvent], None]
    ) -> None:
        self._tools = tools
        self._told = told
        self.move = move
        self.again: LogDir | None = None
        """Where to go next, when this is over."""
        self.leader_epoch = -1
        self.in_doubt = False
        """The broker has reported the target, and no image shows yet what came of the report."""
        self.copier = FutureLogCopier(tools, move, self.feed, self._on_idle)
        self.swap = LogDirSwap(tools, move, self.feed, self.copier.give_up)

    def feed(self, happened: MoveInput) -> None:
        """Something has happened to this move."""
        for effect in self.move.feed(happened):
            self._effects[effect](self)
        if self.move.ended:
            self.copier.stop()
        self._told(MoveStepped(self, happened))

    def _on_idle(self) -> None:
        self._told(MoveIdle(self))

    def _assign(self) -> None:
        if self._tools.is_told(self.move):
            self.feed(MoveInput.ASSIGNED)
        else:
            self._correct()

    def _correct(self) -> None:
        self._tools.post(ReplicaChanged(self.move.id))

    def _freeze(self) -> None:
        self.copier.on_swap()
        self.swap.freeze()

    def _drop_future(self) -> None:
        self._tools.purging.discard(self.move.target, self.move.future_key)

    def _drop_current(self, path: LogDir) -> None:
        self._tools.purging.discard(path, self.move.current_key)

    def _nothing(self) -> None:
        """`again` and `damage` stay; `alter_log_dirs_manager` looks at them when the move ends."""

    _effects: Final[dict[MoveEffect, Callable[[LogDirMoveTask], None]]] = {
        MoveEffect.COPY: lambda task: task.copier.copy_next(),
        MoveEffect.ASSIGN: _assign,
        MoveEffect.SETTLE: lambda task: task.copier.copy_next(),
        MoveEffect.FREEZE: _freeze,
        MoveEffect.THAW: lambda task: task.swap.thaw(),
        MoveEffect.DISCARD: lambda task: task.swap.discard(),
        MoveEffect.PROMOTE: lambda task: task.swap.promote(),
        MoveEffect.FINISH: lambda task: task.swap.finish(),
        MoveEffect.DROP_FUTURE: _drop_future,
        MoveEffect.KEEP_FUTURE: lambda task: task._told(CopyGivenUp(task)),
        MoveEffect.DROP_TARGET: lambda task: task._drop_current(task.move.target),
        MoveEffect.CORRECT: _correct,
        MoveEffect.DROP_SOURCE: lambda task: task._drop_current(task.move.source),
        MoveEffect.RESTORE: lambda task: task.swap.restore(),
        MoveEffect.STRAND: lambda task: task.swap.strand(),
        MoveEffect.AGAIN: _nothing,
        MoveEffect.REPORT: _nothing,
    }


class MoveStepped(NamedTuple):
    """A move has changed its state, or ended."""

    task: LogDirMoveTask
    happened: MoveInput


class MoveIdle(NamedTuple):
    """A move had ended, and its last job on the future log has come back now."""

    task: LogDirMoveTask


class CopyGivenUp(NamedTuple):
    """A move ends, and its future log is to be set aside as soon as it may be touched."""

    task: LogDirMoveTask


MoveEvent: TypeAlias = MoveStepped | MoveIdle | CopyGivenUp


class GivenUp:
    """Moves that were given up, of all replicas."""

    def __init__(self, tools: MoveTools) -> None:
        self._tools = tools
        self._tasks: dict[PartitionId, dict[LogDir, LogDirMoveTask]] = {}
        """The oldest first; one for each target."""

    def __iter__(self) -> chain[LogDirMoveTask]:
        return chain.from_iterable(tasks.values() for tasks in self._tasks.values())

    def of(self, id: PartitionId, target: LogDir) -> LogDirMoveTask | None:
        """The move whose copy lies in a directory."""
        return self._tasks.get(id, {}).get(target)

    def all_of(self, id: PartitionId) -> list[LogDirMoveTask]:
        """Those of one replica, the oldest first."""
        return list(self._tasks.get(id, {}).values())

    def add(self, task: LogDirMoveTask) -> bool:
        """A move was given up. The copy that another one has in the same place stays that one's.

        Whether its copy may be touched from now on, as in `is_free`.
        """
        tasks = self._tasks.setdefault(task.move.id, {})
        if not task.copier.busy and task.move.target in tasks:
            return False
        tasks[task.move.target] = task
        return self.is_free(task)

    def is_free(self, task: LogDirMoveTask) -> bool:
        """Something has changed for a move: whether its copy may be touched now. True once."""
        move = task.move
        rests_on_it = task.copier.busy or task.in_doubt or self._tools.is_named(move)
        if rests_on_it or self.of(move.id, move.target) is not task:
            return False
        del self._tasks[move.id][move.target]
        if not self._tasks[move.id]:
            del self._tasks[move.id]
        return True

    def doubted(self, id: PartitionId) -> LogDir | None:
        """The target that the controller may yet name: it was reported, and no image shows more.

        The broker does not know whether the report arrived. So it reports the target again. Once
        the metadata names the target, the report has arrived, and only then is a contrary report
        final.
        """
        doubts = [target for target, task in self._tasks.get(id, {}).items() if task.in_doubt]
        return doubts[-1] if doubts else None

    def clear_doubts(self, id: PartitionId, last: LogDirMoveTask | None) -> None:
        """The metadata shows what came of a report: it and earlier ones are no longer in doubt.

        `last`: the move that is under way now.
        """
        tasks = self.all_of(id) if last is None else [*self.all_of(id), last]
        is_lost = self._tools.context.assigned(id) == LOST
        seen = [at for at, t in enumerate(tasks) if is_lost or self._tools.is_told(t.move)]
        for task in tasks[: seen[-1] + 1] if seen else ():
            task.in_doubt = False

    def on_directory_failed(self, path: LogDir) -> Iterator[LogDirMoveTask]:
        """Nothing rests on what cannot be read. Those whose copies are let go."""
        for task in list(self):
            if task.move.target == path:
                task.in_doubt = False
                if self.is_free(task):
                    yield task

    def on_removed(self, id: PartitionId) -> list[LogDirMoveTask]:
        """The moves given up of a replica that has left this broker: no image will name it here."""
        return list(self._tasks.pop(id, {}).values())


class LeftCopies:
    """Future logs of moves whose source has failed: they stay on disk (K113-17)."""

    def __init__(self, tools: MoveTools) -> None:
        self._tools = tools
        self._moves: dict[PartitionId, LogDirMove] = {}

    def __iter__(self) -> Iterator[LogDirMove]:
        return iter(self._moves.values())

    def leave(self, move: LogDirMove) -> None:
        """A move's copy stays as it is."""
        self._moves[move.id] = move

    def take(self, id: PartitionId) -> LogDirMove | None:
        """What is left of a replica, for the move that goes on with it now."""
        return self._moves.pop(id, None)

    def drop(self, move: LogDirMove) -> None:
        """Delete a copy."""
        if self._tools.directories.is_online(move.target):
            self._tools.purging.discard(move.target, move.future_key)

    def on_directory_failed(self, path: LogDir) -> None:
        """No move can go on with what lies there; the directory shows it again when it is back."""
        for id in [id for id, move in self._moves.items() if move.target == path]:
            del self._moves[id]


class MovesUnderWay:
    """The moves of all replicas: those that are carried out, and what ended ones have left."""

    def __init__(self, tools: MoveTools) -> None:
        self._tools = tools
        self.tasks: dict[PartitionId, LogDirMoveTask] = {}
        self.given_up = GivenUp(tools)
        self.left = LeftCopies(tools)

    def of(self, id: PartitionId) -> LogDirMove | None:
        """The move of a replica that is under way."""
        return self.tasks[id].move if id in self.tasks else None

    def all(self) -> Iterator[LogDirMove]:
        """All moves that are under way or have left a future log behind."""
        yield from (task.move for task in self.tasks.values())
        yield from self.left

    def promised(self, id: PartitionId) -> DirectoryId | None:
        """The directory that a move wants the metadata to name; no report contradicts it (B-05)."""
        move = self.of(id)
        return self._tools.directories.id_of(move.target) if move and move.promised else None

    def doubted(self, id: PartitionId) -> DirectoryId | None:
        """The target of a move that was given up, as long as the controller may yet name it."""
        target = self.given_up.doubted(id)
        return self._tools.directories.id_of(target) if target is not None else None

    def copying(self) -> list[LogDirMoveTask]:
        """Those that have a job on a future log under way."""
        return [task for task in (*self.tasks.values(), *self.given_up) if task.copier.busy]

    @property
    def copying_to(self) -> set[LogDir]:
        """The directories into which something is being copied: not to be closed as clean."""
        return {task.move.target for task in self.copying()}

    def statistics(self) -> Iterator[Sample]:
        """Figures of all moves."""
        moves = [task.move for task in self.tasks.values()]
        yield from self._tools.figures.statistics(self._tools.out.now, moves, self._tools.left)
