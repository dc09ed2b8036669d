"""Where a broker's replicas are while a plan is being looked for: cheap to change, copy, compare.

Knows no taste and no goal beyond the band: the walk and the repair decide what is moved.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from spindle.planning.bound import Edges, edges
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad, sizes_by_directory

Item = tuple[int, int]
"""(size, index of the replica): sorted lists of these are what a directory holds."""
MOVE_COST = 1 << 20
"""Bytes that one more move is worth: each costs a future log and two metadata writes."""


class State:
    """Replicas by place. `held` lists only what may be moved and has bytes."""

    __slots__ = (
        "directories", "drained", "edges", "held", "marks", "moved", "place", "replicas", "sizes",
        "targets",
    )  # fmt: skip

    def __init__(
        self, directories: Sequence[DirectoryLoad], replicas: Sequence[ReplicaLoad], band: Band
    ) -> None:
        self.directories = {d.path: d for d in directories}
        self.targets = [d.path for d in directories if d.open and not d.drain]
        self.drained = [d.path for d in directories if d.drain]
        self.replicas = replicas
        self.sizes = sizes_by_directory(directories, replicas)
        self.held: dict[str, list[Item]] = {d.path: [] for d in directories}
        pinned = dict.fromkeys(self.held, 0)
        for index, replica in enumerate(replicas):
            if replica.pinned:
                pinned[replica.directory] += replica.size
            elif replica.size:
                self.held[replica.directory].append((replica.size, index))
        for held in self.held.values():
            held.sort()
        largest = {path: held[-1][0] for path, held in self.held.items() if held}
        self.edges: dict[str, Edges] = edges(directories, self.sizes, band, pinned, largest)
        # One that is over its mark before anything moves may stay so, but never get fuller.
        self.marks = {
            d.path: max(d.capacity * band.high_mark, self.sizes[d.path]) for d in directories
        }
        self.place = [r.directory for r in replicas]
        self.moved: dict[int, None] = {}

    def copy(self) -> State:
        """A state of its own with the same content."""
        twin = State.__new__(State)
        twin.directories, twin.edges, twin.marks = self.directories, self.edges, self.marks
        twin.targets, twin.drained, twin.replicas = self.targets, self.drained, self.replicas
        twin.sizes = dict(self.sizes)
        twin.held = {path: held.copy() for path, held in self.held.items()}
        twin.place = self.place.copy()
        twin.moved = dict(self.moved)
        return twin

    def shift(self, item: Item, source: str, target: str) -> None:
        """Move one replica."""
        size, index = item
        del self.held[source][bisect_left(self.held[source], item)]
        insort(self.held[target], item)
        self.place[index] = target
        self.sizes[source] -= size
        self.sizes[target] += size
        if target == self.replicas[index].directory:
            del self.moved[index]
        else:
            self.moved[index] = None

    def put(self, index: int, target: str) -> None:
        """Move a replica without bytes."""
        assert self.replicas[index].size == 0, "replicas with bytes are shifted"
        self.place[index] = target
        self.moved[index] = None

    @property
    def outside(self) -> float:
        """Bytes out of the band over all directories, and one for each replica to drain."""
        size = sum(e.outside(self.sizes[p]) for p, e in self.edges.items())
        return size + (self._left() if self.drained else 0)

    def _left(self) -> int:
        """Replicas that are to leave directories and have not, those without bytes too."""
        return sum(
            1
            for place, replica in zip(self.place, self.replicas, strict=True)
            if place in self.drained and not replica.pinned
        )

    @property
    def breaches(self) -> bool:
        """Whether a directory is fuller than its high mark allows."""
        return any(self.sizes[p] > mark for p, mark in self.marks.items())

    @property
    def cost(self) -> tuple[float, int]:
        """(bytes out of the band, bytes moved and what the moves themselves cost)."""
        return self.outside, self.bytes_moved + MOVE_COST * len(self.moved)

    @property
    def bytes_moved(self) -> int:
        """Bytes of all that is elsewhere than at the start."""
        return sum(self.replicas[index].size for index in self.moved)
