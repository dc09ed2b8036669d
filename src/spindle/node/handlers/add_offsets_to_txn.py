"""AddOffsetsToTxn (25), versions 0-4.

Behaviour: the partition of `__consumer_offsets` that holds a group takes part in a producer's
transaction, which is about to commit offsets of that group.

Version notes: before 2 PRODUCER_FENCED becomes INVALID_PRODUCER_EPOCH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 2


def on_broker(
    broker: Broker,
    request: AddOffsetsToTxnRequest,
    context: RequestContext[AddOffsetsToTxnResponse],
) -> Later:
    """Add the group's partition."""
    name = request.transactional_id
    coordinator = broker.transactions.coordinator(name)
    id = broker.groups.partition_of(request.group_id)
    if id is None:
        broker.topic_creation.want([OFFSETS_TOPIC])
        raise Refusal(Error.COORDINATOR_NOT_AVAILABLE, f"{OFFSETS_TOPIC} does not exist yet")
    coordinator.add(
        name,
        ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
        [TopicPartition(OFFSETS_TOPIC, id.partition)],
        False,
        lambda error: context.answer(refuse(request, context, error, "")),
    )
    return LATER


def refuse(
    request: AddOffsetsToTxnRequest,
    context: RequestContext[AddOffsetsToTxnResponse],
    error: Error,
    message: str,
) -> AddOffsetsToTxnResponse:
    """The answer is an error, or none."""
    if error is Error.PRODUCER_FENCED and context.version < FENCED_FROM:
        error = Error.INVALID_PRODUCER_EPOCH
    return AddOffsetsToTxnResponse(error_code=error)
