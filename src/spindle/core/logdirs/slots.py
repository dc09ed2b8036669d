"""Which of the moves that wait may copy next: queues for each pair of disks (K113-05, B-10).

Moves between different disks run side by side; a disk is not asked for more copies at once than it
may have, however many wait for it. Pairs take turns, moves of one pair keep their order. Pure; the
node's moves tell it what begins and ends.
"""

from __future__ import annotations

from spindle.model.ids import LogDir, PartitionId

Pair = tuple[LogDir, LogDir]


class Slots:
    """Moves that wait and moves that copy, by the disks that they touch."""

    def __init__(self) -> None:
        self._waiting: dict[Pair, dict[PartitionId, None]] = {}
        """Pairs in the order in which it is their turn."""
        self._copying: dict[PartitionId, Pair] = {}

    @property
    def copying(self) -> int:
        """How many copy now."""
        return len(self._copying)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    def load(self, path: LogDir) -> int:
        """How many copies read from a disk or write to it."""
        return sum(path in pair for pair in self._copying.values())

    def wait(self, id: PartitionId, pair: Pair) -> None:
        """A move wants to copy."""
        assert id not in self._copying
        self._waiting.setdefault(pair, {})[id] = None

    def leave(self, id: PartitionId) -> None:
        """A move copies no more, or wants to no more; nothing if it did not."""
        self._copying.pop(id, None)
        for pair, ids in list(self._waiting.items()):
            if id in ids:
                del ids[id]
                if not ids:
                    del self._waiting[pair]

    def next(self, total: int, per_disk: int) -> PartitionId | None:
        """Begin with the next move that may copy; None: nobody may.

        `total` copies at once, `per_disk` of them on any disk. Of the pairs that may, the one whose
        disks have least to do; where that is even, the one that has waited longest for its turn.
        """
        assert total > 0
        assert per_disk > 0
        if len(self._copying) >= total:
            return None
        loads = {pair: (self.load(pair[0]), self.load(pair[1])) for pair in self._waiting}
        free = [pair for pair, load in loads.items() if max(load) < per_disk]
        if not free:
            return None
        pair = min(free, key=lambda p: sum(loads[p]))
        ids = self._waiting.pop(pair)
        id = next(iter(ids))
        del ids[id]
        if ids:
            self._waiting[pair] = ids  # The others of this pair wait for their next turn.
        self._copying[id] = pair
        return id
