"""Reads AddPartitionsToTxn, all versions: the transactions that it names, and their partitions.

Decides nothing: `node.transactions.partition_additions` does. Used by the handler of the API, and
listed in `node.parted` for requests that are served in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.ids import TopicPartition
from spindle.node.transactions.partition_additions import RequestedTransaction, WholeAddition
from spindle.wire.codec import Whole
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

BATCHED_FROM: Final = 4


def requested_transactions(
    request: AddPartitionsToTxnRequest, version: int
) -> list[RequestedTransaction]:
    """The transactions of a request in a version."""
    if version < BATCHED_FROM:
        name = request.v3_and_below_transactional_id
        producer = ProducerIdAndEpoch(
            request.v3_and_below_producer_id, request.v3_and_below_producer_epoch
        )
        partitions = partitions_of(request.v3_and_below_topics)
        return [RequestedTransaction(name, producer, partitions, verifies=False)]
    return [
        RequestedTransaction(
            t.transactional_id,
            ProducerIdAndEpoch(t.producer_id, t.producer_epoch),
            partitions_of(t.topics),
            t.verify_only,
        )
        for t in request.transactions
    ]


def partitions_of(topics: Sequence[AddPartitionsToTxnTopic]) -> list[TopicPartition]:
    """The partitions of topics."""
    return [TopicPartition(topic.name, number) for topic in topics for number in topic.partitions]


class RequestedPartitions:
    """All partitions of a request that is served in parts, by transaction and producer."""

    def __init__(self) -> None:
        self._wholes: dict[tuple[str, ProducerIdAndEpoch], WholeAddition] = {}

    def of(self, asked: RequestedTransaction) -> WholeAddition:
        """Those of one of several transactions."""
        return self._wholes.setdefault((asked.name, asked.producer), WholeAddition())

    def take(self, broker: Broker, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, AddPartitionsToTxnRequest)
        for asked in requested_transactions(
            request, 0 if request.v3_and_below_topics else BATCHED_FROM
        ):
            if not asked.verifies:
                self.of(asked).add(broker.image, asked.partitions)
