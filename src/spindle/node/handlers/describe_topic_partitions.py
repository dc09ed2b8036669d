"""DescribeTopicPartitions (75), version 0 (KIP-966).

Behaviour: topics in the order of their names, with their partitions and eligible leader replicas,
in pages of at most so many partitions (a topic that is not there takes the room of one); the cursor
tells where the next page begins. Never creates a topic. No topics at all means all of them.
Authorized operations are always listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.metadata_records import PartitionRegistration
from spindle.node import topology
from spindle.node.handlers._topics import described
from spindle.node.request_context import Later, RequestContext
from spindle.node.topic_selection import TopicPage
from spindle.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from spindle.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeTopicPartitionsRequest,
    context: RequestContext[DescribeTopicPartitionsResponse],
) -> Later:
    """Describe a page of partitions."""
    start = None
    if (cursor := request.cursor) is not None:
        if cursor.partition_index < 0:
            raise Refusal(Error.INVALID_REQUEST, "the cursor's partition is negative")
        if request.topics and all(topic.name != cursor.topic_name for topic in request.topics):
            raise Refusal(Error.INVALID_REQUEST, "the cursor's topic is none of those asked for")
        start = TopicPartition(cursor.topic_name, cursor.partition_index)
    names = (topic.name for topic in request.topics) if request.topics else None
    page = TopicPage(broker.image, names, start, request.response_partition_limit)
    return broker.slices.answer(
        request,
        context,
        described(
            DescribeTopicPartitionsResponseTopic,
            page.topics(),
            context.permits.topic_bits,
            broker.image,
            context,
            broker.slices.parts,
            _partition,
        ),
        lambda topics: DescribeTopicPartitionsResponse(
            topics=topics, next_cursor=_cursor(page.next)
        ),
        broker.image.revision,
    )


def refuse(
    request: DescribeTopicPartitionsRequest,
    context: RequestContext[DescribeTopicPartitionsResponse],
    error: Error,
    message: str,
) -> DescribeTopicPartitionsResponse:
    """The error at every topic."""
    return DescribeTopicPartitionsResponse(
        topics=tuple(
            DescribeTopicPartitionsResponseTopic(error_code=error, name=topic.name)
            for topic in request.topics
        )
    )


def _cursor(place: TopicPartition | None) -> Cursor | None:
    if place is None:
        return None
    return Cursor(topic_name=place.topic, partition_index=place.partition)


def _partition(
    seen: topology.Listening, partition: PartitionRegistration
) -> DescribeTopicPartitionsResponsePartition:
    error, leader = seen.leading(partition)
    return DescribeTopicPartitionsResponsePartition(
        error_code=error,
        partition_index=partition.partition_id,
        leader_id=leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        eligible_leader_replicas=partition.elr,
        last_known_elr=partition.last_known_elr,
        offline_replicas=seen.offline_replicas(partition),
    )
