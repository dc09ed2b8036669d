"""What a broker remembers of batches that it refused and that will come again."""

from __future__ import annotations

import pytest

from spindle.core.replica.producer_state_manager import SEQUENCES
from spindle.core.replica.refused_sequences import REFUSED_MAX, REMEMBERED_S, RefusedSequences
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error, Refusal

AGAIN = Error.NOT_LEADER_OR_FOLLOWER
FEW = Error.NOT_ENOUGH_REPLICAS


def batch(sequence: int, epoch: int = 0, pid: int = 7, count: int = 1) -> RecordBatch:
    return RecordBatch(0, count - 1, 0, 0, 1000, 1000, pid, epoch, sequence, count, b"")


def refused(*sequences: int, epoch: int = 0, count: int = 1) -> RefusedSequences:
    memory = RefusedSequences()
    for sequence in sequences:
        memory.on_refused("t", 0, batch(sequence, epoch, count=count), AGAIN, 10.0)
    return memory


def answer(
    memory: RefusedSequences, one: RecordBatch, due: int | None = None, now: float = 11.0
) -> Error:
    """What a batch gets while `due` is next; NONE: the memory has nothing to say."""
    try:
        memory.check_gap("t", 0, one, due, now)
    except Refusal as refusal:
        return refusal.error
    return Error.NONE


@pytest.mark.spec("C-01")
def test_the_lowest_sequence_that_was_refused_comes_first() -> None:
    memory = refused(0, 4, 8)
    assert answer(memory, batch(4)) is AGAIN
    assert answer(memory, batch(8)) is AGAIN
    assert answer(memory, batch(0)) is Error.NONE


def test_a_producer_may_begin_below_what_was_refused() -> None:
    assert answer(refused(4), batch(0)) is Error.NONE


@pytest.mark.spec("C-01")
def test_a_gap_in_what_is_known_is_excused_where_the_next_one_due_was_refused() -> None:
    memory = refused(4, 6, count=2)
    for due in (4, 5, 6, 7):
        assert answer(memory, batch(8), due) is AGAIN
    assert answer(memory, batch(8), 3) is Error.NONE, "that one was never refused"
    assert answer(memory, batch(9), 8) is Error.NONE
    assert answer(memory, batch(4), 4) is Error.NONE
    assert answer(memory, batch(2), 4) is Error.NONE, "it comes too late, not too early"


def test_all_behind_get_what_the_first_one_got() -> None:
    memory = refused(4)
    memory.on_refused("t", 0, batch(5), FEW, 10.0)
    assert answer(memory, batch(6)) is AGAIN
    memory.on_refused("t", 0, batch(3), FEW, 10.0)
    assert answer(memory, batch(6)) is FEW


def test_it_is_over_when_the_last_one_has_come() -> None:
    memory = refused(0, 2, 4, count=2)
    for sequence in (0, 2):
        memory.on_taken("t", 0, batch(sequence, count=2))
        assert answer(memory, batch(6), sequence + 2) is AGAIN
    memory.on_taken("t", 0, batch(4, count=2))
    assert len(memory) == 0


def test_sequences_wrap_around() -> None:
    memory = refused(SEQUENCES - 1)
    memory.on_refused("t", 0, batch(0), AGAIN, 10.0)
    assert answer(memory, batch(1), SEQUENCES - 1) is AGAIN
    assert answer(memory, batch(1), 0) is AGAIN
    memory.on_taken("t", 0, batch(SEQUENCES - 1))
    assert len(memory) == 1
    memory.on_taken("t", 0, batch(0))
    assert len(memory) == 0


def test_others_are_not_concerned() -> None:
    memory = refused(0)
    assert answer(memory, batch(4, pid=8)) is Error.NONE
    for topic, partition in (("t", 1), ("u", 0)):
        memory.check_gap(topic, partition, batch(4), None, 11.0)
        memory.on_taken(topic, partition, batch(4))
    assert answer(memory, batch(4)) is AGAIN


def test_a_new_epoch_has_given_up_what_was_refused() -> None:
    memory = refused(0)
    assert answer(memory, batch(4, epoch=1)) is Error.NONE
    memory.on_taken("t", 0, batch(0, epoch=1))
    assert len(memory) == 0
    memory = refused(6)
    memory.on_refused("t", 0, batch(8, epoch=1), AGAIN, 10.0)
    assert answer(memory, batch(8, epoch=1)) is Error.NONE


def test_no_client_tries_for_ever() -> None:
    memory = refused(0)
    assert answer(memory, batch(4), now=10.0 + REMEMBERED_S - 0.1) is AGAIN
    assert answer(memory, batch(4), now=10.0 + REMEMBERED_S) is Error.NONE
    memory = refused(0)
    memory.on_refused("t", 0, batch(4), AGAIN, 10.0 + REMEMBERED_S)
    assert answer(memory, batch(4), now=10.0 + REMEMBERED_S) is Error.NONE


def test_batches_without_a_producer_are_not_remembered() -> None:
    memory = RefusedSequences()
    memory.on_refused("t", 0, batch(-1, -1, -1), AGAIN, 10.0)
    assert len(memory) == 0


def test_the_memory_is_bounded_and_the_oldest_give_way() -> None:
    memory = RefusedSequences()
    for pid in range(REFUSED_MAX + 1):
        memory.on_refused("t", 0, batch(0, pid=pid), AGAIN, 10.0)
    assert len(memory) == REFUSED_MAX
    assert answer(memory, batch(4, pid=0)) is Error.NONE
    assert answer(memory, batch(4, pid=1)) is AGAIN
