"""A greedy walk: takes from the fullest directory, gives to the emptiest, until all are even.

Where no single replica fits, two are exchanged. Walks differ in their taste: which of the fullest
directory's replicas goes next. Deterministic. Called by the planner and by the repair.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from spindle.planning.state import Item, State

Taste = Callable[[Sequence[Item], float, float], Iterator[int]]
"""(what a directory holds, bytes wanted, bytes that may go) -> places in that list to try."""
STEPS_PER_REPLICA = 4
"""Bounds a walk: no replica is worth handling more often."""


def walk(state: State, taste: Taste) -> State:
    """Walk to the end, on the state given; directories to drain are emptied as far as possible."""
    _to_the_end(state, taste)
    if state.drained:
        _empty_the_drained(state)
        _to_the_end(state, taste)
    return state


def _to_the_end(state: State, taste: Taste) -> None:
    stuck: dict[str, None] = {}
    for _ in range(STEPS_PER_REPLICA * max(1, len(state.replicas))):
        source = _source(state, stuck)
        if source is None:
            return
        if any(
            _give(state, source, target, taste) or _exchange(state, source, target)
            for target in _targets(state, source)
        ):
            stuck.clear()
        else:
            stuck[source] = None


def _source(state: State, stuck: dict[str, None]) -> str | None:
    """The directory which must give: above the band, or able to fill one that is below."""
    around, sizes = state.edges, state.sizes
    free = [p for p in around if p not in stuck and state.held[p]]
    over = [p for p in free if sizes[p] > around[p].high]
    if over:
        return max(over, key=lambda p: (sizes[p] - around[p].high, p))
    if not any(sizes[p] < around[p].low for p in state.targets):
        return None
    rich = [p for p in free if sizes[p] > around[p].mean]
    return max(rich, key=lambda p: (sizes[p] - around[p].mean, p), default=None)


def _targets(state: State, source: str) -> list[str]:
    """Open directories with room in their band, the emptiest first."""
    around, sizes = state.edges, state.sizes
    fits = [p for p in state.targets if p != source and sizes[p] < around[p].high]
    return sorted(fits, key=lambda p: (sizes[p] - around[p].mean, p))


def _room(state: State, source: str, target: str) -> tuple[float, float]:
    """(bytes wanted, bytes that may go) between two directories."""
    giver, taker = state.edges[source], state.edges[target]
    surplus = state.sizes[source] - giver.high
    lack = taker.low - state.sizes[target]
    room = taker.high - state.sizes[target]
    if surplus <= 0:
        room = min(room, state.sizes[source] - giver.low)
    return max(surplus, min(lack, room)), room


def _give(state: State, source: str, target: str, taste: Taste) -> bool:
    wanted, room = _room(state, source, target)
    if room <= 0 or wanted <= 0:
        return False
    held = state.held[source]
    # First without robbing the giver: one that falls below its band must be filled again.
    spare = min(room, state.sizes[source] - state.edges[source].low)
    for limit in (spare, room) if spare < room else (room,):
        for at in taste(held, min(wanted, limit), limit):
            if 0 <= at < len(held) and held[at][0] <= limit:
                state.shift(held[at], source, target)
                return True
    return False


def _exchange(state: State, source: str, target: str) -> bool:
    """Send a larger replica and take a smaller one back, the difference closest to need."""
    wanted, room = _room(state, source, target)
    if room <= 0 or wanted <= 0 or source not in state.targets:
        return False
    best: tuple[float, Item, Item] | None = None
    back = state.held[target]
    for item in state.held[source]:
        at = bisect_left(back, (round(item[0] - wanted), -1))
        for other in back[max(0, at - 1) : at + 1]:
            gain = item[0] - other[0]
            if 0 < gain <= room:
                off = abs(gain - wanted)
                if best is None or (off, item, other) < best:
                    best = (off, item, other)
    if best is None or best[0] >= wanted:
        return False
    state.shift(best[1], source, target)
    state.shift(best[2], target, source)
    return True


def _empty_the_drained(state: State) -> None:
    """What is still in a directory to drain goes wherever it fits under the high mark."""
    for path in state.drained:
        for item in reversed(state.held[path].copy()):
            fits = [p for p in state.targets if state.sizes[p] + item[0] <= state.marks[p]]
            if fits:
                state.shift(item, path, _emptiest(state, fits))
        for index, replica in enumerate(state.replicas):
            empty = replica.size == 0 and not replica.pinned
            if empty and state.place[index] == path and state.targets:
                state.put(index, _emptiest(state, state.targets))


def _emptiest(state: State, paths: Sequence[str]) -> str:
    return min(paths, key=lambda p: (state.sizes[p] - state.edges[p].mean, p))


def _largest_that_fits(held: Sequence[Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int(room), len(held) << 32)) - 1


def _just_enough(held: Sequence[Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_left(held, (int(wanted), -1))
    yield from _largest_that_fits(held, wanted, room)


def _not_too_much(held: Sequence[Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int(wanted), len(held) << 32)) - 1
    yield bisect_left(held, (int(wanted), -1))


def _half_first(held: Sequence[Item], wanted: float, room: float) -> Iterator[int]:
    yield bisect_right(held, (int((wanted + room) / 2), len(held) << 32)) - 1
    yield from _largest_that_fits(held, wanted, room)


TASTES: tuple[Taste, ...] = (_largest_that_fits, _just_enough, _not_too_much, _half_first)
