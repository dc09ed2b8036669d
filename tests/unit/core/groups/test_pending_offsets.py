"""Offsets of open transactions: which of them a marker or a tombstone decides about."""

import pytest

from spindle.core.groups.group_values import Committed, OffsetRecord
from spindle.core.groups.pending import Pending
from spindle.model.ids import TopicPartition

T0, T1 = TopicPartition("topic", 0), TopicPartition("topic", 1)
PRODUCER = 7


def record(at: int, where: TopicPartition = T0) -> OffsetRecord:
    """A commit that stands at an offset of `__consumer_offsets`."""
    return OffsetRecord("g", where, Committed(offset=at * 10, metadata="", commit_ms=0, at=at))


@pytest.mark.spec("C-02")
def test_a_marker_leaves_the_record_right_behind_it_to_the_next_transaction() -> None:
    pending = Pending()
    for at in (3, 5):  # The marker stands at 4; news of it come last.
        pending.add(PRODUCER, record(at))
    assert pending.take(PRODUCER, 4) == [record(3)]
    assert list(pending.of("g")) == [T0]
    assert pending.take(PRODUCER, 6) == [record(5)]
    assert list(pending.groups()) == []


@pytest.mark.spec("C-02")
def test_a_marker_decides_about_the_record_right_before_it_of_every_partition() -> None:
    pending = Pending()
    for at, where in ((2, T0), (3, T1), (5, T1)):
        pending.add(PRODUCER, record(at, where))
    assert pending.take(PRODUCER, 4) == [record(2), record(3, T1)]
    assert list(pending.of("g")) == [T1]


@pytest.mark.spec("C-02")
def test_a_marker_of_one_producer_leaves_what_another_has_committed() -> None:
    pending = Pending()
    pending.add(PRODUCER, record(2))
    pending.add(8, record(3))
    assert pending.take(PRODUCER, 4) == [record(2)]
    assert list(pending.of("g")) == [T0]
    assert pending.take(8, 5) == [record(3)]


@pytest.mark.spec("C-02")
def test_a_tombstone_leaves_what_was_committed_right_behind_it() -> None:
    pending = Pending()
    for at in (3, 5):
        pending.add(PRODUCER, record(at))
    pending.forget("g", T0, 4)
    assert pending.take(PRODUCER, 6) == [record(5)]
