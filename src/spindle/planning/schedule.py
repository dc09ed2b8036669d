"""Orders moves into waves such that no directory ever passes its high mark.

During a move both copies exist, and the old one stays until its delayed deletion: a wave's moves
all count at their target before any counts as gone from its source. Called by the planners.

Most directories only give or can hold all that comes: a move into such a one takes the first wave
in which both its directories have a hand free. The others are gone through wave by wave.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Place = Any
"""A directory: whatever hashable name its planner has for it."""


class Limits(NamedTuple):
    """What a wave may do at once; 0 moves: no limit. A broker's moves are those from and to it."""

    moves_per_disk: int = 1
    moves_per_broker: int = 0


class Step(NamedTuple):
    """A move to be put in order."""

    size: int
    source: Place
    target: Place
    source_broker: int
    target_broker: int


class Schedule(NamedTuple):
    """The wave of each step, None where it never finds room, and the number of waves."""

    waves: list[int | None]
    length: int


def schedule(steps: Sequence[Step], room: Mapping[Place, float], limits: Limits) -> Schedule:
    """Give each step a wave, the largest first; `room`: bytes that each directory still takes.

    A directory that is over its mark (room below 0) may still give; it takes nothing until it is
    below.
    """
    order = sorted(range(len(steps)), key=lambda n: -steps[n].size)
    coming: dict[Place, int] = defaultdict(int)
    for step in steps:
        coming[step.target] += step.size
    hands = _Hands(limits)
    waves: list[int | None] = [None] * len(steps)
    tight: list[int] = []
    for n in order:
        step = steps[n]
        if step.size and coming[step.target] > room[step.target]:
            tight.append(n)
        else:
            waves[n] = hands.take_first(step)
    if tight:
        _fit(steps, tight, waves, room, hands)
    return Schedule(waves, 1 + max((w for w in waves if w is not None), default=-1))


def _fit(
    steps: Sequence[Step],
    tight: Sequence[int],
    waves: list[int | None],
    room: Mapping[Place, float],
    hands: _Hands,
) -> None:
    """Put moves into directories that cannot hold all at once where they have room, in `waves`."""
    left = dict.fromkeys((steps[n].target for n in tight), 0.0)
    left = {place: room[place] for place in left}
    gone: dict[int, list[Step]] = defaultdict(list)
    came: dict[int, list[Step]] = defaultdict(list)
    last = 0
    for step, wave in zip(steps, waves, strict=True):
        if wave is not None:
            last = max(last, wave + 1)
            if step.source in left:
                gone[wave].append(step)
            if step.target in left:
                came[wave].append(step)
    waiting, wave = list(tight), 0
    while waiting and wave <= last:
        for step in came[wave]:
            left[step.target] -= step.size
        still = []
        for n in waiting:
            step = steps[n]
            if step.size <= left[step.target] and hands.take(step, wave):
                left[step.target] -= step.size
                waves[n] = wave
                last = max(last, wave + 1)
                if step.source in left:
                    gone[wave].append(step)
            else:
                still.append(n)
        for step in gone[wave]:
            left[step.source] += step.size
        waiting, wave = still, wave + 1


class _Hands:
    """Who takes part in how many moves of each wave."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._busy: Counter[tuple[Hashable, int]] = Counter()
        self._full: dict[Hashable, int] = {}
        """The first wave that is not full, of those who were full in the first ones."""

    def take_first(self, step: Step) -> int:
        """The first wave in which all that take part are free; they are not any more."""
        parts = list(self._parts(step))
        wave = max((self._full.get(who, 0) for who, _ in parts), default=0)
        while any(self._busy[who, wave] >= limit for who, limit in parts):
            wave += 1
        self._count(parts, wave)
        return wave

    def take(self, step: Step, wave: int) -> bool:
        """Whether all that take part are free in this wave; then they are not any more."""
        parts = list(self._parts(step))
        if any(self._busy[who, wave] >= limit for who, limit in parts):
            return False
        self._count(parts, wave)
        return True

    def _count(self, parts: Iterable[tuple[Hashable, int]], wave: int) -> None:
        for who, limit in parts:
            self._busy[who, wave] += 1
            free = self._full.get(who, 0)
            while self._busy[who, free] >= limit:
                free += 1
            if free:
                self._full[who] = free

    def _parts(self, step: Step) -> Iterable[tuple[Hashable, int]]:
        if self._limits.moves_per_disk:
            yield ("disk", step.source), self._limits.moves_per_disk
            if step.target != step.source:
                yield ("disk", step.target), self._limits.moves_per_disk
        if self._limits.moves_per_broker:
            yield ("broker", step.source_broker), self._limits.moves_per_broker
            if step.target_broker != step.source_broker:
                yield ("broker", step.target_broker), self._limits.moves_per_broker
