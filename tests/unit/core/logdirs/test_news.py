"""The queue of news for the controller; named as in Apache Kafka's AssignmentsManagerTest."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.logdirs.report_queue import (
    BACKOFF_FIRST,
    BACKOFF_MAX,
    BATCH_MAX,
    GATHER,
    ReportBatch,
    ReportQueue,
    StateChange,
    is_like,
)
from spindle.model.errors import Error
from spindle.model.ids import PartitionId

TOPIC = uuid.UUID(int=500)
D1, D2 = uuid.UUID(int=1001), uuid.UUID(int=1002)


def id(partition: int) -> PartitionId:
    return PartitionId(TOPIC, partition)


def anything(_: PartitionId, __: uuid.UUID) -> bool:
    return True


def take(queue: ReportQueue[uuid.UUID], now: float) -> ReportBatch[uuid.UUID]:
    batch = queue.take(now, anything)
    assert batch is not None
    return batch


@pytest.mark.spec("K858-17")
def test_successful_assignment() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    assert queue.due == GATHER
    assert queue.take(GATHER / 2, anything) is None
    batch = take(queue, GATHER)
    assert batch.entries == {id(0): D1}
    assert queue.on_answered(batch.serial, {id(0): Error.NONE}, 1.0) == [id(0)]
    assert len(queue) == 0
    assert queue.due is None


@pytest.mark.spec("K858-17")
def test_unsuccessful_request_causes_retransmission() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    queue.on_failed(batch.serial, 1.0, 0.0)
    assert len(queue) == 1
    assert queue.due == pytest.approx(1.0 + BACKOFF_FIRST)
    assert take(queue, 2.0).entries == {id(0): D1}


def test_apply_backoff_interval_doubles_up_to_a_limit() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    now, delays = 1.0, []
    for _ in range(12):
        batch = take(queue, now)
        queue.on_failed(batch.serial, now, 0.5)
        assert queue.due is not None
        delays.append(queue.due - now)
        now = queue.due
    assert delays[:3] == pytest.approx([0.101, 0.202, 0.404])
    assert max(delays) == pytest.approx(BACKOFF_MAX * 1.01)


@pytest.mark.spec("K858-17")
def test_one_assignment_fails_one_succeeds() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    queue.want(id(1), D1, 0.0)
    batch = take(queue, 1.0)
    errors: dict[PartitionId, Error | int] = {
        id(0): Error.NONE,
        id(1): Error.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert queue.on_answered(batch.serial, errors, 1.0) == [id(0)]
    assert take(queue, 9.0).entries == {id(1): D1}


def test_mismatched_input_does_not_trigger_completion() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    assert queue.on_answered(batch.serial + 1, {id(0): Error.NONE}, 1.0) == []
    assert queue.is_flying(id(0))
    assert queue.on_answered(batch.serial, {id(7): Error.NONE}, 1.0) == []
    assert take(queue, 9.0).entries == {id(0): D1}


@pytest.mark.spec("K858-17")
def test_one_request_is_under_way_at_a_time() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    queue.want(id(1), D1, 1.0)
    assert queue.due is None
    assert queue.take(99.0, anything) is None
    queue.on_answered(batch.serial, {id(0): Error.NONE}, 2.0)
    assert take(queue, 99.0).entries == {id(1): D1}


@pytest.mark.spec("K858-17")
def test_the_newest_word_counts() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    queue.want(id(0), D2, 0.1)
    assert take(queue, 1.0).entries == {id(0): D2}


def test_a_newer_word_outlives_the_failure_of_the_older() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    queue.want(id(0), D2, 1.0)
    assert len(queue) == 1
    assert queue.wanted(id(0)) == D2
    queue.on_failed(batch.serial, 2.0, 0.0)
    assert take(queue, 99.0).entries == {id(0): D2}


def test_back_to_what_is_under_way_already_sends_nothing_more() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    queue.want(id(0), D2, 1.0)
    queue.want(id(0), D1, 1.1)
    queue.on_answered(batch.serial, {id(0): Error.NONE}, 2.0)
    assert len(queue) == 0


@pytest.mark.spec("K858-17")
def test_what_is_pointless_is_dropped_before_it_is_sent() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    queue.want(id(1), D1, 0.0)
    batch = queue.take(1.0, lambda partition, _: partition == id(1))
    assert batch is not None
    assert batch.entries == {id(1): D1}
    assert len(queue) == 1


def test_nothing_relevant_leaves_nothing() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    assert queue.take(1.0, lambda *_: False) is None
    assert len(queue) == 0
    assert queue.due is None


def test_withdrawn_is_not_sent() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    queue.withdraw(id(0))
    assert queue.take(1.0, anything) is None


@pytest.mark.spec("K858-17")
def test_at_most_2250_in_a_request_and_no_waiting_when_overloaded() -> None:
    queue = ReportQueue[uuid.UUID]()
    for partition in range(BATCH_MAX + 10):
        queue.want(id(partition), D1, 0.0)
    assert queue.due == 0.0
    batch = take(queue, 0.0)
    assert len(batch.entries) == BATCH_MAX
    assert len(queue) == BATCH_MAX + 10
    queue.on_answered(batch.serial, dict.fromkeys(batch.entries, Error.NONE), 1.0)
    assert len(take(queue, 2.0).entries) == 10


def test_do_not_schedule_immediately_when_overloaded_if_there_are_previous_failures() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    batch = take(queue, 1.0)
    queue.on_failed(batch.serial, 1.0, 0.0)
    for partition in range(BATCH_MAX + 10):
        queue.want(id(partition), D1, 1.0)
    assert queue.due == pytest.approx(1.0 + BACKOFF_FIRST)


@pytest.mark.spec("K858-17")
def test_a_new_controller_or_epoch_ends_the_waiting() -> None:
    queue = ReportQueue[uuid.UUID]()
    queue.want(id(0), D1, 0.0)
    for _ in range(8):
        assert queue.due is not None
        queue.on_failed(take(queue, queue.due).serial, queue.due or 100.0, 0.0)
    queue.on_controller_changed(5.0)
    assert queue.due == 5.0


# --- states of replicas (KIP-589) ----------------------------------------------------------------


@pytest.mark.spec("K589-03")
def test_what_went_offline_is_reported_together_and_what_is_back_apart() -> None:
    queue = ReportQueue[StateChange](is_like)
    queue.want(id(0), StateChange(False, "a CRC is wrong"), 0.0)
    queue.want(id(1), StateChange(True), 0.005)
    queue.want(id(2), StateChange(False, "a file is gone"), 0.01)
    batch = queue.take(GATHER, lambda *_: True)
    assert batch is not None
    assert list(batch.entries) == [id(0), id(2)]
    queue.on_failed(batch.serial, 1.0, 0.0)
    # Healed before the controller heard of it: nothing is left to report of that one.
    queue.withdraw(id(0))
    batch = queue.take(2.0, lambda *_: True)
    assert batch is not None
    assert list(batch.entries) == [id(1)]
    queue.on_answered(batch.serial, {id(1): Error.NONE}, 2.0)
    batch = queue.take(3.0, lambda *_: True)
    assert batch is not None
    assert list(batch.entries) == [id(2)]


@pytest.mark.spec("K589-05")
def test_a_controller_without_the_api_gets_nothing_and_nothing_is_repeated() -> None:
    queue = ReportQueue[StateChange](is_like)
    queue.want(id(0), StateChange(False, "bad"), 0.0)
    batch = queue.take(1.0, lambda *_: True)
    assert batch is not None
    queue.want(id(1), StateChange(True), 1.0)
    # What came meanwhile would not be taken either: none of it may be forgotten.
    dropped = {id(0): StateChange(False, "bad"), id(1): StateChange(True)}
    assert queue.on_unserved(batch.serial) == dropped
    assert queue.on_unserved(batch.serial) == {}
    assert len(queue) == 0
    assert queue.due is None
