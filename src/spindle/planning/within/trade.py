"""Evens two measures at once, bytes and write rates: single moves and exchanges between two sides.

A walk by bytes breaks what rates need. Here every step is the one of all those between the side
that is farthest out of its bands and any other which brings both measures nearest to them for what
it moves: hot replicas against cold ones, of which few bytes carry much. Sides are directories, or
brokers as wholes. Deterministic. Called by the search and by the walk between brokers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spindle.planning.bands.bound import Edges
from spindle.planning.cluster_model import Floats, Ints
from spindle.planning.placement_index import MOVE_COST, PlacementIndex

STEPS = 200
"""Of a broker's directories, at most."""
ENOUGH = 0.3
"""Of what a side is out of its bands by: a move that gains less is compared with exchanges."""
TRIED = 12
"""The best of a pair's steps that are looked at, where not all are allowed."""
EXCHANGED = 96
"""Replicas of a side that exchanges are looked for among, spread over all its sizes."""


class Effort:
    """Work that may still be done, counted in pairs of sides that are looked at: never a clock."""

    __slots__ = ("left",)

    def __init__(self, pairs: float = math.inf) -> None:
        self.left = pairs


class Side(NamedTuple):
    """A directory or a broker: what may leave it, what is in it, and its bands.

    `price`: the bytes that moving each replica costs; `room`: bytes that may come at most; `scale`:
    bytes that a byte per second counts as; `takes`: whether anything may come.
    """

    ranks: Sequence[int]
    sizes: Floats
    rates: Floats
    price: Floats
    used: float
    flow: float
    around: Edges
    flows: Edges
    scale: float
    room: float
    takes: bool

    @property
    def out(self) -> float:
        """How far it is out of its bands as it is."""
        size = max(self.used - self.around.high, self.around.low - self.used)
        flow = self.scale * max(self.flow - self.flows.high, self.flows.low - self.flow)
        return (size if size >= 1 else 0.0) + (flow if flow >= 1 else 0.0)

    def off(self, more: Floats, faster: Floats) -> Floats:
        """How far it is out of its bands with so many more bytes, and bytes per second."""
        size, flow = self.used + more, self.flow + faster
        size_off = np.maximum(size - self.around.high, self.around.low - size)
        flow_off = self.scale * np.maximum(flow - self.flows.high, self.flows.low - flow)
        off: Floats = np.where(size_off >= 1, size_off, 0.0) + np.where(flow_off >= 1, flow_off, 0)
        return off


class Trade(NamedTuple):
    """A step: `rank` goes from a side to the other, `back` (-1: none) the other way."""

    score: float
    gain: float
    rank: int
    back: int


def moves(source: Side, target: Side) -> Iterator[Trade]:
    """The single moves that bring both sides together nearer to their bands, the best first."""
    if not target.takes or not len(source.ranks):
        return
    now = source.out + target.out
    then = source.off(-source.sizes, -source.rates) + target.off(source.sizes, source.rates)
    gain = np.where(source.sizes <= target.room, now - then, 0.0)
    score = _score(gain, source.price)
    for at in _first(score):
        yield Trade(float(score[at]), float(gain[at]), source.ranks[at], -1)


def exchanges(one: Side, other: Side) -> Iterator[Trade]:
    """The exchanges of two replicas that bring both sides nearer to their bands, the best first."""
    if not (one.takes and other.takes and len(one.ranks) and len(other.ranks)):
        return
    mine, theirs = _picked(len(one.ranks)), _picked(len(other.ranks))
    more = other.sizes[theirs][None, :] - one.sizes[mine][:, None]
    faster = other.rates[theirs][None, :] - one.rates[mine][:, None]
    now = one.out + other.out
    gain = now - one.off(more, faster) - other.off(-more, -faster)
    gain = np.where((more <= one.room) & (-more <= other.room), gain, 0.0)
    score = _score(gain, one.price[mine][:, None] + other.price[theirs][None, :] + MOVE_COST)
    for at in _first(score.ravel()):
        i, j = divmod(at, len(theirs))
        pair = one.ranks[int(mine[i])], other.ranks[int(theirs[j])]
        yield Trade(float(score[i, j]), float(gain[i, j]), *pair)


def _score(gain: Floats, price: Floats) -> Floats:
    """Much for little: a gain counts for itself and for what it costs."""
    score: Floats = np.where(gain >= 1, gain / np.sqrt(price + MOVE_COST), 0.0)
    return score


def _first(score: Floats) -> list[int]:
    """Where the best scores are; ties: the first."""
    if len(score) > TRIED:
        near = np.argpartition(-score, TRIED)[:TRIED]
        near.sort()
    else:
        near = np.arange(len(score))
    order = near[np.argsort(-score[near], kind="stable")]
    return [int(at) for at in order if score[at] > 0]


def _picked(count: int) -> Ints:
    """Places among so many, evenly spread."""
    if count <= EXCHANGED:
        return np.arange(count)
    return np.linspace(0, count - 1, EXCHANGED).astype(np.int64)


def trade(state: PlacementIndex, trim: float = 0.0, effort: Effort | None = None) -> PlacementIndex:
    """Trade between a broker's directories, on the state given, until no step brings more.

    `trim`: of half of each band, at its edges, that counts as outside: an aim at less than the
    whole band leaves room for disks that are hard to bring into theirs. `effort`: when it is spent,
    trading ends.
    """
    assert state.rates is not None, "a trade needs rates"
    sides = [_side(state, d, trim) for d in range(len(state.held))]
    stuck: dict[int, None] = {}
    effort = effort if effort is not None else Effort()
    for _ in range(STEPS):
        if effort.left <= 0:
            return state
        effort.left -= len(sides)
        worst = _worst(sides, stuck)
        if worst is None:
            return state
        found = _best(sides, worst, moves)
        if found is None or found[0].gain < ENOUGH * sides[worst].out:
            other = _best(sides, worst, exchanges)
            if other is not None and (found is None or other[0].score > found[0].score):
                found = other
        if found is None:
            stuck[worst] = None
            continue
        (_, _, rank, back), source, target = found
        state.shift(rank, source, target)
        if back >= 0:
            state.shift(back, target, source)
        for d in (source, target):
            sides[d] = _side(state, d, trim)
        stuck.clear()
    return state


def _worst(sides: Sequence[Side], stuck: dict[int, None]) -> int | None:
    off = [(side.out, -d) for d, side in enumerate(sides) if d not in stuck]
    most, place = max(off, default=(0.0, 0))
    return -place if most > 0 else None


def _best(
    sides: Sequence[Side], worst: int, found: Callable[[Side, Side], Iterator[Trade]]
) -> tuple[Trade, int, int] | None:
    """(the best step between a directory and any other, from where, to where)."""
    best: tuple[Trade, int, int] | None = None
    for d in range(len(sides)):
        if d == worst:
            continue
        for source, target in ((worst, d), (d, worst)):
            step = next(found(sides[source], sides[target]), None)
            if step is not None and (best is None or step.score > best[0].score):
                best = (step, source, target)
            if found is exchanges:
                break  # The other way round it is the same.
    return best


def _side(state: PlacementIndex, directory: int, trim: float) -> Side:
    rates, held = state.rates, state.held[directory]
    assert rates is not None
    free = [rank in state.moved or rank in state.arrived for rank in held]
    sizes = np.array([state.sizes[rank] for rank in held], dtype=np.float64)
    return Side(
        held.copy(), sizes, np.array([rates.of[rank] for rank in held], dtype=np.float64),
        np.where(np.array(free, dtype=np.bool_), 0.0, sizes),
        state.used[directory], rates.flow[directory], state.bands.edges[directory].trimmed(trim),
        rates.edges[directory].trimmed(trim), rates.scale,
        state.bands.marks[directory] - state.used[directory], directory in state.targets,
    )  # fmt: skip
