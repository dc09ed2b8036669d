"""Sequence numbers of idempotent producers (KIP-98)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spindle.core.replica.producers import PRODUCERS_MAX, SEQUENCES, Producers
from spindle.model.batches import CONTROL, Batch
from spindle.model.errors import Error, Refusal
from spindle.model.logs import ProducerEntry


def batch(sequence: int, base: int = 0, count: int = 1, epoch: int = 0, pid: int = 7) -> Batch:
    return Batch(base, count - 1, 0, 0, 1000, 1000 + base, pid, epoch, sequence, count, b"")


def noted(*batches: Batch) -> Producers:
    producers = Producers()
    for one in batches:
        assert producers.check(one) is None
        producers.note(one)
    return producers


def error(producers: Producers, one: Batch) -> Error:
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
    producers = Producers()
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
    assert Producers().check(batch(1234)) is None


def test_snapshots_of_a_log_are_taken_up() -> None:
    producers = Producers([ProducerEntry(7, 2, 9, 109, 4, 5000), ProducerEntry(8, 0, -1, -1, 0, 1)])
    found = producers.check(replace(batch(5, count=5), producer_epoch=2))
    assert found is not None
    assert (found.base_offset, found.last_offset) == (105, 109)
    assert producers.check(batch(10, 110, epoch=2)) is None
    # Its epoch is known, but no append in it: the first one must come first.
    assert producers.check(batch(0, 110, pid=8)) is None
    assert error(producers, batch(3, 110, pid=8)) == Error.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_all_that_a_snapshot_tells_of_a_producer_is_recognised() -> None:
    entries = [ProducerEntry(7, 0, n, 100 + n, 0, 1) for n in range(5)]
    producers = Producers([ProducerEntry(7, 5, 9, 9, 0, 1), *entries])
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


def test_the_idle_are_forgotten() -> None:
    producers = noted(batch(0, 0, pid=1), batch(0, 500, pid=2))
    assert producers.expire(1100) == 1
    assert [id for id, _ in producers.items()] == [2]
    for n in range(PRODUCERS_MAX + 5):
        producers.note(batch(0, 1000, pid=100 + n))
    assert len(producers) == PRODUCERS_MAX
