"""Decides on the largest replicas first, where a walk that takes what comes pays dearly for it.

A beam search through the large replicas of directories that are too full, the largest first:
each stays or goes somewhere. A choice is judged by what it moves and by the bound of what is then
left to move; the best few are walked to their ends. Called by the search for brokers that a walk
leaves out of the band, or brings there with far too many bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import nsmallest
from typing import NamedTuple

from spindle.planning.placement_index import PlacementIndex
from spindle.planning.within.greedy_walk import Taste, walk

LARGE = 0.2
"""Of the target of a directory: replicas from this size on are decided on."""
MOST = 14
"""Large replicas that are decided on; the others are left to the walk."""
WIDTH, ENDS = 24, 6
"""Choices that are kept at each step, and those walked to their ends."""


class _Choice(NamedTuple):
    """Decisions taken: `price`, the bytes that any plan which takes them must move at least.

    `fixed`: bytes of large replicas that must end in each directory.
    """

    price: float
    moves: tuple[tuple[int, int, int], ...]
    used: tuple[int, ...]
    fixed: tuple[int, ...]
    above: float
    missing: float
    moved: int


def place_largest(start: PlacementIndex, taste: Taste) -> PlacementIndex | None:
    """The best end found when the largest replicas are placed first; None without any."""
    largest, fixed = _largest(start)
    above = sum(max(0.0, u - e.high) for u, e in zip(start.used, start.bands.edges, strict=True))
    missing = sum(max(0.0, e.low - u) for u, e in zip(start.used, start.bands.edges, strict=True))
    used = tuple(start.used)
    beam = [_Choice(max(above, missing), (), used, tuple(fixed), above, missing, 0)]
    for rank, home in largest:
        # Replicas of one size are alike: what matters is how full the directories become.
        grown: dict[tuple[int, ...], _Choice] = {}
        for choice in beam:
            for more in _decided(start, choice, rank, home):
                known = grown.get(more.fixed)
                if known is None or more < known:
                    grown[more.fixed] = more
        beam = nsmallest(WIDTH, grown.values())
    best: PlacementIndex | None = None
    for choice in [choice for choice in beam if choice.moves][:ENDS]:
        if best is not None and not best.outside and best.bytes_moved <= choice.price:
            break  # None of those that follow can be cheaper.
        end = _walked(start, choice, taste)
        if best is None or end.cost < best.cost:
            best = end
    return best


def _largest(start: PlacementIndex) -> tuple[list[tuple[int, int]], list[int]]:
    """(ranks to decide on, with directories, the largest first; bytes of the other large ones)."""
    largest, fixed = [], [0] * len(start.held)
    for directory, held in enumerate(start.held):
        least = LARGE * start.bands.edges[directory].mean
        there = held[bisect_left(start.weights[directory], least) :]
        if start.used[directory] > start.bands.edges[directory].high:
            largest += [(rank, directory) for rank in there]
        else:
            fixed[directory] += sum(start.sizes[rank] for rank in there)
    largest.sort(reverse=True)
    return largest[:MOST], fixed


def _decided(start: PlacementIndex, choice: _Choice, rank: int, home: int) -> Iterator[_Choice]:
    """The choice with one decision more, for each that there is."""
    weight = start.sizes[rank]
    for target in dict.fromkeys((home, *start.targets)):
        held = choice.fixed[target] + weight
        if held > start.bands.highs[target]:
            continue
        fixed = (*choice.fixed[:target], held, *choice.fixed[target + 1 :])
        if target == home:
            yield choice._replace(fixed=fixed)
        elif choice.used[target] + weight <= start.bands.marks[target]:
            yield _with(start, choice, (rank, home, target), fixed)


def _with(
    start: PlacementIndex, choice: _Choice, move: tuple[int, int, int], fixed: tuple[int, ...]
) -> _Choice:
    rank, source, target = move
    weight, above, missing = start.sizes[rank], choice.above, choice.missing
    used = list(choice.used)
    for directory, change in ((source, -weight), (target, weight)):
        high, low = start.bands.highs[directory], start.bands.lows[directory]
        before = used[directory]
        used[directory] = after = before + change
        above += max(0.0, after - high) - max(0.0, before - high)
        missing += max(0.0, low - after) - max(0.0, low - before)
    moved = choice.moved + weight
    price = moved + max(above, missing)
    return _Choice(price, (*choice.moves, move), tuple(used), fixed, above, missing, moved)


def _walked(start: PlacementIndex, choice: _Choice, taste: Taste) -> PlacementIndex:
    """Walk on from a choice; what has been decided stays decided."""
    end = start.copy()
    for rank, source, target in choice.moves:
        end.shift(rank, source, target)
        end.hide(rank, target)
    walk(end, taste)
    for rank, _, target in choice.moves:
        end.show(rank, target)
    return end
