"""When a voter stops waiting for a leader at whose address no process listens."""

from __future__ import annotations

import random

from spindle.core.raft.fast_election import DOUBLINGS_MAX, STEP_SECONDS, FastElection

VOTERS = (1, 2, 3)


def test_one_closed_connection_is_not_enough() -> None:
    election = FastElection()
    assert not election.on_gone(1)
    assert not election.is_due


def test_the_second_in_a_row_makes_it_due_once() -> None:
    election = FastElection()
    assert [election.on_gone(1) for _ in range(4)] == [False, True, False, False]
    assert election.is_due


def test_an_answer_between_makes_it_void() -> None:
    election = FastElection()
    election.on_gone(1)
    election.forget()
    assert not election.on_gone(1)
    assert not election.is_due


def test_voters_ask_one_after_the_other_whichever_led() -> None:
    for leader in VOTERS:
        left = [voter for voter in VOTERS if voter != leader]
        first, second = (_gone(leader).delay(me, VOTERS, random.Random(me)) for me in left)
        assert 0 <= first <= STEP_SECONDS <= second <= 2 * STEP_SECONDS


def test_each_attempt_waits_longer_up_to_a_limit() -> None:
    election, rng = _gone(1), random.Random(1)
    delays = [election.delay(3, VOTERS, rng) for _ in range(10)]
    steps = [STEP_SECONDS * (1 << min(n, DOUBLINGS_MAX)) for n in range(10)]
    assert all(step <= d <= 2 * step for step, d in zip(steps, delays, strict=True))


def _gone(leader: int) -> FastElection:
    election = FastElection()
    election.on_gone(leader)
    election.on_gone(leader)
    return election
