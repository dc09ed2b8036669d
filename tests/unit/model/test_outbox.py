"""The Outbox: orders in order, answers to their continuations, timers at their time."""

import random
from functools import partial

import pytest

from spindle.model.jobs import MeasureUsage
from spindle.model.outbox import LEAST_REST, MOST_REST, RESTS, TURNS_LOOK, Outbox, Ready


def test_answers_reach_the_continuation_they_are_for() -> None:
    out, heard = Outbox(random.Random(1)), []
    out.run(MeasureUsage("/a"), lambda result: heard.append(("a", result)))
    out.run(MeasureUsage("/b"), lambda result: heard.append(("b", result)))
    ready = out.take()
    assert ready is not None
    first, second = ready.jobs
    out.done(second.ticket, 2)
    out.done(first.ticket, 1)
    assert heard == [("b", 2), ("a", 1)]
    assert out.take() is None
    with pytest.raises(KeyError):
        out.done(first.ticket, 1)


def test_timers_run_in_order_and_cancelled_ones_do_not() -> None:
    out, heard = Outbox(random.Random(1)), []
    out.after(2.0, lambda: heard.append("later"))
    out.after(1.0, lambda: heard.append("sooner"))
    out.after(1.5, lambda: heard.append("never")).cancel()
    assert out.wake_at == 1.0
    out.now = 3.0
    out.tick()
    assert heard == ["sooner", "later"]
    assert out.wake_at is None


def test_a_timer_set_while_timers_run_waits_its_turn() -> None:
    out = Outbox(random.Random(1))
    heard: list[int] = []

    def again() -> None:
        heard.append(len(heard))
        out.after(0.0, again)

    out.after(0.0, again)
    out.tick()
    assert heard == [0]
    out.tick()
    assert heard == [0, 1]


def test_the_same_seed_gives_the_same_ids() -> None:
    ids = [[Outbox(random.Random(7)).new_id() for _ in range(3)] for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 1


def test_what_is_in_a_hurry_leaves_before_the_input_has_ended() -> None:
    out, left = Outbox(random.Random(1)), []
    out.run(MeasureUsage("/a"), lambda _: None)
    out.flush_now()  # No part could carry it out: it leaves in the end.
    out.carry_out = lambda ready: left.append([asked.job for asked in ready.jobs])
    out.flush_now()
    out.flush_now()  # Nothing is left to say.
    out.run(MeasureUsage("/b"), lambda _: None)
    assert left == [[MeasureUsage("/a")]]
    ready = out.take()
    assert ready is not None
    assert [asked.job for asked in ready.jobs] == [MeasureUsage("/b")]


@pytest.mark.spec("S-08")
def test_what_is_done_at_last_leaves_with_the_rest_of_its_input() -> None:
    out = Outbox(random.Random(1))
    left: list[Ready] = []
    out.carry_out = left.append

    def last() -> None:
        out.answer(1, [b"last"])
        out.at_last(lambda: out.answer(1, [b"the very last"]))

    out.at_last(last)
    out.answer(1, [b"first"])
    out.flush_now()
    ready = out.take()
    assert ready is not None
    assert [answer.buffers for answer in left[0].answers] == [[b"first"]]
    assert [answer.buffers for answer in ready.answers] == [[b"last"], [b"the very last"]]
    assert out.take() is None


def test_long_work_is_done_a_piece_at_a_time() -> None:
    out = Outbox(random.Random(1))
    done: list[str] = []

    def twice() -> None:
        done.append("first half")
        out.in_turn(lambda: done.append("second half"))

    out.in_turn(lambda: done.append("at once"), at_once=True)
    assert (done, out.wake_at) == (["at once"], None)
    out.in_turn(twice)
    out.in_turn(lambda: done.append("another"), at_once=True)
    assert done == ["at once"], "it waits behind those that wait"
    for expected in ("first half", "another", "second half"):
        assert out.wake_at == out.now
        out.tick()
        assert done[-1] == expected
    assert (len(done), out.wake_at) == (4, None)


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(
    ("took", "rest"), [(0.0, LEAST_REST), (0.002, 0.002 * RESTS), (0.5, MOST_REST)]
)
@pytest.mark.parametrize(("busy", "strain"), [(0.0, 0.0), (0.7, 0.0), (0.85, 0.5), (1.0, 1.0)])
def test_long_work_rests_where_the_node_is_under_strain(
    busy: float, strain: float, took: float, rest: float
) -> None:
    """As long as the piece before it took, many times over: a short one costs the others little,
    and a thousand clients that wait for the same answer get it in short pieces."""
    out = Outbox(random.Random(1))
    spent = 0.0
    out.stopwatch = lambda: out.now + spent

    def piece() -> None:
        nonlocal spent
        spent += took

    out.busy = busy
    out.in_turn(piece, at_once=True)
    for expected, pause in ((rest, 0.0), (LEAST_REST, MOST_REST), (0.0, 0.0)):
        out.in_turn(lambda: None)
        assert out.wake_at == pytest.approx(out.now + expected * strain)
        assert out.wake_at is not None
        out.now = out.wake_at
        out.tick()
        out.now += pause
    assert out.wake_at is None


@pytest.mark.spec("S-08")
def test_short_pieces_that_rested_for_long_have_one_turn_together() -> None:
    """Turns of a node under strain last longer than short pieces need to rest: a thousand clients
    that wait for the same answer, a few to a piece, do not wait for as many turns."""
    out = Outbox(random.Random(1))
    spent, done = 0.0, 0
    out.stopwatch = lambda: out.now + spent
    out.busy = 1.0

    def piece(took: float) -> None:
        nonlocal spent, done
        spent, done = spent + took, done + 1

    for took, together in ((0.0, 2), (0.004, 1), (0.02, 1)):
        done = 0
        for _ in range(20):
            out.in_turn(partial(piece, took))
        out.tick()
        first, done = done, 0
        out.now += MOST_REST + LEAST_REST / 4
        out.tick()
        assert (first, done) == (1, together), took
        while out.wake_at is not None:
            out.now = out.wake_at
            out.tick()
        out.now += MOST_REST


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(
    ("own", "rest"), [(0.0, 0.05), (0.7, 0.05), (0.8, 0.025), (0.9, 0.0), (1.0, 0.0)]
)
def test_long_work_does_not_rest_from_itself(own: float, rest: float) -> None:
    """All of the node's time is taken, `own` of it by pieces of long work: by the rest others."""
    out = Outbox(random.Random(1))
    spent = 0.0
    out.stopwatch = lambda: out.now + spent

    def piece(took: float) -> None:
        nonlocal spent
        spent += took

    short = MOST_REST / RESTS
    for took, expected in ((max(0.0, own * TURNS_LOOK - short), rest), (short, MOST_REST)):
        # In the end pieces take little of the node's time: others do.
        out.in_turn(partial(piece, took), at_once=True)
        out.now, out.busy = out.now + TURNS_LOOK, 1.0
        out.in_turn(partial(piece, short))
        out.in_turn(lambda: None)
        out.tick()
        assert out.wake_at == pytest.approx(out.now + expected)
        out.now += MOST_REST
        out.tick()
