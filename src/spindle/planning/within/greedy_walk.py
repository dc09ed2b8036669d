"""A greedy walk: takes from the fullest directory, gives to the emptiest, until all are even.

Where no single replica fits, two are exchanged. Walks differ in their taste: which of the fullest
directory's replicas goes next. Deterministic. Called by the search and by the repair.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import sub

from spindle.planning.placement_index import PlacementIndex

Taste = Callable[[Sequence[int], float, float, float], Iterator[int]]
"""(sizes of what the directory holds, ascending; bytes wanted by either side, by both, bytes that
may go) -> places in them, to try."""
Need = tuple[float, float, float]
"""Of two directories: bytes wanted by one side or the other, by both, bytes that may go."""
STEPS_PER_REPLICA = 4
"""Bounds a walk: no replica is worth handling more often."""
_FEWEST_STEPS = 64


def walk(state: PlacementIndex, taste: Taste) -> PlacementIndex:
    """Walk to the end, on the state given; directories to drain are emptied as far as possible."""
    _to_the_end(state, taste)
    if state.drained:
        _empty_the_drained(state)
        _to_the_end(state, taste)
    return state


def _to_the_end(state: PlacementIndex, taste: Taste) -> None:
    stuck: dict[int, None] = {}
    for _ in range(_FEWEST_STEPS + STEPS_PER_REPLICA * sum(map(len, state.held))):
        source = _source(state, stuck)
        if source is None:
            return
        for target in _targets(state, source):
            need = wanted, _, room = _need(state, source, target)
            if wanted <= 0 or room <= 0:
                continue
            if _give(state, source, target, need, taste) or _exchange(state, source, target, need):
                stuck.clear()
                break
        else:
            stuck[source] = None


def _source(state: PlacementIndex, stuck: dict[int, None]) -> int | None:
    """The directory which must give: above the band, or able to fill one that is below."""
    surplus = list(map(sub, state.used, state.bands.highs))
    most = max(surplus)
    first = surplus.index(most)
    if most > 0 and first not in stuck and state.held[first]:
        return first
    free = [d for d in range(len(surplus)) if d not in stuck and state.held[d]]
    worst = max(free, key=surplus.__getitem__, default=None)
    if worst is None or surplus[worst] > 0:
        return worst
    if not any(state.used[d] < state.bands.lows[d] for d in state.targets):
        return None
    above = {d: state.used[d] - state.bands.means[d] for d in free}
    worst = max(free, key=above.__getitem__)
    return worst if above[worst] > 0 else None


def _targets(state: PlacementIndex, source: int) -> Iterator[int]:
    """Open directories with room in their band, the emptiest first."""
    used, highs, targets = state.used, state.bands.highs, state.targets
    gaps = list(map(sub, used, state.bands.means))
    first = gaps.index(min(gaps))
    if used[first] < highs[first] and first != source and first in targets:
        yield first  # Mostly it is taken.
    else:
        first = source
    rest = [(gaps[d], d) for d in targets if used[d] < highs[d] and d != source and d != first]
    rest.sort()
    yield from (d for _, d in rest)


def _need(state: PlacementIndex, source: int, target: int) -> Need:
    gives, takes = state.used[source], state.used[target]
    surplus = gives - state.bands.highs[source]
    lack = state.bands.lows[target] - takes
    room = state.bands.highs[target] - takes
    if surplus > 0:
        wanted = max(surplus, min(lack, room))
        return wanted, min(surplus, lack) if lack > 0 else wanted, room
    room = min(room, gives - state.bands.lows[source])
    wanted = max(surplus, min(lack, room))
    return wanted, wanted, room


def _give(state: PlacementIndex, source: int, target: int, need: Need, taste: Taste) -> bool:
    wanted, both, room = need
    weights = state.weights[source]
    # First without robbing the giver: one that falls below its band must be filled again.
    spare = min(room, state.used[source] - state.bands.lows[source])
    for limit in (spare, room) if spare < room else (room,):
        for at in taste(weights, min(wanted, limit), min(both, limit), limit):
            if 0 <= at < len(weights) and weights[at] <= limit:
                state.shift_at(at, source, target)
                return True
    return False


def _exchange(state: PlacementIndex, source: int, target: int, need: Need) -> bool:
    """Send a larger replica and take a smaller one back, the difference closest to need."""
    wanted, _, room = need
    if source not in state.targets:
        return False
    back, sizes = state.held[target], state.weights[target]
    best: tuple[float, int, int] | None = None
    for rank, size in zip(state.held[source], state.weights[source], strict=True):
        at = bisect_left(sizes, size - wanted)
        for n in range(max(0, at - 1), min(at + 1, len(sizes))):
            gain = size - sizes[n]
            if 0 < gain <= room:
                off = abs(gain - wanted)
                if best is None or (off, rank, back[n]) < best:
                    best = (off, rank, back[n])
    if best is None or best[0] >= wanted:
        return False
    state.shift(best[1], source, target)
    state.shift(best[2], target, source)
    return True


def _empty_the_drained(state: PlacementIndex) -> None:
    """What is still in a directory to drain goes wherever it fits under the high mark."""
    for source in state.drained:
        for rank in reversed(state.held[source].copy()):
            size = state.sizes[rank]
            fits = [d for d in state.targets if state.used[d] + size <= state.bands.marks[d]]
            if fits:
                state.shift(rank, source, _emptiest(state, fits))
        if state.targets:
            for rank in state.empty[source].copy():
                state.put(rank, source, _emptiest(state, state.targets))


def _emptiest(state: PlacementIndex, directories: Sequence[int]) -> int:
    return min(directories, key=lambda d: state.used[d] - state.bands.means[d])


def _last(sizes: Sequence[int], size: float) -> int:
    """Place of the largest that is not larger than this; -1: none."""
    return bisect_right(sizes, size) - 1


def _largest_that_fits(
    sizes: Sequence[int], wanted: float, both: float, room: float
) -> Iterator[int]:
    yield _last(sizes, room)


def _just_enough(sizes: Sequence[int], wanted: float, both: float, room: float) -> Iterator[int]:
    yield bisect_left(sizes, wanted)
    yield _last(sizes, room)


def _not_too_much(sizes: Sequence[int], wanted: float, both: float, room: float) -> Iterator[int]:
    yield _last(sizes, wanted)
    yield bisect_left(sizes, wanted)


def _half_first(sizes: Sequence[int], wanted: float, both: float, room: float) -> Iterator[int]:
    yield _last(sizes, (wanted + room) / 2)
    yield _last(sizes, room)


def _for_both(sizes: Sequence[int], wanted: float, both: float, room: float) -> Iterator[int]:
    yield _last(sizes, both)
    yield bisect_left(sizes, both)


TASTES: tuple[Taste, ...] = (
    _for_both,
    _not_too_much,
    _just_enough,
    _half_first,
    _largest_that_fits,
)
