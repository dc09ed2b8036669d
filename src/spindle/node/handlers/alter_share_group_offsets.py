"""AlterShareGroupOffsets (91), version 0 (KIP-932).

Behaviour: an empty share group begins at other offsets, once the share coordinator keeps them;
leaders that have the old state are fenced. NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; partitions that are
not there are UNKNOWN_TOPIC_OR_PARTITION. Where the cluster's share.version is 0,
UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.groups.share_group_values import PartitionErrors
from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, PartitionId, TopicId
from spindle.node.handlers._shares import check_shares
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestTopic,
)
from spindle.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: AlterShareGroupOffsetsRequest,
    context: RequestContext[AlterShareGroupOffsetsResponse],
) -> Later:
    """Set start offsets."""
    check_shares(broker)
    shares = broker.groups.named(request.group_id).shares
    names = [topic.topic_name for topic in request.topics]
    allowed = context.permits.allowed(AclOperation.READ, AclResourceType.TOPIC, names)
    image = broker.image
    offsets: dict[TopicId, dict[int, int]] = {}
    for topic in request.topics:
        topic_id = image.topic_ids.get(topic.topic_name)
        if topic_id is None or topic.topic_name not in allowed:
            continue
        for p in topic.partitions:
            if image.partition(PartitionId(topic_id, p.partition_index)) is not None:
                offsets.setdefault(topic_id, {})[p.partition_index] = p.start_offset

    def on_told(errors: PartitionErrors) -> None:
        context.answer(
            AlterShareGroupOffsetsResponse(
                responses=tuple(
                    _topic(broker, topic, topic.topic_name in allowed, errors)
                    for topic in request.topics
                )
            )
        )

    def on_refused(refusal: Refusal) -> None:
        context.answer(refuse(request, context, refusal.error, refusal.message))

    topics = {topic_id: image.topics[topic_id].name for topic_id in offsets}
    shares.alter(request.group_id, offsets, topics, on_told, on_refused)
    return LATER


def refuse(
    request: AlterShareGroupOffsetsRequest,
    context: RequestContext[AlterShareGroupOffsetsResponse],
    error: Error,
    message: str,
) -> AlterShareGroupOffsetsResponse:
    """Nothing is changed."""
    return AlterShareGroupOffsetsResponse(error_code=error, error_message=message)


def _topic(
    broker: Broker,
    topic: AlterShareGroupOffsetsRequestTopic,
    allowed: bool,
    errors: PartitionErrors,
) -> AlterShareGroupOffsetsResponseTopic:
    topic_id = broker.image.topic_ids.get(topic.topic_name) or ZERO_ID
    error = Error.UNKNOWN_TOPIC_OR_PARTITION if allowed else Error.TOPIC_AUTHORIZATION_FAILED
    told = [
        (p.partition_index, errors.get((topic_id, p.partition_index), (error, None)))
        for p in topic.partitions
    ]
    return AlterShareGroupOffsetsResponseTopic(
        topic_name=topic.topic_name,
        topic_id=topic_id,
        partitions=tuple(
            AlterShareGroupOffsetsResponsePartition(
                partition_index=number, error_code=code, error_message=message
            )
            for number, (code, message) in told
        ),
    )
