"""Where replicas are while a plan is being looked for: cheap to change, copy, compare.

Replicas are known by rank: their number in the order of size, over all that is planned together.
So a directory is a sorted list of plain numbers beside one of their sizes, and what fits into a
room is found by bisection. Directories are numbers too. Knows no taste and no goal beyond the band:
the walk, the polish and the repair decide what is moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from operator import sub

from spindle.planning.bands.bound import Edges

MOVE_COST = 1 << 20
"""Bytes that one more move is worth: each costs a future log and two metadata writes."""


class Rates:
    """Bytes written per second, as a second measure beside the bytes that are there.

    `of`: by rank; `flow`: sum in each directory; `scale`: bytes that a byte per second counts as.
    """

    __slots__ = ("edges", "flow", "of", "scale")

    def __init__(
        self, of: Sequence[float], flow: list[float], around: list[Edges], scale: float
    ) -> None:
        self.of, self.flow, self.edges, self.scale = of, flow, around, scale

    def copy(self) -> Rates:
        """The same, to be changed for itself."""
        return Rates(self.of, self.flow.copy(), self.edges, self.scale)

    def shift(self, rank: int, source: int, target: int) -> None:
        """Count a move."""
        self.flow[source] -= self.of[rank]
        self.flow[target] += self.of[rank]

    def off(self, directory: int) -> float:
        """Bytes that a directory's rate is out of its band by, so to speak."""
        return self._off(directory, self.flow[directory])

    def off_with(self, directory: int, rank: int, sign: int) -> float:
        """The same with a replica more or less in it."""
        return self._off(directory, self.flow[directory] + sign * self.of[rank])

    def surplus(self, directory: int) -> float:
        """Bytes/s above a directory's band; below it less than 0; 0 in it."""
        flow, around = self.flow[directory], self.edges[directory]
        return max(0.0, flow - around.high) - max(0.0, around.low - flow)

    def _off(self, directory: int, flow: float) -> float:
        around = self.edges[directory]
        # Sums of rates are not exact: less than a byte is none here, too.
        off = self.scale * max(flow - around.high, around.low - flow)
        return off if off >= 1 else 0.0


class DirectoryBands:
    """The bands of directories and their high marks, side by side; copies of a state share them."""

    __slots__ = ("edges", "highs", "lows", "marks", "means")

    def __init__(self, around: list[Edges], marks: list[float]) -> None:
        self.edges, self.marks = around, marks
        self.lows, self.highs = [e.low for e in around], [e.high for e in around]
        self.means = [e.mean for e in around]


class PlacementIndex:
    """Replicas by place.

    `held` lists, by directory, only what may be moved and has bytes, `weights` the bytes of each of
    these; `empty` what may be moved and has none; `used` counts all bytes. `arrived`: replicas on
    their way here in any case, for which another directory costs nothing. `moved`: rank ->
    (directory at the start, directory now).
    """

    __slots__ = (
        "arrived", "bands", "bytes_moved", "drained", "empty", "held", "moved", "rates", "sizes",
        "targets", "used", "weights",
    )  # fmt: skip

    def __init__(
        self,
        sizes: Sequence[int],
        held: list[list[int]],
        weights: list[list[int]],
        used: list[int],
        around: list[Edges],
        marks: Sequence[float],
        targets: list[int],
        drained: list[int],
        empty: list[list[int]] | None = None,
        arrived: Collection[int] = (),
        rates: Rates | None = None,
    ) -> None:
        self.sizes, self.held, self.weights = sizes, held, weights
        self.used = used
        self.empty = empty if empty is not None else [[] for _ in held]
        # One that is over its mark before anything moves may stay so, but never get fuller.
        limits = [max(mark, size) for mark, size in zip(marks, used, strict=True)]
        self.bands = DirectoryBands(around, limits)
        self.targets, self.drained, self.arrived = targets, drained, arrived
        self.rates = rates
        self.moved: dict[int, tuple[int, int]] = {}
        self.bytes_moved = 0

    def copy(self) -> PlacementIndex:
        """A state of its own with the same content."""
        twin = PlacementIndex.__new__(PlacementIndex)
        twin.sizes, twin.bands = self.sizes, self.bands
        twin.targets, twin.drained, twin.arrived = self.targets, self.drained, self.arrived
        twin.used = self.used.copy()
        twin.rates = None if self.rates is None else self.rates.copy()
        twin.held = [there.copy() for there in self.held]
        twin.weights = [there.copy() for there in self.weights]
        twin.empty = [there.copy() for there in self.empty]
        twin.moved = self.moved.copy()
        twin.bytes_moved = self.bytes_moved
        return twin

    def shift(self, rank: int, source: int, target: int) -> None:
        """Move one replica."""
        self.shift_at(bisect_left(self.held[source], rank), source, target)

    def shift_at(self, at: int, source: int, target: int) -> None:
        """Move the replica at this place in what a directory holds."""
        rank, size = self._take_out(at, source)
        self._put_in(rank, size, target)
        self.used[source] -= size
        self.used[target] += size
        if self.rates is not None:
            self.rates.shift(rank, source, target)
        self._note(rank, source, target)

    def put(self, rank: int, source: int, target: int) -> None:
        """Move a replica without bytes."""
        self.empty[source].remove(rank)
        self.empty[target].append(rank)
        self._note(rank, source, target)

    def _note(self, rank: int, source: int, target: int) -> None:
        known = self.moved.pop(rank, None)
        costs = 0 if rank in self.arrived else self.sizes[rank]
        home = source if known is None else known[0]
        if known is None:
            self.bytes_moved += costs
        if target == home:
            self.bytes_moved -= costs
        else:
            self.moved[rank] = (home, target)

    def hide(self, rank: int, directory: int) -> None:
        """A replica that is counted here, but must not be moved until it is shown again."""
        self._take_out(bisect_left(self.held[directory], rank), directory)

    def show(self, rank: int, directory: int) -> None:
        """A replica that was hidden may be moved again."""
        self._put_in(rank, self.sizes[rank], directory)

    def _take_out(self, at: int, directory: int) -> tuple[int, int]:
        return self.held[directory].pop(at), self.weights[directory].pop(at)

    def _put_in(self, rank: int, size: int, directory: int) -> None:
        held = self.held[directory]
        at = bisect_left(held, rank)
        held.insert(at, rank)
        self.weights[directory].insert(at, size)

    def off(self, directory: int) -> float:
        """How far a directory is out of the band: bytes, and rates as if they were bytes."""
        off = self.bands.edges[directory].outside(self.used[directory])
        return off if self.rates is None else off + self.rates.off(directory)

    def off_with(self, directory: int, rank: int, sign: int) -> float:
        """The same with a replica more (`sign` 1) or less (-1) in it."""
        off = self.bands.edges[directory].outside(self.used[directory] + sign * self.sizes[rank])
        return off if self.rates is None else off + self.rates.off_with(directory, rank, sign)

    @property
    def outside(self) -> float:
        """How far all directories are out of the band, and one for each replica to drain."""
        over, under = map(sub, self.used, self.bands.highs), map(sub, self.bands.lows, self.used)
        size: float = sum(off for off in map(max, over, under) if off >= 1)
        if self.rates is not None:
            size += sum(map(self.rates.off, range(len(self.used))))
        return size + sum(len(self.held[d]) + len(self.empty[d]) for d in self.drained)

    @property
    def breaches(self) -> bool:
        """Whether a directory is fuller than its high mark allows."""
        return any(size > mark for size, mark in zip(self.used, self.bands.marks, strict=True))

    @property
    def cost(self) -> tuple[float, int]:
        """(bytes out of the band, bytes moved and what the moves themselves cost)."""
        return self.outside, self.bytes_moved + MOVE_COST * len(self.moved)
