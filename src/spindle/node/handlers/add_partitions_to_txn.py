"""AddPartitionsToTxn (24), versions 0-5.

Behaviour: partitions take part in a producer's transaction once that is committed in
`__transaction_state`. All of a transaction or none: one that does not exist gets its error, the
others OPERATION_NOT_ATTEMPTED.

Version notes: before 2 PRODUCER_FENCED becomes INVALID_PRODUCER_EPOCH; from 4 on brokers ask,
for many transactions at once, or only verify that partitions take part (KIP-890).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.transactions.partition_additions import (
    RequestedTransaction,
    Results,
    WholeAddition,
    add,
    verify,
)
from spindle.wire.codec import Whole
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from spindle.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

BATCHED_FROM: Final = 4
FENCED_FROM: Final = 2


def on_broker(
    broker: Broker,
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
) -> Later:
    """Add or verify partitions."""
    asked, version = _asked(request, context.version), context.version
    survey = context.survey if isinstance(context.survey, RequestedPartitions) else None
    told: dict[int, Results] = {}

    def settle(place: int, results: Results) -> None:
        told[place] = results
        if len(told) == len(asked):
            context.answer(_respond(asked, told, version))

    if not asked:
        context.answer(_respond(asked, told, version))
    for place, each in enumerate(asked):
        then = partial(settle, place)
        try:
            if each.verifies:
                verify(broker.transactions, each, then)
            else:
                whole = None if survey is None else survey.of(each)
                bumps = version >= BATCHED_FROM
                add(broker.transactions, broker.image, each, whole, bumps, then)
        except Refusal as refusal:
            then(dict.fromkeys(each.partitions, refusal.error))
    return LATER


def refuse(
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
    error: Error,
    message: str,
) -> AddPartitionsToTxnResponse:
    """The error as a whole, where there is a place for it."""
    if context.version >= BATCHED_FROM:
        return AddPartitionsToTxnResponse(error_code=error)
    results = dict.fromkeys(_partitions(request.v3_and_below_topics), error)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_topics(results))


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
        for asked in _asked(request, 0 if request.v3_and_below_topics else BATCHED_FROM):
            if not asked.verifies:
                self.of(asked).add(broker.image, asked.partitions)


def _asked(request: AddPartitionsToTxnRequest, version: int) -> list[RequestedTransaction]:
    if version < BATCHED_FROM:
        name = request.v3_and_below_transactional_id
        producer = ProducerIdAndEpoch(
            request.v3_and_below_producer_id, request.v3_and_below_producer_epoch
        )
        partitions = _partitions(request.v3_and_below_topics)
        return [RequestedTransaction(name, producer, partitions, verifies=False)]
    return [
        RequestedTransaction(
            t.transactional_id,
            ProducerIdAndEpoch(t.producer_id, t.producer_epoch),
            _partitions(t.topics),
            t.verify_only,
        )
        for t in request.transactions
    ]


def _partitions(topics: Sequence[AddPartitionsToTxnTopic]) -> list[TopicPartition]:
    return [TopicPartition(topic.name, number) for topic in topics for number in topic.partitions]


def _respond(
    asked: Sequence[RequestedTransaction], told: Mapping[int, Results], version: int
) -> AddPartitionsToTxnResponse:
    if version < BATCHED_FROM:
        return AddPartitionsToTxnResponse(
            results_by_topic_v3_and_below=_topics(told[0], fences=version >= FENCED_FROM)
        )
    return AddPartitionsToTxnResponse(
        results_by_transaction=tuple(
            AddPartitionsToTxnResult(transactional_id=each.name, topic_results=_topics(told[place]))
            for place, each in enumerate(asked)
        ),
    )


def _topics(results: Results, fences: bool = True) -> tuple[AddPartitionsToTxnTopicResult, ...]:
    topics: dict[str, list[AddPartitionsToTxnPartitionResult]] = {}
    for partition, error in results.items():
        if error is Error.PRODUCER_FENCED and not fences:
            error = Error.INVALID_PRODUCER_EPOCH
        topics.setdefault(partition.topic, []).append(
            AddPartitionsToTxnPartitionResult(
                partition_index=partition.partition, partition_error_code=error
            )
        )
    return tuple(
        AddPartitionsToTxnTopicResult(name=name, results_by_partition=tuple(told))
        for name, told in topics.items()
    )
