"""Plans the moves between one broker's directories: into the band, with the fewest bytes.

A portfolio of greedy walks, each a different taste in which replica goes next; the best result
wins (fewest bytes out of band, then fewest bytes and moves). Where no single replica fits, two
are exchanged. Deterministic: same input, same plan.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence

from spindle.planning.bound import Edges, edges, lower_bound
from spindle.planning.load import (
    Band,
    BrokerPlan,
    DirectoryLoad,
    Move,
    ReplicaLoad,
    Share,
    sizes_by_directory,
)
from spindle.planning.schedule import schedule

MOVE_COST = 1 << 20
"""Bytes that one more move is worth: each costs a future log and two metadata writes."""
STEPS_PER_REPLICA = 4
"""Bounds a walk: no replica is worth handling more often."""

_Item = tuple[int, int]
"""(size, index of the replica): sorted lists of these are what a directory holds."""
Taste = Callable[[Sequence[_Item], float, float], Iterator[int]]


def plan_broker(
    broker: int,
    directories: Sequence[DirectoryLoad],
    replicas: Sequence[ReplicaLoad],
    band: Band,
    moves_per_disk: int = 1,
    moves_per_broker: int = 0,
) -> BrokerPlan:
    """The best plan found for a broker. Directories and replicas in any order.

    `moves_per_disk`, `moves_per_broker` (0: no limit) bound each wave of the schedule.
    """
    directories = sorted(directories)
    replicas = sorted(replicas)
    sizes = sizes_by_directory(directories, replicas)
    walks = [_Walk(directories, replicas, band, taste) for taste in _TASTES]
    best = min((walk.run() for walk in walks), key=lambda walk: walk.cost)
    wanted = best.moves(broker)
    ordered, waves, blocked = schedule(
        wanted, directories, sizes, band.high_mark, moves_per_disk, moves_per_broker
    )
    after = dict(sizes)
    for move in ordered:
        after[move.source] -= move.size
        after[move.target] += move.size
    shares = tuple(Share(d.path, d.capacity, sizes[d.path], after[d.path]) for d in directories)
    notes = [*best.notes()]
    notes += [
        f"{m.topic}-{m.partition} does not go to {m.target}: never enough room under the high mark"
        for m in blocked
    ]
    return BrokerPlan(
        broker,
        tuple(ordered),
        lower_bound(directories, sizes, band),
        shares,
        tuple(waves),
        tuple(notes),
    )


class _Walk:
    """One greedy walk: takes from the fullest, gives to the emptiest, until all are in the band."""

    def __init__(
        self,
        directories: Sequence[DirectoryLoad],
        replicas: Sequence[ReplicaLoad],
        band: Band,
        taste: Taste,
    ) -> None:
        self._directories = {d.path: d for d in directories}
        self._replicas = replicas
        self._sizes = sizes_by_directory(directories, replicas)
        self._edges: dict[str, Edges] = edges(directories, self._sizes, band)
        self._held: dict[str, list[_Item]] = {d.path: [] for d in directories}
        self._place = [r.directory for r in replicas]
        for index, replica in enumerate(replicas):
            if replica.size and not replica.pinned:
                self._held[replica.directory].append((replica.size, index))
        for held in self._held.values():
            held.sort()
        self._taste = taste
        self._stuck: dict[str, None] = {}

    def run(self) -> _Walk:
        """Walk to the end."""
        for _ in range(STEPS_PER_REPLICA * max(1, len(self._replicas))):
            if not self._step():
                break
        self._empty_the_drained()
        return self

    @property
    def cost(self) -> tuple[int, int]:
        """(bytes out of the band, bytes moved and what the moves themselves cost)."""
        outside = sum(
            max(0.0, self._sizes[p] - e.high, e.low - self._sizes[p])
            for p, e in self._edges.items()
        )
        moved = [r.size for r, place in zip(self._replicas, self._place, strict=True)
                 if place != r.directory]  # fmt: skip
        return round(outside), sum(moved) + MOVE_COST * len(moved)

    def moves(self, broker: int) -> list[Move]:
        """What differs from the start."""
        return [
            Move(broker, r.topic, r.partition, r.directory, place, r.size)
            for r, place in zip(self._replicas, self._place, strict=True)
            if place != r.directory
        ]

    def notes(self) -> Iterator[str]:
        """Why directories are still out of the band."""
        for path, around in self._edges.items():
            size = self._sizes[path]
            if size > around.high and not self._directories[path].drain:
                yield (
                    f"{path} stays {(size - around.high) / 1e6:.1f} MB above the band: "
                    "no replica, and no exchange of two, fits the room elsewhere"
                )
            elif size < around.low and self._directories[path].open:
                yield (
                    f"{path} stays {(around.low - size) / 1e6:.1f} MB below the band: "
                    "no replica elsewhere is small enough to come"
                )
            elif self._directories[path].drain and size:
                yield f"{path} cannot be emptied: {size / 1e6:.1f} MB find no room elsewhere"

    # --- steps --------------------------------------------------------------------------------

    def _step(self) -> bool:
        source = self._source()
        if source is None:
            return False
        for target in self._targets(source):
            if self._give(source, target) or self._exchange(source, target):
                self._stuck.clear()
                return True
        self._stuck[source] = None
        return True

    def _source(self) -> str | None:
        """The directory which must give: above the band, or able to fill one that is below."""
        around = self._edges
        free = [p for p in around if p not in self._stuck and self._held[p]]
        over = [p for p in free if self._sizes[p] > around[p].high]
        if over:
            return max(over, key=lambda p: (self._sizes[p] - around[p].high, p))
        low = any(self._sizes[p] < e.low and self._directories[p].open for p, e in around.items())
        rich = [p for p in free if self._sizes[p] > around[p].mean]
        if not low or not rich:
            return None
        return max(rich, key=lambda p: (self._sizes[p] - around[p].mean, p))

    def _targets(self, source: str) -> list[str]:
        """Open directories with room in their band, the emptiest first."""
        around = self._edges
        fits = [
            p
            for p, d in self._directories.items()
            if d.open and not d.drain and p != source and self._sizes[p] < around[p].high
        ]
        return sorted(fits, key=lambda p: (self._sizes[p] - around[p].mean, p))

    def _room(self, source: str, target: str) -> tuple[float, float]:
        """(bytes wanted, bytes that may go) between two directories."""
        around = self._edges
        surplus = self._sizes[source] - around[source].high
        lack = around[target].low - self._sizes[target]
        room = around[target].high - self._sizes[target]
        if surplus <= 0:
            room = min(room, self._sizes[source] - around[source].low)
        return max(surplus, min(lack, room)), room

    def _give(self, source: str, target: str) -> bool:
        wanted, room = self._room(source, target)
        if room <= 0 or wanted <= 0:
            return False
        held = self._held[source]
        for at in self._taste(held, wanted, room):
            if 0 <= at < len(held) and held[at][0] <= room:
                self._shift(held[at], source, target)
                return True
        return False

    def _exchange(self, source: str, target: str) -> bool:
        """Send a larger replica and take a smaller one back, the difference closest to need."""
        wanted, room = self._room(source, target)
        if room <= 0 or wanted <= 0:
            return False
        best: tuple[float, _Item, _Item] | None = None
        back = self._held[target]
        for item in self._held[source]:
            at = bisect_left(back, (round(item[0] - wanted), -1))
            for other in back[max(0, at - 1) : at + 1]:
                gain = item[0] - other[0]
                if 0 < gain <= room:
                    off = abs(gain - wanted)
                    if best is None or (off, item, other) < best:
                        best = (off, item, other)
        if best is None or best[0] >= wanted:
            return False
        self._shift(best[1], source, target)
        self._shift(best[2], target, source)
        return True

    def _empty_the_drained(self) -> None:
        """What is still in a directory to drain goes wherever it fits under the high mark."""
        for path, directory in self._directories.items():
            if directory.drain:
                for item in reversed(list(self._held[path])):
                    for target in sorted(self._directories, key=lambda p: (self._sizes[p], p)):
                        d = self._directories[target]
                        if d.open and not d.drain and self._sizes[target] + item[0] <= d.capacity:
                            self._shift(item, path, target)
                            break

    def _shift(self, item: _Item, source: str, target: str) -> None:
        del self._held[source][bisect_left(self._held[source], item)]
        insort(self._held[target], item)
        self._place[item[1]] = target
        self._sizes[source] -= item[0]
        self._sizes[target] += item[0]


def _largest_that_fits(held: Sequence[_Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int(room), len(held) << 32)) - 1


def _just_enough(held: Sequence[_Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_left(held, (int(wanted), -1))
    yield from _largest_that_fits(held, wanted, room)


def _not_too_much(held: Sequence[_Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int(wanted), len(held) << 32)) - 1
    yield bisect_left(held, (int(wanted), -1))


def _half_first(held: Sequence[_Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int((wanted + room) / 2), len(held) << 32)) - 1
    yield from _largest_that_fits(held, wanted, room)


_TASTES: tuple[Taste, ...] = (_largest_that_fits, _just_enough, _not_too_much, _half_first)
