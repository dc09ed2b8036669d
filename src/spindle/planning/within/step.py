"""The best single move, or exchange of two, that brings a directory closer to its band, by bytes.

Every pair is looked at, so that "there is none" may be said. Called by the search for what walks
and repairs have left, and by the notes on directories outside their bands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spindle.planning.cluster_model import Flags, Floats
from spindle.planning.placement_index import PlacementIndex

WORTH = 0.01
"""A byte more in the band is worth moving a hundred."""
NONE = -1


class SingleStep(NamedTuple):
    """`rank` leaves the directory for `other`, `back` comes from there; NONE: nothing does.

    `gain`: bytes that both directories are closer to their bands; `price`: bytes that move for it.
    """

    gain: float
    price: float
    rank: int
    back: int
    other: int

    @property
    def worth_it(self) -> bool:
        """Whether it mends enough for what it moves."""
        return self.gain > WORTH * self.price


def best_step(state: PlacementIndex, directory: int) -> SingleStep | None:
    """The step with the largest gain, the cheaper of equal ones; None where there is none."""
    steps = (
        step
        for other in range(len(state.held))
        if other != directory and other not in state.drained
        for step in _steps(state, directory, other)
    )
    return max(steps, key=lambda s: (s.gain, -s.price, -s.other), default=None)


def take(state: PlacementIndex, directory: int, step: SingleStep) -> None:
    """Take a step."""
    if step.rank != NONE:
        state.shift(step.rank, directory, step.other)
    if step.back != NONE:
        state.shift(step.back, step.other, directory)


def _steps(state: PlacementIndex, here: int, there: int) -> Iterator[SingleStep]:
    """The best step between two directories, by every replica of the first one and by none."""
    mine = np.array([0, *state.weights[here]], dtype=np.float64)
    theirs = np.array([0, *state.weights[there]], dtype=np.float64)
    if here not in state.targets:
        theirs = theirs[:1]
    if there not in state.targets:
        mine = mine[:1]
    edges = [np.searchsorted(theirs, mine - best) for best in _wanted(state, here, there)]
    for near in (at + n for at in edges for n in (-1, 0)):
        chosen = np.clip(near, 0, len(theirs) - 1)
        out = mine - theirs[chosen]
        gain = np.where(_fits(state, here, there, out), _gain(state, here, there, out), 0.0)
        price = mine + theirs[chosen]
        n = int(np.lexsort((price, -gain))[0])
        if gain[n] >= 1:
            m = int(chosen[n])
            rank = state.held[here][n - 1] if n else NONE
            back = state.held[there][m - 1] if m else NONE
            yield SingleStep(float(gain[n]), float(price[n]), rank, back, there)


def _wanted(state: PlacementIndex, here: int, there: int) -> tuple[float, float]:
    """The fewest and the most bytes whose way from one directory to another gains most."""
    gives, takes = state.used[here], state.used[there]
    edges = np.array(
        [
            gives - state.bands.highs[here], gives - state.bands.lows[here],
            state.bands.lows[there] - takes, state.bands.highs[there] - takes,
        ]
    )  # fmt: skip
    gain = _gain(state, here, there, edges)
    best = edges[gain >= gain.max()]
    return float(best.min()), float(best.max())


def _gain(state: PlacementIndex, here: int, there: int, out: Floats) -> Floats:
    before = state.bands.edges[here].outside(state.used[here])
    before += state.bands.edges[there].outside(state.used[there])
    gain: Floats = before - _off(state, here, -out) - _off(state, there, out)
    return gain


def _off(state: PlacementIndex, directory: int, more: Floats) -> Floats:
    size = state.used[directory] + more
    off: Floats = np.maximum(
        size - state.bands.highs[directory], state.bands.lows[directory] - size
    )
    return np.where(off >= 1, off, 0.0)


def _fits(state: PlacementIndex, here: int, there: int, out: Floats) -> Flags:
    fits: Flags = (state.used[there] + np.maximum(out, 0) <= state.bands.marks[there]) & (
        state.used[here] + np.maximum(-out, 0) <= state.bands.marks[here]
    )
    return fits
