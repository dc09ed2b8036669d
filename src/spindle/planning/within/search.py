"""Looks for the best end of a broker's replicas: a portfolio of walks, polished, repaired.

The best has the fewest bytes out of the band, then the fewest bytes moved. Deterministic. Called
by the planners of a broker and of a cluster.
"""

from __future__ import annotations

from bisect import bisect_left

from spindle.planning.bands.bound import lower_bound
from spindle.planning.placement_index import PlacementIndex
from spindle.planning.within.beam_search import place_largest
from spindle.planning.within.greedy_walk import TASTES, Taste, walk
from spindle.planning.within.repair import repair
from spindle.planning.within.step import best_step, take
from spindle.planning.within.trade import Effort, trade

GOOD_ENOUGH = 1.003
"""Times the bound: a plan as cheap as this is not looked for again."""
DEAR = 1.01
"""Times the bound: a plan that is dearer may have decided badly on its largest replicas."""
TRIMS = (0.0, 0.5)
"""Of half the bands, where rates count, too: the more the harder it is to bring all into them."""
FEW = 240
"""Replicas: of so many, where rates count, moves are forced to help trades that got stuck."""
EFFORT = 1_000
"""Pairs of directories that such help may look at: where rates cannot be met it ends, too."""
_POLISHES = 3
_STEPS = 24


def search(start: PlacementIndex) -> PlacementIndex:
    """The best end found from here; `start` itself if none is better."""
    before = start.outside
    if not before:
        return start
    if start.rates is not None:
        return _of_both(start)
    bound = lower_bound(start.bands.edges, start.used) + start.bytes_moved
    best, taste = _best_walk(start, GOOD_ENOUGH * bound)
    if best.outside or best.bytes_moved > DEAR * bound:
        other = place_largest(start, TASTES[0])
        if other is not None and polish(other).cost < best.cost:
            best = other
    if best.outside:
        best = _stepped(polish(repair(best, lambda state: walk(state, taste))))
    return best if best.outside < before and not best.breaches else start


def _of_both(start: PlacementIndex) -> PlacementIndex:
    """The best end found where rates count, too: by trades alone, and by a walk, then trades.

    Where those leave something out of its bands it is traded for less than the whole bands first.
    """
    ends: list[PlacementIndex] = []
    if not start.drained:
        ends.append(polish(trade(start.copy())))
    if not ends or ends[0].outside:
        walked = _best_walk(start, 0.0)[0]
        for trim in TRIMS:
            end = trade(walked.copy(), trim)
            ends.append(polish(trade(end) if trim else end))
            if not ends[-1].outside:
                break
    best = min((end for end in ends if not end.breaches), key=lambda end: end.cost, default=start)
    if best.outside and sum(map(len, best.held)) <= FEW:
        effort = Effort(EFFORT)
        best = polish(repair(best, lambda state: trade(state, effort=effort), effort))
    return best if best.outside < start.outside else start


def _stepped(state: PlacementIndex) -> PlacementIndex:
    """Take every single step that is still worth its bytes, until the search finds none."""
    for _ in range(_STEPS):
        out = [d for d in range(len(state.held)) if state.off(d) and d not in state.drained]
        out.sort(key=lambda d: (-state.off(d), d))
        found = ((d, best_step(state, d)) for d in out)
        worth = next(((d, step) for d, step in found if step is not None and step.worth_it), None)
        if worth is None:
            break
        take(state, *worth)
    return state


def _best_walk(start: PlacementIndex, cheap: float) -> tuple[PlacementIndex, Taste]:
    """The best of all walks, or the first one that is cheap enough."""
    best: tuple[PlacementIndex, Taste] | None = None
    for taste in TASTES:
        end = polish(walk(start.copy(), taste))
        if best is None or end.cost < best[0].cost:
            best = (end, taste)
        if not end.outside and end.bytes_moved <= cheap:
            break
    assert best is not None
    return best


def polish(state: PlacementIndex) -> PlacementIndex:
    """Move less for the same end: take back what is not needed, send smaller replicas instead."""
    now = 0
    changed = [now] * len(state.used)
    tried: dict[int, int] = {}
    for _ in range(_POLISHES):
        before = state.bytes_moved, len(state.moved)
        for rank in sorted(state.moved, reverse=True):
            known = state.moved.get(rank)
            if known is None or rank in state.arrived or not state.sizes[rank]:
                continue
            home, place = known
            if tried.get(rank, 0) > max(changed[home], changed[place]):
                continue  # Nothing is new in either of them: it would fail again.
            now += 1
            if _lessened(state, rank, home, place):
                changed[home] = changed[place] = now
            else:
                tried[rank] = now
        if (state.bytes_moved, len(state.moved)) == before:
            break
    return state


def _lessened(state: PlacementIndex, rank: int, home: int, place: int) -> bool:
    """Whether less than this replica need go, or nothing; then it does not."""
    if home not in state.targets:
        return False
    used, lows, highs = state.used, state.bands.lows, state.bands.highs
    spare = min(used[place] - lows[place], highs[home] - used[home])
    # Most are needed where both are in their bands: then only what is smaller may do.
    even = spare >= 0 and used[place] <= highs[place] and used[home] >= lows[home]
    needed = even and state.rates is None and spare + 1 < state.sizes[rank]
    if not needed and _taken_back(state, rank, home, place):
        return True
    return spare >= 1 and _smaller_sent(state, rank, home, place, spare)


def _taken_back(state: PlacementIndex, rank: int, home: int, place: int) -> bool:
    """Whether the replica could as well stay where it was; then it does."""
    if state.used[home] + state.sizes[rank] > state.bands.marks[home]:
        return False
    now = state.off(home) + state.off(place)
    then = state.off_with(home, rank, 1)
    if then > now or then + state.off_with(place, rank, -1) > now:
        return False
    state.shift(rank, place, home)
    return True


def _smaller_sent(state: PlacementIndex, rank: int, home: int, place: int, spare: float) -> bool:
    """Send the smallest replica that does as well, if the bands leave room for the difference."""
    size, held, weights = state.sizes[rank], state.held[home], state.weights[home]
    at = bisect_left(weights, size - spare)
    while at < len(held) and (held[at] in state.moved or held[at] in state.arrived):
        at += 1
    if at == len(held) or weights[at] >= size:
        return False
    other = held[at]
    before = state.off(home) + state.off(place)
    state.shift(rank, place, home)
    state.shift(other, home, place)
    if state.rates is not None and state.off(home) + state.off(place) > before:
        state.shift(other, place, home)
        state.shift(rank, home, place)
        return False
    return True
