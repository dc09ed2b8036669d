"""Deadlines and offsets that requests wait for."""

from __future__ import annotations

import random
from functools import partial

from spindle.core.replica.waiting import GRAIN, Deadlines, OffsetWaiters
from spindle.model.errors import Error


def test_deadlines_come_in_order_and_never_early() -> None:
    rng = random.Random(5)
    deadlines: Deadlines[int] = Deadlines()
    due = {n: rng.random() * 10 for n in range(500)}
    for thing, at in due.items():
        deadlines.add(at, thing)
    for thing in range(0, 500, 3):
        deadlines.discard(thing)
        del due[thing]
    now, seen = 0.0, []
    while deadlines.next is not None:
        assert deadlines.next >= now
        now = deadlines.next
        for thing in deadlines.take_due(now):
            assert due[thing] <= now <= due[thing] + 2 * GRAIN
            seen.append(thing)
    assert sorted(seen) == sorted(due)
    assert len(deadlines) == 0


def test_what_was_taken_back_leaves_nothing_behind() -> None:
    deadlines: Deadlines[int] = Deadlines()
    for n in range(1000):
        deadlines.add(n / 10, n)
        deadlines.discard(n)
    deadlines.discard(5)
    assert deadlines.next is None
    assert deadlines.take_due(1e9) == []


def test_offsets_are_reached_in_order() -> None:
    waiters = OffsetWaiters()
    heard: list[tuple[str, Error]] = []

    def hear(name: str, error: Error) -> None:
        heard.append((name, error))

    for name, offset in (("c", 9), ("a", 3), ("b", 5), ("a2", 3)):
        waiters.add(offset, partial(hear, name))
    gone = waiters.add(4, partial(hear, "gone"))
    waiters.discard(gone)
    for then in waiters.take_reached(5):
        then(Error.NONE)
    assert heard == [("a", Error.NONE), ("a2", Error.NONE), ("b", Error.NONE)]
    assert len(waiters) == 1
    for then in waiters.take_all():
        then(Error.NOT_LEADER_OR_FOLLOWER)
    assert heard[-1] == ("c", Error.NOT_LEADER_OR_FOLLOWER)
    assert waiters.take_all() == waiters.take_reached(100) == []
