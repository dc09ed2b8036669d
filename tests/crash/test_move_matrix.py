"""The crash matrix of moves: a stop after every change that a course of moves makes to its disks,
and after the changes that the start after that stop makes.

The course (`tests.support.crashing`) has all that moves do: copies, a cancelled one that is kept
and taken up again, swaps, a redirected one, the ends of sources and of kept copies. Each stop is
tried as a SIGKILL (all that was written is there) and as power cuts (nothing of what was not synced
is there; or some of it). `SPINDLE_CRASH_POINTS=all` tries every second stop; otherwise a few after
each first one. The numbers of stops tried are printed at the end of the tests.
"""

from __future__ import annotations

import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
from tests.support.crashing import Course, Form, Outcome, Stop

ALL = os.environ.get("SPINDLE_CRASH_POINTS") == "all"
LUCK = 8 if ALL else 2
"""Fates that each power cut with luck has."""
WHOLE = 2
"""Of them, those after which every second stop is tried: ten minutes each, on two cores."""
SECONDS = 1
"""Second stops after each first one and form, where not all are tried."""

Tried = Counter[str]


def play(*stops: Stop) -> Outcome:
    """A course; whoever reads of its failure can play it again."""
    try:
        return Course(*stops).run()
    except Exception as broken:
        shown = ", ".join(f"Stop({s.change}, {s.form}, {s.seed})" for s in stops)
        raise AssertionError(f"Course({shown}): {type(broken).__name__}: {broken}") from broken


def first_stops(form: Form, change: int) -> Tried:
    """Stop once; then, after each of some changes of the start, once more."""
    tried: Tried = Counter()
    for seed in range(LUCK if form is Form.LUCK else 1):
        first = Stop(change, form, seed)
        once = play(first)
        assert once.stopped == (first,)
        tried["once"] += 1
        points: Sequence[int] = range(1, once.changes[1] + 1)
        if not ALL or seed >= WHOLE:
            points = sorted(random.Random(f"{first}").sample(points, min(SECONDS, len(points))))
        for again in points:
            twice = play(first, Stop(again, form, seed))
            assert len(twice.stopped) == 2
            tried["twice"] += 1
    return tried


@pytest.mark.timeout(7200 if ALL else 300)
@pytest.mark.parametrize("form", Form, ids=lambda form: form.name.lower())
@pytest.mark.spec("K113-15", "K113-16", "K113-18", "K113-19", "B-02", "B-04", "B-11", "B-21")
def test_nothing_is_lost_wherever_moves_stop(
    form: Form, record_property: Callable[[str, object], None]
) -> None:
    never = Stop(1 << 30, form)
    whole = play(never)
    calls, changes = whole.calls[0], whole.changes[0]
    assert whole.stopped == ()
    assert changes > 250, "the course of moves is a long one"
    tried: Tried = Counter()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for one in pool.map(partial(first_stops, form), range(1, changes + 1), chunksize=16):
            tried += one
    record_property(
        "tried",
        f"{form.value}: {tried['once']} stops at all {changes} changes among {calls} calls of a "
        f"course of moves, {tried['twice']} second stops in the starts after them",
    )
