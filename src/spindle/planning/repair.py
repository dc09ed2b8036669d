"""Helps a walk that got stuck on large replicas: forces a move and lets a walk mend what it broke.

The forced replica pushes others out of its new directory (an ejection chain), which is what a
greedy walk never does by itself. A trial is kept only if the broker ends more even. Called by the
planner where the best walk leaves directories out of the band.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from spindle.planning.state import Item, State
from spindle.planning.walk import Taste, walk

ROUNDS = 12
"""Trials that are kept, at most."""
WORST, ITEMS, PARTNERS = 3, 4, 4
"""Directories helped in a round, replicas tried for each, directories tried with each."""
WORTH = 0.01
"""A byte more in the band is worth moving a hundred."""


def repair(state: State, taste: Taste) -> State:
    """The best state found, the one given if none is better."""
    for _ in range(ROUNDS):
        if not state.outside:
            return state
        better = _best_trial(state, taste)
        if better is None:
            return state
        state = better
    return state


def _best_trial(state: State, taste: Taste) -> State | None:
    best: State | None = None
    for item, source, target in _forced(state):
        trial = state.copy()
        trial.shift(item, source, target)
        trial.held[target].remove(item)  # It must not come straight back.
        walk(trial, taste)
        trial.held[target].append(item)
        trial.held[target].sort()
        gain = state.outside - trial.outside
        dear = WORTH * (trial.bytes_moved - state.bytes_moved)
        if gain > max(0.0, dear) and not trial.breaches and _cheaper(trial, best):
            best = trial
            if not trial.outside:
                break
    return best


def _cheaper(trial: State, best: State | None) -> bool:
    return best is None or trial.cost < best.cost


def _forced(state: State) -> Iterator[tuple[Item, str, str]]:
    """Moves worth trying: (replica, from, to), the directories farthest out of the band first."""
    out = [p for p, e in state.edges.items() if e.outside(state.sizes[p])]
    out.sort(key=lambda p: (-state.edges[p].outside(state.sizes[p]), p))
    by_need = sorted(state.targets, key=lambda p: (state.sizes[p] - state.edges[p].mean, p))
    for path in out[:WORST]:
        size, around = state.sizes[path], state.edges[path]
        if size > around.high:
            for item in _picked(state.held[path], size - around.high):
                for target in [p for p in by_need if p != path][:PARTNERS]:
                    yield item, path, target
        elif path in state.targets:
            for source in [p for p in reversed(by_need) if p != path][:PARTNERS]:
                for item in _picked(state.held[source], around.low - size):
                    yield item, source, path


def _picked(held: list[Item], wanted: float) -> list[Item]:
    """The largest, the next, and those around what is wanted."""
    at = bisect_left(held, (int(wanted), -1))
    chosen = [*held[at : at + 2], *held[max(0, at - 1) : at], *reversed(held[-2:])]
    return list(dict.fromkeys(chosen))[:ITEMS]
