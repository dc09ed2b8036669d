"""The moves under way, and what those that were given up leave behind.

A copy may not be touched while a job is at work on it, nor while the metadata names its directory
or may come to: what is named must have the replica. If this process died before the controller
heard where the replica stays, and the source's disk were changed for a blank one meanwhile, the
next start would make an empty log there and lead with it. And a new move would take the old word
for its own, while a contrary one is on its way (found by the exhaustive search, K858-20).

Whoever asks is told whether a copy may be touched; `alter_log_dirs_manager` then acts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from spindle.core.logdirs.move import LogDirMove
from spindle.model.ids import LOST, DirectoryId, LogDir, PartitionId
from spindle.model.statistics import Sample
from spindle.node.logdirs.log_dir_move_task import LogDirMoveTask
from spindle.node.logdirs.move_tools import MoveTools


class GivenUp:
    """Moves that were given up, of all replicas."""

    def __init__(self, tools: MoveTools) -> None:
        self._tools = tools
        self._tasks: dict[PartitionId, dict[LogDir, LogDirMoveTask]] = {}
        """The oldest first; one for each target."""

    def __iter__(self) -> chain[LogDirMoveTask]:
        return chain.from_iterable(tasks.values() for tasks in self._tasks.values())

    def of(self, id: PartitionId, target: LogDir) -> LogDirMoveTask | None:
        """Whose copy lies in a directory."""
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
        """The target that the controller may yet come to name: told of it, it has not been heard.

        Whether it heard of the target is not known then; told again it has, once the metadata
        shows so, and only then can it be told otherwise for good.
        """
        doubts = [target for target, task in self._tasks.get(id, {}).items() if task.in_doubt]
        return doubts[-1] if doubts else None

    def clear_doubts(self, id: PartitionId, last: LogDirMoveTask | None) -> None:
        """What the metadata names was said after what it was told before: that has passed.

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
        """The replica is not ours any more: nobody will name it here. Those that were given up."""
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
        """What is left of a replica, for whoever goes on with it now."""
        return self._moves.pop(id, None)

    def drop(self, move: LogDirMove) -> None:
        """Delete a copy."""
        if self._tools.directories.is_online(move.target):
            self._tools.purging.discard(move.target, move.future_key)

    def on_directory_failed(self, path: LogDir) -> None:
        """What lies there cannot be gone on with; when it is back, it tells."""
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
        """The directory that a move wants the metadata to name, and nobody may gainsay (B-05)."""
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
