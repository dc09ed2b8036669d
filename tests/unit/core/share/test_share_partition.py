"""The machine of a share partition: acquire, acknowledge, release, archive (KIP-932)."""

from __future__ import annotations

import random

import pytest

from spindle.core.share.record_runs import DeliveryChange
from spindle.core.share.share_partition import (
    Acknowledgement,
    Acquisition,
    ShareLimits,
    SharePartition,
    check_acknowledgements,
)
from spindle.core.share.share_values import AcknowledgeType, DeliveryState, StateBatch
from spindle.core.share.state_batches import combined
from spindle.model.errors import Error, Refusal

pytestmark = [pytest.mark.spec("C-04")]
ACCEPT, RELEASE, REJECT, RENEW = (
    int(AcknowledgeType.ACCEPT),
    int(AcknowledgeType.RELEASE),
    int(AcknowledgeType.REJECT),
    int(AcknowledgeType.RENEW),
)
LIMITS = ShareLimits(deliveries=2, locks=100, lock_seconds=10.0)


def ask(member: str = "a", records: int = 500, strict: bool = False) -> Acquisition:
    return Acquisition(member, records, 500, strict)


def spans(batches: list[StateBatch]) -> list[tuple[int, int, int]]:
    return [(b.first, b.last, b.deliveries) for b in batches]


def said(
    machine: SharePartition, first: int, last: int, *types: int, member: str = "a"
) -> DeliveryChange:
    change = machine.acknowledge(member, [Acknowledgement(first, last, types)], 0.0)
    assert change is not None
    return change


def test_what_is_accepted_moves_the_start_once_it_is_written() -> None:
    machine = SharePartition(LIMITS, 0)
    assert spans(machine.acquire(ask(), [(0, 4), (5, 9)], 0.0)) == [(0, 9, 1)]
    change = said(machine, 0, 6, ACCEPT)
    assert change.batches == [StateBatch(0, 6, DeliveryState.ACKNOWLEDGED, 1)]
    assert (change.start, change.complete) == (0, 7)
    assert machine.start == 0
    machine.on_written(change, Error.NONE)
    assert (machine.start, machine.end, machine.next) == (7, 10, 10)


def test_what_could_not_be_written_is_as_it_was() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 4)], 0.0)
    machine.on_written(said(machine, 0, 4, ACCEPT), Error.COORDINATOR_NOT_AVAILABLE)
    assert machine.start == 0
    machine.on_written(said(machine, 0, 4, RELEASE), Error.NONE)
    assert machine.next == 0


def test_a_record_that_is_delivered_too_often_is_given_up() -> None:
    machine = SharePartition(LIMITS, 0)
    for deliveries in (1, 2):
        assert spans(machine.acquire(ask(), [(0, 0)], 0.0)) == [(0, 0, deliveries)]
        machine.on_written(said(machine, 0, 0, RELEASE), Error.NONE)
    assert (machine.start, machine.next) == (1, 1)


def test_each_record_can_fare_differently() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 4)], 0.0)
    change = said(machine, 0, 4, ACCEPT, ACCEPT, RELEASE, REJECT, ACCEPT)
    machine.on_written(change, Error.NONE)
    assert machine.start == machine.next == 2
    assert spans(machine.acquire(ask("b"), [(0, 4), (5, 6)], 0.0)) == [(2, 2, 2), (5, 6, 1)]


def test_a_lock_ends_and_the_record_is_free_at_once() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 4)], 0.0)
    assert machine.deadline == 10.0
    assert machine.on_time(9.0) is None
    assert machine.acknowledge("a", [Acknowledgement(0, 0, (RENEW,))], 9.0) is None
    assert machine.timed_out == 0
    change = machine.on_time(10.0)
    assert machine.timed_out == 4
    assert change is not None
    assert change.batches == [StateBatch(1, 4, DeliveryState.AVAILABLE, 1)]
    assert spans(machine.acquire(ask("b"), [(0, 4)], 11.0)) == [(1, 4, 2)]
    with pytest.raises(Refusal) as caught:
        machine.acknowledge("a", [Acknowledgement(1, 4, (ACCEPT,))], 11.0)
    assert caught.value.error is Error.INVALID_RECORD_STATE


def test_no_more_than_the_limit_is_in_flight() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 59), (60, 119), (120, 150)], 0.0)
    assert machine.end == 120
    assert not machine.can_acquire
    machine.on_written(said(machine, 0, 0, RELEASE), Error.NONE)
    assert machine.can_acquire


def test_a_strict_limit_cuts_batches() -> None:
    machine = SharePartition(LIMITS, 0)
    assert spans(machine.acquire(ask(records=3, strict=True), [(0, 9)], 0.0)) == [(0, 2, 1)]
    assert spans(machine.acquire(ask("b", 20, True), [(0, 9)], 0.0)) == [(3, 9, 1)]


def test_a_strict_limit_leaves_no_more_in_flight_than_may_be() -> None:
    machine = SharePartition(LIMITS, 0)
    assert spans(machine.acquire(ask(records=90, strict=True), [(0, 99)], 0.0)) == [(0, 89, 1)]
    assert spans(machine.acquire(ask("b", 50, True), [(0, 150)], 0.0)) == [(90, 99, 1)]
    assert not machine.can_acquire
    machine.on_written(said(machine, 5, 6, RELEASE), Error.NONE)
    assert spans(machine.acquire(ask("b", 50, True), [(0, 150)], 0.0)) == [(5, 6, 2)]


def test_a_record_whose_lock_has_ended_stays_with_the_next_member_whatever_can_be_written() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 4)], 0.0)
    change = machine.on_time(10.0)
    assert change is not None
    assert spans(machine.acquire(ask("b"), [(0, 4)], 10.0)) == [(0, 4, 2)]
    machine.on_written(change, Error.COORDINATOR_NOT_AVAILABLE)
    assert machine.acquire(ask("c"), [(0, 4)], 10.0) == []
    machine.on_written(said(machine, 0, 4, ACCEPT, member="b"), Error.NONE)
    assert machine.start == 5


def test_what_is_not_in_the_log_or_was_aborted_is_passed_over() -> None:
    machine = SharePartition(LIMITS, 0)
    assert spans(machine.acquire(ask(), [(2, 3), (6, 7), (8, 9)], 0.0, aborted=[6])) == [
        (2, 3, 1),
        (8, 9, 1),
    ]
    assert machine.start == 2
    machine.on_written(said(machine, 2, 3, ACCEPT), Error.NONE)
    assert machine.start == 8


def test_a_reload_knows_what_was_kept() -> None:
    kept = [StateBatch(2, 3, 2, 1), StateBatch(6, 6, 0, 1)]
    machine = SharePartition(LIMITS, 0, kept)
    assert (machine.start, machine.end, machine.next) == (0, 7, 0)
    assert spans(machine.acquire(ask(), [(0, 9)], 0.0)) == [
        (0, 1, 1), (4, 5, 1), (6, 6, 2), (7, 9, 1)
    ]  # fmt: skip


def test_the_log_begins_later() -> None:
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 9)], 0.0)
    machine.on_log_start(5)
    machine.on_written(said(machine, 0, 9, ACCEPT), Error.NONE)
    assert machine.start == 10
    machine.on_log_start(20)
    assert (machine.start, machine.end, machine.next) == (20, 20, 20)


@pytest.mark.parametrize(
    ("batches", "error"),
    [
        ([Acknowledgement(3, 2, (1,))], "Invalid acknowledge batches"),
        ([Acknowledgement(0, 2, (1,)), Acknowledgement(2, 3, (1,))], "Overlapping"),
        ([Acknowledgement(0, 2, ())], "missing"),
        ([Acknowledgement(0, 2, (1, 1))], "count"),
        ([Acknowledgement(0, 0, (5,))], "type"),
    ],
)
def test_acknowledgements_that_are_wrong(batches: list[Acknowledgement], error: str) -> None:
    with pytest.raises(Refusal, match=error):
        check_acknowledgements(batches)


def finals(change: DeliveryChange) -> set[int]:
    """Records that are over with a change."""
    return {n for b in change.batches if b.state >= 2 for n in range(b.first, b.last + 1)}


@pytest.mark.parametrize("seed", range(60))
def test_random_courses_with_crashes_lose_nothing_and_repeat_nothing(seed: int) -> None:
    """Nothing whose acceptance was kept is delivered again; all else is delivered until it is
    accepted or given up; deliveries never exceed the limit."""
    rng = random.Random(seed)
    log = [(n, n + 2) for n in range(0, 30, 3)]
    machine, start = SharePartition(LIMITS, 0), 0
    kept: tuple[StateBatch, ...] = ()
    over: set[int] = set()
    out: dict[str, list[tuple[int, int]]] = {"a": [], "b": []}
    now = 0.0
    pending: list[DeliveryChange] = []
    for _ in range(400):
        now += rng.random() * 2
        deed = rng.random()
        member = rng.choice("ab")
        if deed < 0.35:
            found = machine.acquire(
                ask(member, rng.randint(1, 9), rng.random() < 0.5),
                [b for b in log if b[1] >= machine.next],
                now,
            )
            for batch in found:
                assert over.isdisjoint(range(batch.first, batch.last + 1))
                assert batch.deliveries <= LIMITS.deliveries
                out[member].append((batch.first, batch.last))
        elif deed < 0.65 and out[member]:
            first, last = out[member].pop(rng.randrange(len(out[member])))
            types = [rng.choice((ACCEPT, RELEASE, REJECT, RENEW)) for _ in range(first, last + 1)]
            try:
                change = machine.acknowledge(member, [Acknowledgement(first, last, types)], now)
            except Refusal:
                continue  # Its locks have ended.
            if change is not None:
                pending.append(change)
        elif deed < 0.8 and pending:
            change = pending.pop(0)
            if rng.random() < 0.2:
                machine.on_written(change, Error.COORDINATOR_NOT_AVAILABLE)
            else:
                start = max(start, change.start)
                kept = combined(kept, change.batches, start)
                machine.on_written(change, Error.NONE)
                over |= finals(change)
        elif deed < 0.9:
            change = machine.on_time(now)
            if change is not None:
                start = max(start, change.start)
                kept = combined(kept, change.batches, start)
                over |= finals(change)
        elif deed < 0.95:
            change = machine.release(member)
            out[member].clear()
            if change is not None:
                pending.append(change)
        elif rng.random() < 0.3:
            machine, pending = SharePartition(LIMITS, start, kept), []
            out = {"a": [], "b": []}
    for change in pending:
        machine.on_written(change, Error.NONE)
        over |= finals(change)
    while machine.start < 30:
        now += 20
        late = machine.on_time(now)
        if late is not None:
            over |= finals(late)
        for batch in machine.acquire(ask("c"), [b for b in log if b[1] >= machine.next], now):
            over |= set(range(batch.first, batch.last + 1))
            change = said(machine, batch.first, batch.last, ACCEPT, member="c")
            machine.on_written(change, Error.NONE)
    assert over == set(range(30))


def test_what_comes_back_while_others_are_read_stays_free() -> None:
    """Records were read from 5 on; 0 to 4 came back meanwhile, and are no gap of the log."""
    machine = SharePartition(LIMITS, 0)
    machine.acquire(ask(), [(0, 4)], 0.0)
    offset = machine.next
    machine.on_written(said(machine, 0, 4, RELEASE), Error.NONE)
    assert spans(machine.acquire(ask("b"), [(7, 9)], 0.0, offset=offset)) == [(7, 9, 1)]
    assert machine.next == 0
    assert spans(machine.acquire(ask("b"), [(0, 4), (7, 9)], 0.0)) == [(0, 4, 2)]
