"""What a broker remembers of batches that it refused and that will come again."""

from __future__ import annotations

import pytest

from spindle.core.replica.refused_sequences import REFUSED_MAX, REMEMBERED_S, RefusedSequences
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error, Refusal


def batch(sequence: int, epoch: int = 0, pid: int = 7) -> RecordBatch:
    return RecordBatch(0, 0, 0, 0, 1000, 1000, pid, epoch, sequence, 1, b"")


def refused(*sequences: int, epoch: int = 0) -> RefusedSequences:
    memory = RefusedSequences()
    for sequence in sequences:
        memory.on_refused("t", 0, batch(sequence, epoch), 10.0)
    return memory


def gap(memory: RefusedSequences, one: RecordBatch, now: float = 11.0) -> bool:
    try:
        memory.take("t", 0, one, now)
    except Refusal as refusal:
        return refusal.error is Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    return False


@pytest.mark.spec("C-01")
def test_the_lowest_sequence_that_was_refused_comes_first() -> None:
    memory = refused(0, 4, 8)
    assert gap(memory, batch(4))
    assert gap(memory, batch(8))
    assert not gap(memory, batch(0))
    assert len(memory) == 0
    assert not gap(memory, batch(4))


def test_a_producer_may_begin_below_what_was_refused() -> None:
    assert not gap(refused(4), batch(0))


def test_others_are_not_concerned() -> None:
    memory = refused(0)
    assert not gap(memory, batch(4, pid=8))
    memory.take("t", 1, batch(4), 11.0)
    memory.take("u", 0, batch(4), 11.0)
    assert gap(memory, batch(4))


def test_a_new_epoch_has_given_up_what_was_refused() -> None:
    memory = refused(0)
    assert not gap(memory, batch(4, epoch=1))
    memory = refused(6)
    memory.on_refused("t", 0, batch(8, epoch=1), 10.0)
    assert not gap(memory, batch(8, epoch=1))


def test_no_client_tries_for_ever() -> None:
    memory = refused(0)
    assert gap(memory, batch(4), 10.0 + REMEMBERED_S - 0.1)
    assert not gap(memory, batch(4), 10.0 + REMEMBERED_S)
    memory = refused(0)
    memory.on_refused("t", 0, batch(4), 10.0 + REMEMBERED_S)
    assert not gap(memory, batch(4), 10.0 + REMEMBERED_S)


def test_batches_without_a_producer_are_not_remembered() -> None:
    memory = RefusedSequences()
    memory.on_refused("t", 0, batch(-1, -1, -1), 10.0)
    assert len(memory) == 0


def test_the_memory_is_bounded_and_the_oldest_give_way() -> None:
    memory = RefusedSequences()
    for pid in range(REFUSED_MAX + 1):
        memory.on_refused("t", 0, batch(0, pid=pid), 10.0)
    assert len(memory) == REFUSED_MAX
    assert not gap(memory, batch(4, pid=0))
    assert gap(memory, batch(4, pid=1))
