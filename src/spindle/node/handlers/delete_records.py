"""DeleteRecords (21), versions 0-2.

Behaviour: for each partition that is led here, the log start moves up to the offset (-1: to the
high watermark, past which nothing may be deleted: OFFSET_OUT_OF_RANGE). Answered with the low
watermark once every replica that can be waited for has moved its start too, or REQUEST_TIMED_OUT;
the timeout (0, too) concerns the followers only.
Compacted topics that are not also deleted from refuse it (POLICY_VIOLATION). Of a partition that is
named more than once the last offset counts, and it has one answer, as in Apache Kafka.

Version notes: 2 is flexible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.node.replicas.delayed_delete_records import DelayedDeleteRecords, Deleted
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.delete_records_request import DeleteRecordsRequest
from spindle.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: DeleteRecordsRequest, context: RequestContext[DeleteRecordsResponse]
) -> Later:
    """Move the starts, then wait for the followers."""
    offsets = {
        (topic.name, partition.partition_index): partition.offset
        for topic in request.topics
        for partition in topic.partitions
    }
    is_part = context.began is not None

    def then(deleted: Deleted) -> None:
        context.answer(_respond(request, deleted, is_part))

    deletion = DelayedDeleteRecords(broker.replicas, context.began, then)
    deletion.begin(offsets, request.timeout_ms / 1000)
    return LATER


def _respond(
    request: DeleteRecordsRequest, deleted: Deleted, is_part: bool
) -> DeleteRecordsResponse:
    told_by_now: set[tuple[str, int]] = set()
    topics = []
    for topic in request.topics:
        keys = [(topic.name, p.partition_index) for p in topic.partitions]
        first = [key for key in dict.fromkeys(keys) if key not in told_by_now]
        told_by_now.update(first)
        # A part keeps its topics: they are put together by their place.
        if first or not keys or is_part:
            partitions = tuple(
                DeleteRecordsPartitionResult(
                    partition_index=key[1],
                    error_code=deleted[key].error,
                    low_watermark=deleted[key].low_watermark,
                )
                for key in first
            )
            topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=partitions))
    return DeleteRecordsResponse(topics=tuple(topics))
