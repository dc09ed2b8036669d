"""OffsetDelete (47), version 0 (KIP-496).

Behaviour: forgets a group's offsets of the given partitions, once that is committed. Partitions of
topics that a member subscribes to have GROUP_SUBSCRIBED_TO_TOPIC; a group of another kind than
consumers must be empty; partitions that do not exist have UNKNOWN_TOPIC_OR_PARTITION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node import topology
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Forget offsets."""
    body = call.body
    asked = [
        TopicPartition(topic.name, p.partition_index)
        for topic in body.topics
        for p in topic.partitions
    ]
    known = [p for p in asked if topology.exists(broker.image, p)]

    def then(errors: dict[TopicPartition, Error]) -> None:
        call.answer(_encode(call, errors))

    broker.groups.named(body.group_id).delete_offsets(body.group_id, known, then)


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing is forgotten."""
    return make(call.reply.OffsetDeleteResponse, error_code=error)


def _encode(call: Call, errors: dict[TopicPartition, Error]) -> Any:
    r = call.reply
    return make(
        r.OffsetDeleteResponse,
        error_code=Error.NONE,
        topics=tuple(
            r.OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=tuple(
                    r.OffsetDeleteResponsePartition(
                        partition_index=p.partition_index,
                        error_code=errors.get(
                            TopicPartition(topic.name, p.partition_index),
                            Error.UNKNOWN_TOPIC_OR_PARTITION,
                        ),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in call.body.topics
        ),
    )
