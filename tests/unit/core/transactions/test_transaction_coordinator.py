"""The transaction coordinator: its table, epochs, endings, fencing, and what survives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.transaction_coordinator import A, B, World

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_states import (
    TABLE,
    TransactionInput,
    TransactionState,
    TransactionStep,
)
from spindle.core.transactions.transaction_values import (
    EPOCH_MAX,
    NO_EPOCH,
    ProducerIdAndEpoch,
    Stored,
    TransactionRecord,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition

BUSY = Error.CONCURRENT_TRANSACTIONS


def test_the_table_has_every_pair() -> None:
    assert set(TABLE) == {(state, what) for state in TransactionState for what in TransactionInput}


@pytest.mark.parametrize(("state", "what"), TABLE)
def test_each_pair_does_what_the_table_says(
    state: TransactionState, what: TransactionInput
) -> None:
    """The machine in every state, given every input."""
    if state in (TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE):
        txn = Transaction(
            "x", Stored(producer=ProducerIdAndEpoch(1, 1), timeout_ms=1, updated_ms=0)
        )
        txn.pending = state
        assert txn.state is state
        assert txn.step(what) is BUSY
        return
    world = World()
    own = ProducerIdAndEpoch(7, 5)
    bumped = what.name.endswith(("BUMPING", "REPEATED"))
    stored = Stored(
        producer=own,
        timeout_ms=1,
        updated_ms=0,
        started_ms=0,
        state=state,
        partitions=(A,),
        version=2 if bumped else 0,
    )
    world.log = [TransactionRecord("x", stored)]
    world.out.wall_ms = 100_000
    world.reload()
    world.log.clear()
    told: list[object] = []
    speaks = own._replace(epoch=4) if what.name.endswith("REPEATED") else own
    step = TABLE[state, what]
    try:
        _give(world, what, speaks, told)
    except Refusal as refusal:
        told.append(refusal.error)
    stored_now = [r.value.state if r.value else None for r in world.log]
    if isinstance(step, Error):
        # The state again, where the answer must be certain; an epoch that was left is.
        at_once = step is BUSY or (step is Error.PRODUCER_FENCED and speaks != own)
        assert (told, stored_now) == ([step], [] if at_once else [state])
    else:
        assert (
            stored_now
            == {
                TransactionStep.NOTHING: [],
                TransactionStep.ACCEPT: [] if what is TransactionInput.VERIFY else [state],
                TransactionStep.NEW_EPOCH: [TransactionState.EMPTY],
                TransactionStep.FENCE: [TransactionState.PREPARE_ABORT],
                TransactionStep.ADD: [TransactionState.ONGOING],
                TransactionStep.PREPARE_COMMIT: [TransactionState.PREPARE_COMMIT],
                TransactionStep.PREPARE_ABORT: [TransactionState.PREPARE_ABORT],
                TransactionStep.COMPLETE: [
                    TransactionState.COMPLETE_COMMIT
                    if state is TransactionState.PREPARE_COMMIT
                    else TransactionState.COMPLETE_ABORT
                ],
                TransactionStep.BURY: [None],
            }[step]
        )


def _give(
    world: World, what: TransactionInput, speaks: ProducerIdAndEpoch, told: list[object]
) -> None:
    coordinator = world.coordinator
    if what is TransactionInput.INIT:
        coordinator.init("x", 1_000, None, told.append)
    elif what is TransactionInput.ADD:
        coordinator.add("x", speaks, [B], False, told.append)
    elif what is TransactionInput.VERIFY:
        coordinator.verify("x", speaks, [A], lambda errors: told.extend(errors.values()))
    elif what is TransactionInput.TIMEOUT:
        coordinator.time_out()
    elif what is TransactionInput.MARKED:
        for _, then in world.endings:
            then(Error.NONE)
    elif what is TransactionInput.EXPIRE:
        coordinator.expire()
    else:
        commit = what.name.startswith("COMMIT")
        bumps = what.name.endswith(("BUMPING", "REPEATED"))
        coordinator.end("x", speaks, commit, bumps, told.append)


def test_a_transaction_from_the_first_to_the_last() -> None:
    world = World()
    producer = world.begin()
    assert producer == ProducerIdAndEpoch(100, 0)
    assert world.add(producer, A) is Error.NONE
    assert world.add(producer, A, B) is Error.NONE
    assert [len(r.value.partitions) for r in world.log if r.value] == [0, 1, 2]
    assert world.verify(producer, A) == {A: Error.NONE}
    assert world.end(producer) == producer
    assert world.init() is BUSY
    assert world.add(producer, A) is BUSY
    ending = world.mark()
    assert (ending.partitions, ending.committed, ending.coordinator_epoch) == ((A, B), True, 3)
    assert world.state is TransactionState.COMPLETE_COMMIT
    assert world.end(producer) == producer
    assert world.end(producer, commit=False) is Error.INVALID_TXN_STATE
    absent = Error.TRANSACTION_ABORTABLE
    assert world.verify(producer, A) == {A: absent}


def test_a_second_producer_aborts_and_fences_the_first() -> None:
    world = World()
    first = world.begin()
    world.add(first, A)
    assert world.init() is BUSY
    assert world.state is TransactionState.PREPARE_ABORT
    ending = world.mark()
    assert (ending.committed, ending.producer) == (False, ProducerIdAndEpoch(100, 1))
    assert world.begin() == ProducerIdAndEpoch(100, 2)
    other = world.coordinator.transactions["x"].stored.producer._replace(producer_id=999)
    assert world.add(other, A) is Error.INVALID_PRODUCER_ID_MAPPING
    assert world.add(first, A) is Error.PRODUCER_FENCED
    assert world.end(first) is Error.PRODUCER_FENCED
    assert world.init(first) is Error.PRODUCER_FENCED


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_producer_that_ends_its_transaction_by_asking_for_an_epoch_goes_on(level: int) -> None:
    world = World()
    world.coordinator.level = level
    first = world.begin()
    world.add(first, A)
    assert world.init(first) is BUSY
    assert world.init(first) is BUSY
    world.mark()
    second = first._replace(epoch=1) if level >= 2 else Error.PRODUCER_FENCED
    assert world.init(first) == second
    assert world.init(first) == second, "it had not heard of it"
    assert world.init() == first._replace(epoch=2)
    assert world.init(first) is Error.PRODUCER_FENCED


def test_an_epoch_above_its_own_tells_a_coordinator_that_another_has_taken_its_place() -> None:
    """Fencing is forever, so a coordinator that has missed the change must not pronounce it."""
    world = World()
    first = world.begin()
    world.add(first, A)
    later = first._replace(epoch=first.epoch + 1)
    elsewhere = Error.NOT_COORDINATOR
    assert world.add(later, A) is elsewhere
    assert world.verify(later, A) == {A: elsewhere}
    for commit, bumps in ((True, False), (False, False), (True, True), (False, True)):
        assert world.end(later, commit, bumps) is elsewhere
    assert world.init(later) is elsewhere
    assert (len(world.log), world.state) == (2, TransactionState.ONGOING)
    # Nothing is denied to the producer that this coordinator knows.
    assert world.end(first) == first
    world.mark()
    assert world.init(later) is elsewhere
    assert world.init(first) == later
    assert world.add(first, A) is Error.PRODUCER_FENCED


def test_a_partition_is_denied_only_by_a_broker_that_surely_still_coordinates() -> None:
    """The next coordinator may have added it: what denies it is written first, as it stands."""
    world = World()
    producer = world.begin()
    world.add(producer, A)
    world.held = []
    told: list[dict[TopicPartition, Error]] = []
    world.coordinator.verify("x", producer, [A, B], told.append)
    assert told == []
    world.held.pop()()
    assert told == [{A: Error.NONE, B: Error.TRANSACTION_ABORTABLE}]
    assert (len(world.log), world.log[-1]) == (3, world.log[-2])
    world.held = None
    world.error = Error.NOT_COORDINATOR
    assert world.verify(producer, A, B) == dict.fromkeys((A, B), Error.NOT_COORDINATOR)
    assert world.verify(producer, A) == {A: Error.NONE}


@pytest.mark.parametrize("name", ["x", "y"])
def test_a_producer_id_is_denied_only_by_a_broker_that_surely_still_coordinates(name: str) -> None:
    """The next coordinator may have given it. For an unknown id, a tombstone is written first."""
    world = World()
    producer = world.begin()
    other = producer._replace(producer_id=999)
    coordinator, before = world.coordinator, world.log[-1]
    added: list[Error] = []
    verified: list[dict[TopicPartition, Error]] = []
    for error in (Error.NOT_COORDINATOR, Error.NONE):
        world.error, world.held = error, []
        coordinator.add(name, other, [A], True, added.append)
        assert added == []
        world.held.pop()()
        coordinator.verify(name, other, [A], verified.append)
        assert verified == []
        world.held.pop()()
        told = error or Error.INVALID_PRODUCER_ID_MAPPING
        assert (added.pop(), verified.pop()) == (told, {A: told})
    written = before if name == "x" else TransactionRecord(name, None)
    assert world.log[1:] == [written, written]
    world.held = None
    assert world.add(producer, A) is Error.NONE


def test_a_fence_that_could_not_be_written_takes_the_same_epoch_again() -> None:
    world = World()
    world.add(world.begin(), A)
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    assert world.init() is Error.COORDINATOR_NOT_AVAILABLE
    world.error = Error.NONE
    assert world.init() is BUSY
    assert world.mark().producer == ProducerIdAndEpoch(100, 1)


def test_a_producer_goes_on_after_an_error_and_may_ask_twice() -> None:
    world = World()
    first = world.begin()
    second = world.init(first)
    assert second == ProducerIdAndEpoch(100, 1)
    assert world.init(first) == second


def test_each_transaction_has_its_epoch_where_clients_know_that() -> None:
    world = World()
    first = world.begin()
    world.add(first, A, bumps=True)
    second = world.end(first, bumps=True)
    assert second == ProducerIdAndEpoch(100, 1)
    assert world.end(first, bumps=True) is BUSY
    ending = world.mark()
    assert (ending.producer, ending.version) == (second, 2)
    assert world.end(first, bumps=True) == second
    assert world.end(first, commit=False, bumps=True) is Error.INVALID_TXN_STATE
    # Without a partition: for the next epoch alone.
    assert world.end(ProducerIdAndEpoch(100, 1), commit=False, bumps=True) == ProducerIdAndEpoch(
        100, 2
    )


def test_used_up_epochs_give_a_new_producer_id() -> None:
    world = World()
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    world.add(last, A, bumps=True)
    assert world.end(last, bumps=True) == ProducerIdAndEpoch(101, 0)
    assert world.mark().producer == ProducerIdAndEpoch(100, EPOCH_MAX)
    assert txn.stored.producer == ProducerIdAndEpoch(101, 0)
    assert world.end(last, bumps=True) == ProducerIdAndEpoch(101, 0)
    txn.take(replace(txn.stored, producer=ProducerIdAndEpoch(101, EPOCH_MAX - 1)))
    assert world.init() == ProducerIdAndEpoch(102, 0)


def test_a_producer_that_goes_on_after_an_error_gets_a_new_id_after_its_last_epoch() -> None:
    world = World()
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    assert world.init(last) == ProducerIdAndEpoch(101, 0)
    assert world.init(last) == ProducerIdAndEpoch(101, 0), "it had not heard of it"


def test_a_fenced_producer_does_not_get_the_id_of_the_newcomer_that_fenced_it() -> None:
    """Two producers would write with one id and epoch, each in the transaction of the other."""
    world = World()
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    assert world.init() == ProducerIdAndEpoch(101, 0)
    assert world.init(last) is Error.PRODUCER_FENCED
    world.reload()
    assert world.init(last) is Error.PRODUCER_FENCED


def test_no_producer_goes_on_with_the_very_last_epoch() -> None:
    """A fence takes it; what is above it fits into no record."""
    world = World()
    world.coordinator.level = 2
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    world.add(last, A, bumps=True)
    assert world.init() is BUSY
    assert world.end(last, commit=False, bumps=True) is Error.PRODUCER_FENCED
    assert world.mark().producer == ProducerIdAndEpoch(100, EPOCH_MAX)
    assert world.end(last, commit=False, bumps=True) is Error.PRODUCER_FENCED
    assert world.init() == ProducerIdAndEpoch(101, 0)


def test_a_producer_whose_last_epoch_ended_a_transaction_goes_on_with_the_next_id() -> None:
    world = World()
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    world.add(last, A, bumps=True)
    assert world.end(last, bumps=True) == ProducerIdAndEpoch(101, 0)
    world.mark()
    assert world.init(last) == ProducerIdAndEpoch(101, 0), "it had not heard of it"
    assert world.init() == ProducerIdAndEpoch(101, 1)
    assert world.init(last) is Error.PRODUCER_FENCED


def test_nothing_is_confirmed_from_memory_in_an_epoch_that_was_never_written() -> None:
    """The next coordinator gives it for the next transaction: the partition may be in the one
    before, which would take in the records of both."""
    world = World()
    first = world.begin()
    world.add(first, A, bumps=True)
    world.error = Error.NOT_COORDINATOR
    assert world.init() is Error.NOT_COORDINATOR
    second = first._replace(epoch=1)
    assert world.add(second, A, bumps=True) is Error.NOT_COORDINATOR
    assert world.verify(second, A) == {A: Error.NOT_COORDINATOR}


@pytest.mark.parametrize("epoch", [0, EPOCH_MAX - 1])
@pytest.mark.parametrize("commit", [True, False])
def test_the_next_end_waits_for_the_markers_of_the_one_before(epoch: int, commit: bool) -> None:
    """A client that has nothing to write ends its next transaction at once; it is no zombie."""
    world = World()
    world.begin()
    first = ProducerIdAndEpoch(100, epoch)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=first))
    world.add(first, A, bumps=True)
    second = world.end(first, commit, bumps=True)
    assert isinstance(second, ProducerIdAndEpoch)
    assert world.end(second, commit=False, bumps=True) is BUSY
    assert world.end(second, commit=True, bumps=True) is BUSY
    world.mark()
    third = second._replace(epoch=second.epoch + 1)
    assert world.end(second, commit=False, bumps=True) == third


def test_an_id_that_comes_too_late_decides_nothing() -> None:
    """Another broker leads by then, and has read a transaction that is still open."""
    world = World()
    world.begin()
    last = ProducerIdAndEpoch(100, EPOCH_MAX - 1)
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, producer=last))
    world.add(last, A, bumps=True)
    world.asked = []
    told: list[ProducerIdAndEpoch | Error] = []
    world.coordinator.end("x", last, True, True, told.append)
    written = list(world.log)
    world.coordinator.close()
    world.asked.pop()(101)
    assert told == [Error.NOT_COORDINATOR]
    assert (world.log, world.endings) == (written, [])


def test_what_was_decided_goes_on_after_a_reload() -> None:
    world = World()
    producer = world.begin()
    world.add(producer, A, B)
    world.end(producer)
    stale = world.endings.pop()
    world.reload()
    stale[1](Error.NONE)
    assert world.state is TransactionState.PREPARE_COMMIT
    assert world.mark().partitions == (A, B)
    assert world.state is TransactionState.COMPLETE_COMMIT
    world.reload()
    assert world.endings == []


def test_a_closed_coordinator_leaves_the_markers_to_the_next_one() -> None:
    world = World()
    producer = world.begin()
    world.add(producer, A)
    world.held = []
    told: list[ProducerIdAndEpoch | Error] = []
    world.coordinator.end("x", producer, True, False, told.append)
    world.coordinator.close()
    world.held.pop()()
    assert told == [producer], "the decision stands"
    assert world.endings == []


def test_an_answer_about_an_older_decision_completes_nothing() -> None:
    world = World()
    producer = world.begin()
    world.add(producer, A)
    world.end(producer)
    _, then = world.endings[0]
    world.mark()
    world.add(producer, A)
    world.end(producer, commit=False)
    then(Error.NONE)
    assert world.state is TransactionState.PREPARE_ABORT
    world.mark()
    assert world.state is TransactionState.COMPLETE_ABORT


@pytest.mark.parametrize(
    "state",
    [TransactionState.ONGOING, TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT],
)
def test_an_id_is_not_forgotten_before_its_transaction_has_ended(state: TransactionState) -> None:
    world = World()
    world.begin()
    txn = world.coordinator.transactions["x"]
    txn.take(replace(txn.stored, state=state, started_ms=world.out.wall_ms, partitions=(A,)))
    world.out.wall_ms += 100_000
    world.coordinator.expire()
    assert list(world.coordinator.transactions) == ["x"]
    assert len(world.log) == 1


def test_nothing_is_begun_while_something_is_written() -> None:
    world = World()
    producer = world.begin()
    world.held = []
    told: list[Error] = []
    world.coordinator.add("x", producer, [A], False, told.append)
    assert world.add(producer, B) is BUSY
    assert world.init() is BUSY
    assert world.end(producer) is BUSY
    world.held.pop()()
    assert told == [Error.NONE]


def test_an_open_transaction_is_aborted_at_its_timeout() -> None:
    world = World()
    world.add(world.begin(), A)
    world.out.wall_ms += 1_000
    world.coordinator.time_out()
    assert world.state is TransactionState.ONGOING
    world.out.wall_ms += 1
    world.coordinator.time_out()
    assert world.state is TransactionState.PREPARE_ABORT


def test_refused_markers_leave_the_decision_to_whom_it_belongs() -> None:
    world = World()
    producer = world.begin()
    world.add(producer, A)
    world.end(producer)
    world.mark(Error.TRANSACTION_COORDINATOR_FENCED)
    assert world.state is TransactionState.PREPARE_COMMIT


@pytest.mark.parametrize(("name", "timeout"), [("", 1_000), ("x", 0), ("x", 10_001)])
def test_nonsense_is_refused(name: str, timeout: int) -> None:
    world = World()
    with pytest.raises(Refusal):
        world.coordinator.init(name, timeout, None, lambda told: None)
    with pytest.raises(Refusal):
        world.coordinator.add("", ProducerIdAndEpoch(1, NO_EPOCH), [A], False, lambda told: None)
