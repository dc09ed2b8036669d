"""DescribeTransactions (65), version 0.

Behaviour: the states of transactional ids that are coordinated here (KIP-664);
TRANSACTIONAL_ID_NOT_FOUND for ids that nobody has used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.transactions.states import State
from spindle.core.transactions.transaction import Transaction
from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Tell each id's state."""
    states = tuple(_state(broker, call, name) for name in call.body.transactional_ids)
    call.answer(make(call.reply.DescribeTransactionsResponse, transaction_states=states))


def _state(broker: Broker, call: Call, name: str) -> Any:
    types = call.reply
    try:
        if not name:
            raise Refusal(Error.INVALID_REQUEST, "an empty transactional id")
        txn = broker.transactions.coordinator(name).transactions.get(name)
        if txn is None or txn.state is State.DEAD:
            raise Refusal(Error.TRANSACTIONAL_ID_NOT_FOUND, f"{name} is not known")
    except Refusal as refusal:
        return make(types.TransactionState, transactional_id=name, error_code=refusal.error)
    return _described(types, txn)


def _described(types: Any, txn: Transaction) -> Any:
    stored = txn.stored
    topics: dict[str, list[int]] = {}
    for topic, partition in stored.partitions:
        topics.setdefault(topic, []).append(partition)
    return make(
        types.TransactionState,
        error_code=Error.NONE,
        transactional_id=txn.transactional_id,
        transaction_state=txn.state.title,
        transaction_timeout=stored.timeout_ms,
        transaction_start_time=stored.started_ms,
        producer_id=stored.producer.producer_id,
        producer_epoch=stored.producer.epoch,
        topics=tuple(
            make(types.TopicData, topic=name, partitions=tuple(numbers))
            for name, numbers in topics.items()
        ),
    )
