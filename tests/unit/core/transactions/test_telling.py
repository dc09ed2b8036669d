"""What a coordinator that may be behind says at once, and what only once it is certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from tests.support.transaction_coordinator import A, B, World

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_coordinator_shard import TransactionCoordinatorShard
from spindle.core.transactions.transaction_states import TransactionState
from spindle.core.transactions.transaction_values import (
    BUMPING,
    ProducerIdAndEpoch,
    Stored,
    TransactionRecord,
)
from spindle.model.errors import Error

OWN = ProducerIdAndEpoch(100, 5)
OTHER = ProducerIdAndEpoch(999, 5)
OLDER = OWN._replace(epoch=3)
BUSY = Error.CONCURRENT_TRANSACTIONS
Say = Callable[[object], None]
ABORTED, COMMITTED = TransactionState.COMPLETE_ABORT, TransactionState.COMPLETE_COMMIT


@dataclass(frozen=True)
class Question:
    """Asked where "x" is in a state; `version`: the transaction.version of its client."""

    state: TransactionState
    ask: Callable[[TransactionCoordinatorShard, Say], None]
    answer: object
    name: str = "x"
    version: int = 0


def _end(
    commit: bool, producer: ProducerIdAndEpoch = OWN, name: str = "x", bumps: bool = False
) -> Callable[[TransactionCoordinatorShard, Say], None]:
    return lambda coordinator, say: coordinator.end(name, producer, commit, bumps, say)


def _add(
    producer: ProducerIdAndEpoch, bumps: bool = False
) -> Callable[[TransactionCoordinatorShard, Say], None]:
    return lambda coordinator, say: coordinator.add("x", producer, [A], bumps, say)


def _verify(producer: ProducerIdAndEpoch) -> Callable[[TransactionCoordinatorShard, Say], None]:
    return lambda coordinator, say: coordinator.verify(
        "x", producer, [A], lambda errors: say(errors[A])
    )


def _init(expected: ProducerIdAndEpoch) -> Callable[[TransactionCoordinatorShard, Say], None]:
    return lambda coordinator, say: coordinator.init("x", 1_000, expected, say)


UNKNOWN = Error.INVALID_PRODUCER_ID_MAPPING
WRONG = Error.INVALID_TXN_STATE
FENCED = Error.PRODUCER_FENCED

CERTAIN_ONLY = {
    "it is committed": Question(COMMITTED, _end(True), OWN),
    "it is aborted": Question(ABORTED, _end(False), OWN),
    "it is committed, and each has its epoch": Question(
        COMMITTED, _end(True, OWN._replace(epoch=4), bumps=True), OWN, version=BUMPING
    ),
    "no: it was committed": Question(COMMITTED, _end(False), WRONG),
    "no: it was aborted": Question(ABORTED, _end(True), WRONG),
    "no: it is being aborted": Question(TransactionState.PREPARE_ABORT, _end(True), WRONG),
    "nothing to commit": Question(TransactionState.EMPTY, _end(True), WRONG),
    "nothing to commit, and each has its epoch": Question(
        ABORTED, _end(True, bumps=True), WRONG, version=BUMPING
    ),
    "another producer ends": Question(TransactionState.ONGOING, _end(True, OTHER), UNKNOWN),
    "an unknown id ends": Question(TransactionState.ONGOING, _end(True, name="y"), UNKNOWN, "y"),
    "another producer goes on": Question(TransactionState.EMPTY, _init(OTHER), FENCED),
    "it takes part already": Question(TransactionState.ONGOING, _add(OWN), Error.NONE),
    "the client's epoch stays, whatever its leader asks": Question(
        TransactionState.ONGOING, _add(OWN, bumps=True), Error.NONE
    ),
    "another producer adds": Question(TransactionState.ONGOING, _add(OTHER), UNKNOWN),
    "another producer writes": Question(TransactionState.ONGOING, _verify(OTHER), UNKNOWN),
    "it does not take part": Question(ABORTED, _verify(OWN), Error.TRANSACTION_ABORTABLE),
}

AT_ONCE = {
    "an older epoch ends": Question(TransactionState.ONGOING, _end(True, OLDER), FENCED),
    "an older epoch adds": Question(TransactionState.ONGOING, _add(OLDER), FENCED),
    "an older epoch writes": Question(TransactionState.ONGOING, _verify(OLDER), FENCED),
    "an older epoch goes on": Question(TransactionState.EMPTY, _init(OLDER), FENCED),
    "a higher epoch ends": Question(
        TransactionState.ONGOING, _end(True, OWN._replace(epoch=6)), Error.NOT_COORDINATOR
    ),
    "the next one ends while the last one does": Question(
        TransactionState.PREPARE_COMMIT, _end(True, bumps=True), BUSY, version=BUMPING
    ),
    "it is being committed": Question(TransactionState.PREPARE_COMMIT, _end(True), BUSY),
    "it takes part": Question(TransactionState.ONGOING, _verify(OWN), Error.NONE),
    "it takes part already, and each has its epoch": Question(
        TransactionState.ONGOING, _add(OWN, bumps=True), Error.NONE, version=BUMPING
    ),
}


def _world(question: Question) -> World:
    """A coordinator that has read the id in this state; its appends are held."""
    world = World()
    world.begin()
    assert world.log[0].value is not None
    has = question.state in (
        TransactionState.ONGOING,
        TransactionState.PREPARE_COMMIT,
        TransactionState.PREPARE_ABORT,
    )
    world.log[0] = TransactionRecord(
        "x",
        replace(
            world.log[0].value,
            producer=OWN,
            previous_id=OWN.producer_id,
            state=question.state,
            partitions=(A,) if has else (),
            started_ms=0,
            version=question.version,
        ),
    )
    world.reload()
    world.held = []
    return world


@pytest.mark.parametrize("deposed", [False, True], ids=["leads", "deposed"])
@pytest.mark.parametrize("question", CERTAIN_ONLY.values(), ids=CERTAIN_ONLY)
def test_an_answer_that_confirms_or_ends_waits_until_the_state_is_confirmed(
    question: Question, deposed: bool
) -> None:
    """A broker that was deposed never has it committed, and says to look elsewhere."""
    world = _world(question)
    told: list[object] = []
    question.ask(world.coordinator, told.append)
    assert told == []
    assert world.held is not None
    (confirm,) = world.held
    world.error = Error.NOT_COORDINATOR if deposed else Error.NONE
    confirm()
    assert told == [Error.NOT_COORDINATOR if deposed else question.answer]
    if not deposed:
        as_it_is = world.log[0] if question.name == "x" else TransactionRecord("y", None)
        assert world.log[1:] == [as_it_is]


@pytest.mark.parametrize("question", AT_ONCE.values(), ids=AT_ONCE)
def test_what_is_true_for_any_coordinator_is_answered_at_once(question: Question) -> None:
    world = _world(question)
    told: list[object] = []
    question.ask(world.coordinator, told.append)
    assert (told, world.held) == ([question.answer], [])


def test_an_epoch_that_was_given_by_no_committed_fence_ends_no_transaction_at_once() -> None:
    """The next coordinator does not know it: the producer may be the youngest there."""
    world = _world(Question(TransactionState.ONGOING, _end(True), None))
    held = world.held
    assert held is not None
    world.coordinator.init("x", 1_000, None, lambda told: None)
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    held.pop()()
    for ask in (_end(True), _add(OWN), _verify(OWN)):
        told: list[object] = []
        ask(world.coordinator, told.append)
        assert told == []
        world.error = Error.NOT_COORDINATOR
        held.pop()()
        assert told == [Error.NOT_COORDINATOR]
        ask(world.coordinator, told.append)
        world.error = Error.NONE
        held.pop()()
        assert told[1:] == [FENCED]
        assert world.log[-1].value is not None
        assert world.log[-1].value.producer == OWN._replace(epoch=6)


def test_while_a_change_is_written_nothing_else_is_certain() -> None:
    world = _world(Question(TransactionState.ONGOING, _end(True), None))
    world.coordinator.add("x", OWN, [B], False, lambda error: None)
    told: list[object] = []
    for ask in (_end(True, OTHER), _verify(OTHER)):
        ask(world.coordinator, told.append)
    assert told == [BUSY, BUSY]
    assert world.held is not None
    assert len(world.held) == 1


def test_a_confirmation_holds_up_nothing() -> None:
    """What follows is written behind it: neither markers nor producers wait."""
    world = _world(Question(TransactionState.PREPARE_COMMIT, _end(False), WRONG))
    held = world.held
    assert held is not None
    told: list[object] = []
    _end(False)(world.coordinator, told.append)
    world.mark()
    assert len(held) == 2
    for done in held:
        done()
    assert told == [WRONG]
    assert [r.value.state for r in world.log[1:] if r.value] == [
        TransactionState.PREPARE_COMMIT,
        COMMITTED,
    ]
    assert world.state is COMMITTED


def test_only_an_older_epoch_of_its_own_producer_id_was_left() -> None:
    txn = Transaction("x", Stored(producer=OWN, timeout_ms=1, updated_ms=0))
    assert not txn.has_left(None)
    assert not txn.has_left(OWN)
    assert not txn.has_left(OWN._replace(epoch=OWN.epoch + 1))
    assert not txn.has_left(ProducerIdAndEpoch(OWN.producer_id - 1, -1))
    assert txn.has_left(OWN._replace(epoch=OWN.epoch - 1))
