"""DescribeTransactions (65), version 0.

Behaviour: the states of transactional ids that are coordinated here (KIP-664);
TRANSACTIONAL_ID_NOT_FOUND for ids that were never used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.errors import Error, Refusal
from spindle.node.request_context import RequestContext
from spindle.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from spindle.wire.messages.describe_transactions_response import (
    DescribeTransactionsResponse,
    TopicData,
)
from spindle.wire.messages.describe_transactions_response import TransactionState as ToldState

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeTransactionsRequest,
    context: RequestContext[DescribeTransactionsResponse],
) -> DescribeTransactionsResponse:
    """Tell each id's state."""
    return DescribeTransactionsResponse(
        transaction_states=tuple(_state(broker, name) for name in request.transactional_ids)
    )


def _state(broker: Broker, name: str) -> ToldState:
    try:
        if not name:
            raise Refusal(Error.INVALID_REQUEST, "an empty transactional id")
        txn = broker.transactions.coordinator(name).transactions.get(name)
        if txn is None or txn.state is TransactionState.DEAD:
            raise Refusal(Error.TRANSACTIONAL_ID_NOT_FOUND, f"{name} is not known")
    except Refusal as refusal:
        return ToldState(transactional_id=name, error_code=refusal.error)
    return _described(txn)


def _described(txn: Transaction) -> ToldState:
    stored = txn.stored
    topics: dict[str, list[int]] = {}
    for topic, partition in stored.partitions:
        topics.setdefault(topic, []).append(partition)
    return ToldState(
        transactional_id=txn.transactional_id,
        transaction_state=txn.state.title,
        transaction_timeout_ms=stored.timeout_ms,
        transaction_start_time_ms=stored.started_ms,
        producer_id=stored.producer.producer_id,
        producer_epoch=stored.producer.epoch,
        topics=tuple(
            TopicData(topic=name, partitions=tuple(numbers)) for name, numbers in topics.items()
        ),
    )
