"""OffsetDelete (47), version 0 (KIP-496).

Behaviour: forgets a group's offsets of the given partitions, once that is committed. Partitions of
topics that a member subscribes to have GROUP_SUBSCRIBED_TO_TOPIC; a group of another kind than
consumers must be empty; partitions that do not exist have UNKNOWN_TOPIC_OR_PARTITION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node import topology
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.offset_delete_request import OffsetDeleteRequest
from spindle.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: OffsetDeleteRequest, context: RequestContext[OffsetDeleteResponse]
) -> Later:
    """Forget offsets."""
    asked = [
        TopicPartition(topic.name, p.partition_index)
        for topic in request.topics
        for p in topic.partitions
    ]
    known = [p for p in asked if topology.exists(broker.image, p)]

    def then(errors: dict[TopicPartition, Error]) -> None:
        context.answer(_encode(request, errors))

    broker.groups.named(request.group_id).delete_offsets(request.group_id, known, then)
    return LATER


def refuse(
    request: OffsetDeleteRequest,
    context: RequestContext[OffsetDeleteResponse],
    error: Error,
    message: str,
) -> OffsetDeleteResponse:
    """Nothing is forgotten."""
    return OffsetDeleteResponse(error_code=error)


def _encode(
    request: OffsetDeleteRequest, errors: dict[TopicPartition, Error]
) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(
        topics=tuple(
            OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=tuple(
                    OffsetDeleteResponsePartition(
                        partition_index=p.partition_index,
                        error_code=errors.get(
                            TopicPartition(topic.name, p.partition_index),
                            Error.UNKNOWN_TOPIC_OR_PARTITION,
                        ),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )
