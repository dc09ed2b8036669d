"""OffsetForLeaderEpoch (23), versions 2-4.

Behaviour: for each partition, of its leader: the largest leader epoch not above the one asked for,
and the offset where it ends here (KIP-101, KIP-320); (-1, -1) where nothing is known of it.
A consumer gets no offset past the log's end of what it asks for.

Version notes: 3 names the replica that asks; 4 is flexible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import RequestContext
from spindle.wire.messages.offset_for_leader_epoch_request import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
)
from spindle.wire.messages.offset_for_leader_epoch_response import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: OffsetForLeaderEpochRequest,
    context: RequestContext[OffsetForLeaderEpochResponse],
) -> OffsetForLeaderEpochResponse:
    """Look the epochs up in memory."""
    return OffsetForLeaderEpochResponse(
        topics=tuple(
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=tuple(_told(broker, topic.topic, p) for p in topic.partitions),
            )
            for topic in request.topics
        )
    )


def _told(broker: Broker, topic: str, asked: OffsetForLeaderPartition) -> EpochEndOffset:
    hosted = broker.replicas.partitions.leader(topic, asked.partition)
    epoch = offset = -1
    if isinstance(hosted, HostedPartition):
        machine = hosted.partition
        error = machine.check_epoch(asked.current_leader_epoch)
        if error == Error.NONE:
            offset, epoch = machine.log.epochs.end_of(asked.leader_epoch, machine.log.end)
    else:
        error = hosted
    return EpochEndOffset(
        partition=asked.partition,
        error_code=error,
        leader_epoch=epoch,
        end_offset=offset,
    )
