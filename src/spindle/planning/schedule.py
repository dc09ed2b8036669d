"""Orders moves into waves such that no directory ever passes its high mark.

During a move both copies exist, and the old one stays until its delayed deletion: a wave's moves
all count at their target before any counts as gone from its source. Called by the planners.

Where a directory takes part in very many moves, small ones between the same two share a wave: they
are made one after the other, and what a wave is for, counting again after it, is worth no more.
Most directories only give or can hold all that comes: a move into such a one takes the first wave
in which both its directories have a hand free. The others are gone through wave by wave.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

MANY = 256
"""Moves of a directory: with more of them, small ones share waves, so that there are about as many.
"""
P = TypeVar("P", bound=Hashable)
"""A directory: whatever hashable name its planner has for it."""


class WaveLimits(NamedTuple):
    """What a wave may do at once; 0 moves: no limit. A broker's moves are those from and to it."""

    moves_per_disk: int = 1
    moves_per_broker: int = 0


class ScheduleStep(NamedTuple, Generic[P]):
    """A move to be put in order. `partition`: no other move of it is made in the same wave."""

    size: int
    source: P
    target: P
    source_broker: int
    target_broker: int
    partition: int | None = None


class Schedule(NamedTuple):
    """The wave of each step, None where it never finds room, and the number of waves."""

    waves: list[int | None]
    length: int


def schedule(
    steps: Sequence[ScheduleStep[P]], room: Mapping[P, float], limits: WaveLimits
) -> Schedule:
    """Give each step a wave, the largest first; `room`: bytes that each directory still takes.

    A directory that is over its mark (room below 0) may still give; it takes nothing until it is
    below.
    """
    order = sorted(range(len(steps)), key=lambda n: -steps[n].size)
    coming: dict[P, int] = defaultdict(int)
    for step in steps:
        coming[step.target] += step.size
    crew = _Crew(limits)
    waves: list[int | None] = [None] * len(steps)
    tight: list[int] = []
    easy: list[int] = []
    for n in order:
        step = steps[n]
        if step.size and coming[step.target] > room[step.target]:
            tight.append(n)
        else:
            easy.append(n)
    for bundle in _bundles(steps, easy):
        wave = crew.take_first(steps[bundle[0]])
        for n in bundle:
            waves[n] = wave
    if tight:
        _fit(steps, tight, waves, room, crew)
    return Schedule(waves, 1 + max((w for w in waves if w is not None), default=-1))


def _bundles(steps: Sequence[ScheduleStep[P]], easy: Sequence[int]) -> Iterator[list[int]]:
    """Steps that share a wave, the largest first: mostly each by itself."""
    parts: dict[P, int] = defaultdict(int)
    busy: dict[P, int] = defaultdict(int)
    for n in easy:
        for place in (steps[n].source, steps[n].target):
            parts[place] += 1
            busy[place] += steps[n].size
    many = {place for place, count in parts.items() if count > MANY}
    if not many:
        yield from ([n] for n in easy)
        return
    unit = max(busy[place] for place in many) / MANY
    most = max(parts[place] for place in many) // MANY + 1
    open_: dict[tuple[P, P], tuple[list[int], float]] = {}
    for n in easy:
        step = steps[n]
        if step.partition is not None:
            yield [n]
            continue
        pair = step.source, step.target
        bundle, size = open_.get(pair, ([], 0.0))
        if bundle and (size + step.size > unit or len(bundle) >= 4 * most):
            yield bundle
            bundle, size = [], 0.0
        bundle.append(n)
        open_[pair] = bundle, size + step.size
    yield from (bundle for bundle, _ in open_.values())


def _fit(
    steps: Sequence[ScheduleStep[P]],
    tight: Sequence[int],
    waves: list[int | None],
    room: Mapping[P, float],
    crew: _Crew,
) -> None:
    """Put moves into directories that cannot hold all at once where they have room, in `waves`."""
    left = dict.fromkeys((steps[n].target for n in tight), 0.0)
    left = {place: room[place] for place in left}
    gone: dict[int, list[ScheduleStep[P]]] = defaultdict(list)
    came: dict[int, list[ScheduleStep[P]]] = defaultdict(list)
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
            if step.size <= left[step.target] and crew.take(step, wave):
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


class _Hand:
    """One that takes part in so many moves of a wave at most.

    `full`: the waves in which it takes part in as many, as bits.
    """

    __slots__ = ("_busy", "_limit", "full")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._busy: dict[int, int] = {}
        self.full = 0

    def take(self, wave: int) -> None:
        """Take part in one move more."""
        busy = 1
        if self._limit > 1:
            busy = self._busy[wave] = self._busy.get(wave, 0) + 1
        if busy >= self._limit:
            self.full |= 1 << wave


class _Hands(dict[Hashable, _Hand]):
    """The hands of directories, brokers or partitions; made when first asked for."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def __missing__(self, place: Hashable) -> _Hand:
        hand = self[place] = _Hand(self.limit)
        return hand


class _Crew:
    """Moves of each directory, broker and partition in each wave."""

    def __init__(self, limits: WaveLimits) -> None:
        self._disks = _Hands(limits.moves_per_disk)
        self._brokers = _Hands(limits.moves_per_broker)
        self._partitions = _Hands(1)

    def take_first(self, step: ScheduleStep[P]) -> int:
        """The first wave in which all that take part are free; they are not any more."""
        hands, full = self._of(step), 0
        for hand in hands:
            full |= hand.full
        wave = (~full & (full + 1)).bit_length() - 1
        for hand in hands:
            hand.take(wave)
        return wave

    def take(self, step: ScheduleStep[P], wave: int) -> bool:
        """Whether all that take part are free in this wave; then they are not any more."""
        hands = self._of(step)
        if any(hand.full >> wave & 1 for hand in hands):
            return False
        for hand in hands:
            hand.take(wave)
        return True

    def _of(self, step: ScheduleStep[P]) -> list[_Hand]:
        """The hands of a move: both sides', those without a limit left out, and its partition's."""
        _, source, target, giver, taker, partition = step
        hands = []
        if partition is not None:
            hands.append(self._partitions[partition])
        if self._disks.limit:
            hands.append(self._disks[source])
            if target != source:
                hands.append(self._disks[target])
        if self._brokers.limit:
            hands.append(self._brokers[giver])
            if taker != giver:
                hands.append(self._brokers[taker])
        return hands
