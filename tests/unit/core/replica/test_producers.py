"""Sequence numbers of idempotent producers (KIP-98)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spindle.core.replica.producer_state_manager import (
    EPOCH_MAX,
    PRODUCERS_MAX,
    SEQUENCES,
    ProducerStateManager,
)
from spindle.model.batches import CONTROL, TRANSACTIONAL, EndTransactionMarker, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.log_values import ProducerEntry

MARKER = CONTROL | TRANSACTIONAL


def batch(
    sequence: int, base: int = 0, count: int = 1, epoch: int = 0, pid: int = 7
) -> RecordBatch:
    return RecordBatch(base, count - 1, 0, 0, 1000, 1000 + base, pid, epoch, sequence, count, b"")


def transactional(sequence: int, epoch: int = 0, pid: int = 7) -> RecordBatch:
    return replace(batch(sequence, epoch=epoch, pid=pid), attributes=TRANSACTIONAL)


def noted(*batches: RecordBatch) -> ProducerStateManager:
    producers = ProducerStateManager()
    for one in batches:
        assert producers.check(one) is None
        producers.note(one)
    return producers


def error(producers: ProducerStateManager, one: RecordBatch) -> Error:
    with pytest.raises(Refusal) as caught:
        producers.check(one)
    return caught.value.error


def test_five_batches_are_recognised_and_no_more() -> None:
    producers = noted(*(batch(n * 2, n * 2, 2) for n in range(7)))
    for n in range(2, 7):
        found = producers.check(batch(n * 2, 0, 2))
        assert found is not None
        assert (found.base_offset, found.last_offset) == (n * 2, n * 2 + 1)
    assert error(producers, batch(2, 0, 2)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert error(producers, batch(12, 0, 1)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(batch(14, 14, 2)) is None


def test_sequences_wrap_around() -> None:
    producers = ProducerStateManager()
    producers.note(batch(SEQUENCES - 2, 0, 2))
    assert producers.check(batch(0, 2)) is None
    assert error(producers, batch(1, 2)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    over = batch(SEQUENCES - 1, 0, 3, pid=8)
    producers.note(over)
    assert producers.check(over) is not None
    assert producers.check(batch(2, 3, pid=8)) is None


def test_epochs_fence() -> None:
    producers = noted(batch(0), batch(0, 1, epoch=3))
    assert error(producers, batch(1, 2)) == Error.INVALID_PRODUCER_EPOCH
    assert error(producers, batch(4, 2, epoch=4)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(batch(0, 2, epoch=4)) is None


def test_unknown_producers_may_begin_anywhere() -> None:
    assert ProducerStateManager().check(batch(1234)) is None


def test_snapshots_of_a_log_are_taken_up() -> None:
    producers = ProducerStateManager(
        [ProducerEntry(7, 2, 9, 109, 4, 5000), ProducerEntry(8, 0, -1, -1, 0, 1)]
    )
    found = producers.check(replace(batch(5, count=5), producer_epoch=2))
    assert found is not None
    assert (found.base_offset, found.last_offset) == (105, 109)
    assert producers.check(batch(10, 110, epoch=2)) is None
    # Its epoch is known, but no append in it: the first one must come first.
    assert producers.check(batch(0, 110, pid=8)) is None
    assert error(producers, batch(3, 110, pid=8)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_all_that_a_snapshot_tells_of_a_producer_is_recognised() -> None:
    entries = [ProducerEntry(7, 0, n, 100 + n, 0, 1) for n in range(5)]
    producers = ProducerStateManager([ProducerEntry(7, 5, 9, 9, 0, 1), *entries])
    for n in range(5):
        found = producers.check(batch(n))
        assert found is not None
        assert found.base_offset == 100 + n
    assert producers.check(batch(5)) is None


def test_control_batches_move_the_epoch_and_no_sequence() -> None:
    producers = noted(batch(0))
    producers.note(replace(batch(-1, 1, epoch=1), attributes=CONTROL))
    assert producers.check(batch(0, 2, epoch=1)) is None
    assert error(producers, batch(1, 2)) == Error.INVALID_PRODUCER_EPOCH


def test_where_each_transaction_has_its_epoch_the_first_batch_begins_at_zero() -> None:
    """KIP-890: an unknown producer, or one without records in its epoch, begins at sequence 0."""
    producers = ProducerStateManager()
    producers.on_asked(transactional(3), True, 1)
    assert error(producers, transactional(3)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    producers.on_asked(transactional(0), True, 2)
    producers.note(transactional(0))
    producers.note(replace(batch(-1, 1, epoch=1), attributes=MARKER), EndTransactionMarker(True, 0))
    producers.on_asked(transactional(1, epoch=1), True, 3)
    assert error(producers, transactional(1, epoch=1)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    # One that has written in its epoch goes on.
    known = noted(batch(0))
    known.on_asked(transactional(1), True, 4)
    assert known.check(transactional(1)) is None


def test_of_batches_that_have_asked_the_lowest_sequence_comes_first() -> None:
    producers = ProducerStateManager()
    for sequence in (4, 2, 6):
        producers.on_asked(transactional(sequence), False, 1)
    assert error(producers, transactional(4)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(transactional(2)) is None
    # A younger epoch begins again; an older one changes nothing.
    producers.on_asked(transactional(5, epoch=1), False, 1)
    producers.on_asked(transactional(1), False, 1)
    assert producers.check(transactional(5, epoch=1)) is None
    assert error(producers, transactional(6, epoch=1)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER


@pytest.mark.parametrize("ends", [True, False])
def test_a_question_is_forgotten_when_its_transaction_begins_or_ends(ends: bool) -> None:
    producers = ProducerStateManager()
    producers.on_asked(transactional(2, pid=8), False, 1)
    if ends:
        end = replace(batch(-1, 1, pid=8), attributes=MARKER)
        producers.note(end, EndTransactionMarker(False, 0))
        producers.note(batch(2, 2, pid=8))
    else:
        producers.note(transactional(2, pid=8))
    assert producers.check(transactional(3, pid=8)) is None


def test_a_question_is_forgotten_with_time() -> None:
    producers = ProducerStateManager()
    producers.on_asked(transactional(2), False, 1_000)
    producers.on_asked(transactional(2), False, 5_000)
    producers.expire(999)
    assert error(producers, transactional(3)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    producers.expire(1_000)
    assert producers.check(transactional(3)) is None


def marked(
    producers: ProducerStateManager, epoch: int, coordinator: int = 0, **more: bool
) -> Error:
    flags = {"bumped": True, "is_open": False} | more
    return producers.check_marker(7, epoch, coordinator, **flags)


def test_markers_of_older_epochs_and_coordinators_are_refused() -> None:
    producers = noted(batch(0, epoch=3))
    assert marked(producers, 2) == Error.INVALID_PRODUCER_EPOCH
    assert marked(producers, 4) == Error.NONE
    end = replace(batch(-1, 1, epoch=4), attributes=MARKER)
    producers.note(end, EndTransactionMarker(True, 9))
    assert marked(producers, 4, 8) == Error.TRANSACTION_COORDINATOR_FENCED
    assert marked(producers, 5, 8) == Error.TRANSACTION_COORDINATOR_FENCED
    assert marked(producers, 5, 9) == Error.NONE
    assert ProducerStateManager().check_marker(7, 0, 0, bumped=True, is_open=False) == Error.NONE


def test_a_marker_in_the_epoch_of_an_open_transaction_is_not_its_own() -> None:
    producers = noted(batch(0, epoch=3))
    assert marked(producers, 3) == Error.NONE, "it came before: nothing is open"
    assert marked(producers, 3, is_open=True) == Error.INVALID_PRODUCER_EPOCH
    assert marked(producers, 3, is_open=True, bumped=False) == Error.NONE
    last = noted(batch(0, epoch=EPOCH_MAX))
    assert marked(last, EPOCH_MAX, is_open=True) == Error.NONE


def test_the_idle_are_forgotten() -> None:
    producers = noted(batch(0, 0, pid=1), batch(0, 500, pid=2))
    assert producers.expire(999) == 0
    assert producers.expire(1000, keep=(1,)) == 0
    assert producers.expire(1000) == 1
    assert [id for id, _ in producers.items()] == [2]
    for n in range(PRODUCERS_MAX + 5):
        producers.note(batch(0, 1000, pid=100 + n))
    producers.make_room(keep=())
    assert len(producers) == PRODUCERS_MAX
    for n in range(3):
        producers.note(batch(0, 1000, pid=n))
    producers.make_room(keep=(105, 107))
    known = [id for id, _ in producers.items()]
    assert known[0] == 108
    assert {105, 107} <= set(known), "what is in a transaction is not forgotten"
    assert 106 not in known
