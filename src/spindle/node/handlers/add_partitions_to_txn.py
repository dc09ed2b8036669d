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

from spindle.model.errors import Error
from spindle.model.ids import by_topic
from spindle.node.handlers import _requested_transactions as reading
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.transactions.partition_additions import RequestedTransaction, Results, take_part
from spindle.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from spindle.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM: Final = 2


def on_broker(
    broker: Broker,
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
) -> Later:
    """Add or verify partitions."""
    version = context.version
    asked = reading.requested_transactions(request, version)
    survey = context.survey if isinstance(context.survey, reading.RequestedPartitions) else None
    gathering = Gathering[int, Results](
        range(len(asked)), lambda told: context.answer(_respond(asked, told, version))
    )
    for place, each in enumerate(asked):
        then = partial(gathering.settle, place)
        whole = None if survey is None else survey.of(each)
        bumps = version >= reading.BATCHED_FROM
        take_part(broker.transactions, broker.image, each, whole, bumps, then)
    return LATER


def refuse(
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
    error: Error,
    message: str,
) -> AddPartitionsToTxnResponse:
    """The error as a whole, where there is a place for it."""
    if context.version >= reading.BATCHED_FROM:
        return AddPartitionsToTxnResponse(error_code=error)
    results = dict.fromkeys(reading.partitions_of(request.v3_and_below_topics), error)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_topics(results))


def _respond(
    asked: Sequence[RequestedTransaction], told: Mapping[int, Results], version: int
) -> AddPartitionsToTxnResponse:
    if version < reading.BATCHED_FROM:
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
    unless = {} if fences else {Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH}
    return tuple(
        AddPartitionsToTxnTopicResult(
            name=name,
            results_by_partition=tuple(
                AddPartitionsToTxnPartitionResult(
                    partition_index=number, partition_error_code=unless.get(error, error)
                )
                for number, error in told
            ),
        )
        for name, told in by_topic(results.items()).items()
    )
