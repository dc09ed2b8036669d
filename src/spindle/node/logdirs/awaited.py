"""Who asked for a move and waits until its future log stands on disk (K113-01, K113-15).

An order that was answered must outlive a kill, and the future log is all that remembers it: the
answer rests on it. Belongs to `moves`, which knows what stands where.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.model.errors import Error
from spindle.model.ids import LogDir, PartitionId

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
