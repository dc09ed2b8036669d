"""DescribeProducers (61), version 0.

Behaviour: the producers that a replica of a partition remembers, its leader or a follower, and
where the open transaction of each began (KIP-664).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.replica.partition import Offline
from spindle.model.errors import Error
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import RequestContext
from spindle.node.topic_creation import is_legal
from spindle.wire.messages.describe_producers_request import DescribeProducersRequest
from spindle.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeProducersRequest,
    context: RequestContext[DescribeProducersResponse],
) -> DescribeProducersResponse:
    """Tell what is remembered."""
    return DescribeProducersResponse(
        topics=tuple(
            TopicResponse(
                name=topic.name,
                partitions=tuple(_told(broker, topic.name, n) for n in topic.partition_indexes),
            )
            for topic in request.topics
        )
    )


def _told(broker: Broker, topic: str, index: int) -> PartitionResponse:
    if not is_legal(topic):
        return PartitionResponse(partition_index=index, error_code=Error.INVALID_TOPIC_EXCEPTION)
    hosted = broker.replicas.partitions.locate(topic, index)
    if not isinstance(hosted, HostedPartition):
        return PartitionResponse(partition_index=index, error_code=hosted)
    machine = hosted.partition
    if isinstance(machine.role, Offline):
        return PartitionResponse(partition_index=index, error_code=machine.role.error)
    return PartitionResponse(
        partition_index=index,
        active_producers=tuple(
            ProducerState(
                producer_id=id,
                producer_epoch=producer.epoch,
                last_sequence=producer.last_sequence,
                last_timestamp=producer.last_timestamp,
                coordinator_epoch=producer.coordinator_epoch,
                current_txn_start_offset=machine.log.transactions.open.get(id, -1),
            )
            for id, producer in machine.log.producers.items()
        ),
    )
