"""Moves that were given up, and their copies: left in place until nothing rests on them any more.

A copy may not be touched while a job is at work on it, nor while the metadata names its directory
or may come to: what is named must have the replica. If this process died before the controller
heard where the replica stays, and the source's disk were changed for a blank one meanwhile, the
next start would make an empty log there and lead with it. And a new move would take the old word
for its own, while a contrary one is on its way (found by the exhaustive search, K858-20).

Belongs to `moves`, which decides what becomes of a copy that is let go.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from spindle.model.ids import LogDir, PartitionId
from spindle.node.logdirs.log_dir_move_task import LogDirMoveTask


class GivenUp:
    """Those of all replicas. `is_named`: whether the metadata names a move's target.

    `let_go`: this copy may be touched from now on; it is told once.
    """

    def __init__(
        self, is_named: Callable[[LogDirMoveTask], bool], let_go: Callable[[LogDirMoveTask], None]
    ) -> None:
        self._is_named = is_named
        self._let_go = let_go
        self._runs: dict[PartitionId, dict[LogDir, LogDirMoveTask]] = {}
        """The oldest first; one for each target."""

    def __iter__(self) -> chain[LogDirMoveTask]:
        return chain.from_iterable(runs.values() for runs in self._runs.values())

    def of(self, id: PartitionId, target: LogDir) -> LogDirMoveTask | None:
        """Whose copy lies in a directory."""
        return self._runs.get(id, {}).get(target)

    def all_of(self, id: PartitionId) -> list[LogDirMoveTask]:
        """Those of one replica, the oldest first."""
        return list(self._runs.get(id, {}).values())

    def add(self, run: LogDirMoveTask) -> None:
        """A move was given up. The copy that another one has in the same place stays that one's."""
        runs = self._runs.setdefault(run.move.id, {})
        if run.busy or run.move.target not in runs:
            runs[run.move.target] = run
            self.look(run)

    def look(self, run: LogDirMoveTask) -> None:
        """Something has changed for a move: perhaps its copy can be let go now."""
        move = run.move
        rests_on_it = run.busy or run.in_doubt or self._is_named(run)
        if rests_on_it or self.of(move.id, move.target) is not run:
            return
        del self._runs[move.id][move.target]
        if not self._runs[move.id]:
            del self._runs[move.id]
        self._let_go(run)

    def doubted(self, id: PartitionId) -> LogDir | None:
        """The target that the controller may yet come to name: told of it, it has not been heard.

        Whether it heard of the target is not known then; told again it has, once the metadata
        shows so, and only then can it be told otherwise for good.
        """
        doubts = [target for target, run in self._runs.get(id, {}).items() if run.in_doubt]
        return doubts[-1] if doubts else None

    def on_directory_failed(self, path: LogDir) -> None:
        """Nothing rests on what cannot be read."""
        for run in list(self):
            if run.move.target == path:
                run.in_doubt = False
                self.look(run)

    def on_removed(self, id: PartitionId) -> list[LogDirMoveTask]:
        """The replica is not ours any more: nobody will name it here. Those that were given up."""
        return list(self._runs.pop(id, {}).values())
