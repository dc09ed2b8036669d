"""The search: from a situation to all that can come of it, each digest once.

A situation is copied for every way on from it but the last, depth first: memory holds digests, and
the situations along one path. What happens where nothing goes wrong any more is read off in the end
from what was visited: every situation has one way on by itself, and these ways end in circles.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from spindle.sim.exhaustive.situation import Broken, Choice, Situation
from spindle.sim.exhaustive.situation_copy import copied

PATIENCE: Final = 30.0
"""Seconds, of the situation's own time, within which all settles that is left alone."""

Path = tuple[Choice, ...]


class Searched(Protocol):
    """What can be searched: a situation that knows what may happen in it, and what must hold."""

    now: float
    disturbed_at: float

    def choices(self) -> list[Choice]:
        """All that can happen now."""

    def next_by_itself(self) -> Choice:
        """What happens if nothing goes wrong."""

    def take(self, choice: Choice) -> None:
        """Let it happen; Broken."""

    def at_rest(self) -> bool:
        """Whether nothing is under way."""

    def check_at_rest(self) -> None:
        """What must hold then; Broken."""

    def digest(self) -> bytes:
        """Equal for situations in which the same can happen."""


@dataclass(slots=True)
class SearchReport:
    """What a search has seen. `broken`: the promise that did not hold, and the way there."""

    states: int = 0
    steps: int = 0
    rests: int = 0
    """Circles in which time runs once all has settled."""
    deepest: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    complete: bool = False
    broken: tuple[str, Path] | None = None


@dataclass(slots=True)
class _Fork:
    """A situation, the way to it, and the ways on that were not taken yet."""

    situation: Searched
    path: Path
    mark: bytes
    choices: list[Choice]


def explore(
    bounds: Any,
    limit: int = 1 << 62,
    look: Callable[[SearchReport], None] = lambda _: None,
    seed: int | None = None,
    begin: Callable[[Any], Searched] = Situation,
) -> SearchReport:
    """Search everything within `bounds`, or `limit` states; stops where a promise is broken.

    `begin`: the first situation within these bounds.
    `seed` mixes the order of the ways, for searches that will not be complete.
    """
    report = SearchReport()
    rng = random.Random(seed) if seed is not None else None
    alone = _Alone()
    stack: list[_Fork] = []
    path: Path = ()
    try:
        situation = begin(bounds)
        _visit(report, situation, path, alone, stack, rng)
        while stack and report.states < limit:
            fork = stack[-1]
            choice = fork.choices.pop()
            situation = copied(fork.situation) if fork.choices else stack.pop().situation
            path = (*fork.path, choice)
            is_alone = choice == situation.next_by_itself()
            situation.take(choice)
            report.steps += 1
            report.kinds[choice.kind] += 1
            mark = _visit(report, situation, path, alone, stack, rng)
            if is_alone:
                alone.follows[fork.mark] = mark
            look(report)
        report.complete = not stack
        path = ()
        report.rests = alone.circles()
    except Broken as broken:
        report.broken = (str(broken), broken.path or path)
    return report


def replay(bounds: Any, path: Path, begin: Callable[[Any], Searched] = Situation) -> Searched:
    """The situation at the end of a path."""
    situation = begin(bounds)
    for choice in path:
        situation.take(choice)
    return situation


def _visit(
    report: SearchReport,
    situation: Searched,
    path: Path,
    alone: _Alone,
    stack: list[_Fork],
    rng: random.Random | None,
) -> bytes:
    """Note a situation; where it is new, all that can happen in it waits to be taken."""
    mark = situation.digest()
    if mark in alone.seen:
        return mark
    alone.see(mark, situation, path)
    report.states += 1
    report.deepest = max(report.deepest, len(path))
    choices = situation.choices()
    if rng is not None:
        rng.shuffle(choices)
    stack.append(_Fork(situation, path, mark, choices[::-1]))
    return mark


class _Alone:
    """What comes of situations that are left alone: each leads to one other."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.follows: dict[bytes, bytes] = {}
        self._restless: dict[bytes, tuple[str, Path]] = {}
        """Those in which nothing is under way and something is not as it must be in the end."""

    def see(self, mark: bytes, situation: Searched, path: Path) -> None:
        """A new situation."""
        self.seen.add(mark)
        if situation.at_rest():
            try:
                situation.check_at_rest()
            except Broken as broken:
                if situation.now > situation.disturbed_at + PATIENCE:
                    raise
                self._restless[mark] = (str(broken), path)

    def circles(self) -> int:
        """How many circles there are; Broken where one is not as it must be in the end."""
        done: set[bytes] = set()
        found = 0
        for start in self.follows:
            way: dict[bytes, None] = {}
            mark: bytes | None = start
            while mark is not None and mark not in done and mark not in way:
                way[mark] = None
                mark = self.follows.get(mark)
            if mark is not None and mark in way:
                found += 1
                marks = list(way)
                for one in marks[marks.index(mark) :]:
                    if one in self._restless:
                        raise Broken(*self._restless[one])
            done.update(way)
        return found
