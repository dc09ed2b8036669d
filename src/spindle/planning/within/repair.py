"""Helps a search that got stuck on large replicas: forces a move, has what it broke mended.

The forced replica pushes others out of its new directory (an ejection chain), which is what greedy
walks and trades never do by themselves. A trial is kept only if the broker ends more even. Called
by the search where its best end leaves directories out of the band.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from spindle.planning.placement_index import PlacementIndex
from spindle.planning.within.step import WORTH
from spindle.planning.within.trade import Effort

Mend = Callable[[PlacementIndex], object]
"""Brings a state nearer to its bands, in place: a walk, or trades."""

ROUNDS = 12
"""Trials that are kept, at most."""
WORST, ITEMS, PARTNERS = 3, 4, 4
"""Directories helped in a round, replicas tried for each, directories tried with each."""
ENOUGH = 0.25
"""Of what is out of the band: a trial that mends as much is taken, no other one is tried."""


def repair(state: PlacementIndex, mend: Mend, effort: Effort | None = None) -> PlacementIndex:
    """The best state found, the one given if none is better; it ends when `effort` is spent."""
    effort = effort if effort is not None else Effort()
    for _ in range(ROUNDS):
        if not state.outside or effort.left <= 0:
            return state
        better = _best_trial(state, mend, effort)
        if better is None:
            return state
        state = better
    return state


def _best_trial(state: PlacementIndex, mend: Mend, effort: Effort) -> PlacementIndex | None:
    best: PlacementIndex | None = None
    before = state.outside
    for rank, source, target in _forced(state):
        if effort.left <= 0:
            break
        trial = state.copy()
        trial.shift(rank, source, target)
        trial.hide(rank, target)  # It must not come straight back.
        mend(trial)
        trial.show(rank, target)
        gain = before - trial.outside
        dear = WORTH * (trial.bytes_moved - state.bytes_moved)
        if gain > max(0.0, dear) and not trial.breaches and _cheaper(trial, best):
            best = trial
            if gain >= ENOUGH * before:
                break
    return best


def _cheaper(trial: PlacementIndex, best: PlacementIndex | None) -> bool:
    return best is None or trial.cost < best.cost


def _forced(state: PlacementIndex) -> Iterator[tuple[int, int, int]]:
    """Moves worth trying: (rank, from, to), the directories farthest out of the band first."""
    out = sorted((d for d in range(len(state.held)) if state.off(d)), key=lambda d: -state.off(d))
    by_need = sorted(state.targets, key=lambda d: state.used[d] - state.bands.edges[d].mean)
    for directory in out[:WORST]:
        size, around = state.used[directory], state.bands.edges[directory]
        faster = 0.0 if state.rates is None else state.rates.surplus(directory)
        if size > around.high or faster > 0:
            for rank in _picked(state, directory, size - around.high, faster):
                for target in [d for d in by_need if d != directory][:PARTNERS]:
                    yield rank, directory, target
        elif directory in state.targets:
            for source in [d for d in reversed(by_need) if d != directory][:PARTNERS]:
                for rank in _picked(state, source, around.low - size, -faster):
                    yield rank, source, directory


def _picked(state: PlacementIndex, directory: int, wanted: float, faster: float) -> list[int]:
    """The largest, the next, and those around what is wanted: bytes, and bytes per second."""
    held, at = state.held[directory], bisect_left(state.weights[directory], wanted)
    chosen = [*held[at : at + 2], *held[max(0, at - 1) : at], *reversed(held[-2:])][:ITEMS]
    if state.rates is not None and faster > 0:
        of = state.rates.of
        chosen += sorted(held, key=lambda rank: abs(of[rank] - faster))[:ITEMS]
    return list(dict.fromkeys(chosen))
