"""The search: from a situation to all that can come of it, each digest once.

The machines cannot be copied, so the first way on from a situation is taken at once and every other
one by playing its choices again from the start. Depth first, so memory holds digests and one path.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from spindle.sim.exhaustive.situation import Bounds, Broken, Choice, Situation

STEPS_TO_REST: Final = 1000

Path = tuple[Choice, ...]


@dataclass(slots=True)
class Report:
    """What a search has seen. `broken`: the promise that did not hold, and the way there."""

    bounds: Bounds
    states: int = 0
    steps: int = 0
    rests: int = 0
    """Situations in which all had settled."""
    deepest: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    complete: bool = False
    broken: tuple[str, Path] | None = None


def explore(
    bounds: Bounds,
    limit: int = 1 << 62,
    look: Callable[[Report], None] = lambda _: None,
    seed: int | None = None,
) -> Report:
    """Search everything within `bounds`, or `limit` states; stops where a promise is broken.

    `seed` mixes the order of the ways, for searches that will not be complete.
    """
    report = Report(bounds)
    seen: set[bytes] = set()
    rng = random.Random(seed) if seed is not None else None
    rests: set[bytes] = set()
    stack: list[Path] = [()]
    while stack and report.states < limit:
        path = stack.pop()
        try:
            situation = replay(bounds, path)
            path = _go_on(report, situation, path, seen, stack, rng)
            _come_to_rest(report, situation, path, rests)
        except Broken as broken:
            report.broken = (str(broken), _path_of(broken, path))
            return report
        look(report)
    report.complete = not stack
    return report


def replay(bounds: Bounds, path: Path) -> Situation:
    """The situation at the end of a path."""
    situation = Situation(bounds)
    for choice in path:
        situation.take(choice)
    return situation


def _path_of(broken: Broken, path: Path) -> Path:
    return getattr(broken, "path", path)


def _go_on(
    report: Report,
    situation: Situation,
    path: Path,
    seen: set[bytes],
    stack: list[Path],
    rng: random.Random | None,
) -> Path:
    """Follow one way until it meets a known situation, leaving the others on the stack."""
    while True:
        mark = situation.digest()
        if mark in seen:
            return path
        seen.add(mark)
        report.states += 1
        report.deepest = max(report.deepest, len(path))
        choices = situation.choices()
        if situation.at_rest() and situation.process is not None and Choice("time") not in choices:
            choices.append(Choice("time"))
        if rng is not None:
            rng.shuffle(choices)
        first, *others = choices
        stack += [(*path, other) for other in others]
        path = (*path, first)
        report.steps += 1
        report.kinds[first.kind] += 1
        _guarded(lambda s=situation, c=first: s.take(c), path)  # type: ignore[misc]


def _come_to_rest(report: Report, situation: Situation, path: Path, rests: set[bytes]) -> None:
    """With no fault any more, whatever is under way ends well: where time runs in a circle."""
    seen: set[bytes] = set()
    while True:
        mark = situation.digest()
        if mark in rests:
            break
        if mark in seen:
            report.rests += 1
            _guarded(situation.check_at_rest, path)
            break
        seen.add(mark)
        assert len(seen) < STEPS_TO_REST, f"{path} does not come to rest"
        choice = situation.next_by_itself()
        path = (*path, choice)
        _guarded(lambda c=choice: situation.take(c), path)  # type: ignore[misc]
    rests |= seen


def _guarded(act: Callable[[], None], path: Path) -> None:
    try:
        act()
    except Broken as broken:
        broken.path = path  # type: ignore[attr-defined]
        raise
