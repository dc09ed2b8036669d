"""ListOffsets (2), versions 1-11.

Behaviour: per partition, of its leader:
- timestamp >= 0: the first record with that timestamp or a later one, below the high watermark;
- -1 latest: the high watermark (for a follower: the log's end);
- with isolation level read_committed both mean the last stable offset instead (KIP-98);
- -2 earliest and -4 earliest local: the log start, since no log has a remote part;
- -3: the record with the largest timestamp (KIP-734);
- -5 latest tiered, -6 earliest pending upload: none, offset -1 (there is no tiered storage);
- a partition that is named twice has INVALID_REQUEST;
- a new leader that has not learned its high watermark in this epoch says OFFSET_NOT_AVAILABLE to
  consumers that name the epoch, since its old mark may lie below what they have seen (KIP-207).

Version notes: 2 isolation level; 4 leader epochs; 7, 8, 9, 11 timestamps -3, -4, -5, -6; 10 a time
limit for remote storage.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.handlers._gathering import Gathering
from spindle.node.replicas.delayed_fetch import READ_COMMITTED, READ_UNCOMMITTED
from spindle.node.replicas.offset_lookup import (
    EARLIEST_LOCAL,
    EARLIEST_PENDING,
    LATEST_TIERED,
    MAX_TIMESTAMP,
    ListedOffset,
    WantedOffset,
    find_offset,
)
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.list_offsets_request import ListOffsetsRequest
from spindle.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

_SINCE: Final = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING: 11}


def on_broker(
    broker: Broker, request: ListOffsetsRequest, context: RequestContext[ListOffsetsResponse]
) -> Later:
    """Find the offsets; those by time need the disk."""
    wanted = _wanted(request, context.version)
    gathering = Gathering[TopicPartition, ListedOffset](
        wanted, lambda listed: context.answer(_respond(listed))
    )
    for where, each in wanted.items():
        if isinstance(each, Error):
            gathering.settle(where, ListedOffset(each))
        else:
            find_offset(broker.replicas, each, partial(gathering.settle, where))
    return LATER


def _wanted(
    request: ListOffsetsRequest, version: int
) -> dict[TopicPartition, WantedOffset | Error]:
    """What is asked for, once for each partition; INVALID_REQUEST where it is named twice."""
    found: dict[TopicPartition, WantedOffset | Error] = {}
    for topic in request.topics:
        for asked in topic.partitions:
            where = TopicPartition(topic.name, asked.partition_index)
            if where in found:
                found[where] = Error.INVALID_REQUEST
            elif request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
                found[where] = Error.UNKNOWN_SERVER_ERROR
            else:
                found[where] = WantedOffset(
                    topic.name,
                    asked.partition_index,
                    asked.timestamp,
                    asked.current_leader_epoch,
                    request.replica_id,
                    request.isolation_level == READ_COMMITTED,
                    is_supported=asked.timestamp >= EARLIEST_PENDING
                    and version >= _SINCE.get(asked.timestamp, 0),
                )
    return found


def _respond(listed: Mapping[TopicPartition, ListedOffset]) -> ListOffsetsResponse:
    """The answers, in the order of the request's topics."""
    topics: dict[str, list[ListOffsetsPartitionResponse]] = {}
    for where, found in listed.items():
        topics.setdefault(where.topic, []).append(
            ListOffsetsPartitionResponse(
                partition_index=where.partition,
                error_code=found.error,
                offset=found.offset,
                timestamp=found.timestamp,
                leader_epoch=found.epoch,
            )
        )
    return ListOffsetsResponse(
        topics=tuple(
            ListOffsetsTopicResponse(name=name, partitions=told) for name, told in topics.items()
        )
    )
