"""The crash matrix of moves: a stop after each second change that a course of moves makes to its
disks, and after the changes that the start after that stop makes. So do logs with transactions,
and logs like that of `__consumer_offsets`, compacted in between (`tests.support.contents`).

The course (`tests.support.crashing`) has all that moves do: copies, a cancelled one that is kept
and resumed, swaps, a redirected one, the ends of sources and of kept copies. Each stop is
tried as a SIGKILL (all that was written is there) and as power cuts (nothing of what was not synced
is there; or some of it). `SPINDLE_CRASH_POINTS=all` tries every second stop and more fates;
otherwise one after some of the first ones. `make explore` tries every first stop. The tests print
at their end how many were tried.
"""

from __future__ import annotations

import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
from tests.support.amounts import beyond
from tests.support.contents import Offsets, Plain, Transactions
from tests.support.crashing import Course, Form, Outcome, Stop

ALL = os.environ.get("SPINDLE_CRASH_POINTS") == "all"
LUCK = 8 if ALL else 1
"""Fates that each power cut with luck has."""
WHOLE = 2
"""Of them, those after which every second stop is tried: ten minutes each, on two cores."""
EVERY = {Form.KILLED: 2, Form.WORST: 2, Form.LUCK: 4}
"""Of the changes, each which is a first stop, where not all are: a kill and a power cut in turn."""
NOT_PLAIN = {Form.KILLED: 10, Form.WORST: 14, Form.LUCK: 38}
"""The same of logs that are not plain."""
THIRD = 3
"""Of the first stops, each which is followed by a second one, where not all are tried."""

Tried = Counter[str]


def play(*stops: Stop, content: type[Plain] = Plain) -> Outcome:
    """A course; its name in the report of a failure is enough to play it again."""
    try:
        return Course(*stops, content=content).run()
    except Exception as broken:
        shown = ", ".join(f"Stop({s.change}, {s.form}, {s.seed})" for s in stops)
        course = f"Course({shown}, content={content.__name__})"
        raise AssertionError(f"{course}: {type(broken).__name__}: {broken}") from broken


def first_stops(content: type[Plain], form: Form, change: int) -> Tried:
    """Stop once; then, after each of some changes of the start, once more."""
    tried: Tried = Counter()
    for seed in range(LUCK if form is Form.LUCK else 1):
        first = Stop(change, form, seed)
        once = play(first, content=content)
        assert once.stopped == (first,)
        tried["once"] += 1
        points: Sequence[int] = range(1, once.changes[1] + 1)
        if not ALL or seed >= WHOLE:
            points = [random.Random(f"{first}").choice(points)] if change % THIRD == 0 else []
        for again in points:
            twice = play(first, Stop(again, form, seed), content=content)
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
    with processors() as pool:
        tried = try_all(pool, Plain, form, first_changes(form, changes, EVERY))
    record_property(
        "tried",
        f"{form.value}: {tried['once']} stops among {changes} changes in {calls} calls of a "
        f"course of moves, {tried['twice']} second stops in the starts after them",
    )


@pytest.mark.timeout(14_400 if ALL else 300)
@pytest.mark.parametrize("content", [Transactions, Offsets], ids=["transactions", "offsets"])
@pytest.mark.spec("K113-30", "K113-15", "K113-16", "K113-18", "K113-19")
def test_nothing_is_lost_of_logs_that_are_not_plain(
    content: type[Plain], record_property: Callable[[str, object], None]
) -> None:
    with processors() as pool:
        for form in Form:
            changes = play(Stop(1 << 30, form), content=content).changes[0]
            tried = try_all(pool, content, form, first_changes(form, changes, NOT_PLAIN))
            record_property(
                "tried",
                f"{content.__name__.lower()}, {form.value}: {tried['once']} stops among {changes} "
                f"changes of a course of moves, {tried['twice']} second stops in the starts after "
                "them",
            )


def first_changes(form: Form, changes: int, every: dict[Form, int]) -> list[int]:
    """After which changes of a course it is stopped: other ones for each form."""
    whole = range(1, changes + 1)
    if ALL:
        return [*whole]
    return sorted({*whole[list(Form).index(form) :: every[form]], *beyond(whole)})


def processors() -> ProcessPoolExecutor:
    """All of this machine's."""
    return ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn"))


def try_all(
    pool: ProcessPoolExecutor, content: type[Plain], form: Form, points: Iterable[int]
) -> Tried:
    """All these first stops."""
    tried: Tried = Counter()
    for one in pool.map(partial(first_stops, content, form), points, chunksize=8):
        tried += one
    return tried
