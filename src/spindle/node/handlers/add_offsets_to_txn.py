"""AddOffsetsToTxn (25), versions 0-4.

Behaviour: the partition of `__consumer_offsets` that holds a group takes part in a producer's
transaction, which is about to commit offsets of that group.

Version notes: before 2 PRODUCER_FENCED is told as INVALID_PRODUCER_EPOCH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.transactions.values import Producer
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 2


def on_broker(broker: Broker, call: Call) -> None:
    """Add the group's partition."""
    body = call.body
    name = body.transactional_id
    coordinator = broker.transactions.coordinator(name)
    id = broker.groups.partition_of(body.group_id)
    if id is None:
        broker.topic_creation.want([OFFSETS_TOPIC])
        raise Refusal(Error.COORDINATOR_NOT_AVAILABLE, f"{OFFSETS_TOPIC} does not exist yet")
    coordinator.add(
        name,
        Producer(body.producer_id, body.producer_epoch),
        [TopicPartition(OFFSETS_TOPIC, id.partition)],
        False,
        lambda error: call.answer(refuse(call, error, "")),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The answer is an error, or none."""
    if error is Error.PRODUCER_FENCED and call.version < FENCED_FROM:
        error = Error.INVALID_PRODUCER_EPOCH
    return make(call.reply.AddOffsetsToTxnResponse, error_code=error)
