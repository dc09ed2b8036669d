"""OffsetFetch (9), versions 1-10.

Behaviour: committed offsets of a group's partitions; -1 where there is none. An unknown group
has none. A request for stable offsets (7) gets UNSTABLE_OFFSET_COMMIT where a transaction that
is open has committed one (KIP-447).

Version notes: from 2 on null topics ask for all, and the answer has an error of its own; 5 tells
leader epochs; 7 may demand stable offsets; from 8 on many groups at once (KIP-709); 9 has member
epochs, which consumer groups check (STALE_MEMBER_EPOCH); 10 names topics by id (KIP-848).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from spindle.model.errors import Error, Refusal
from spindle.node.groups.committed_offsets import FetchedOffset, GroupOffsets
from spindle.node.request_context import RequestContext
from spindle.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
)
from spindle.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

P = TypeVar("P", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)


def on_broker(
    broker: Broker, request: OffsetFetchRequest, context: RequestContext[OffsetFetchResponse]
) -> OffsetFetchResponse:
    """Tell committed offsets."""
    stable = request.require_stable
    if context.version >= 8:
        by_id = context.version >= 10
        return OffsetFetchResponse(
            groups=tuple(_group(broker, group, by_id, stable) for group in request.groups)
        )
    coordinator = broker.groups.coordinator(request.group_id)
    topics = request.topics
    asked = None if topics is None else [(t.name, t.partition_indexes) for t in topics]
    found = GroupOffsets(coordinator, request.group_id, stable).by_name(asked)
    return OffsetFetchResponse(
        topics=tuple(_topic(topic.name, topic.offsets) for topic in found),
    )


def refuse(
    request: OffsetFetchRequest,
    context: RequestContext[OffsetFetchResponse],
    error: Error,
    message: str,
) -> OffsetFetchResponse:
    """The answer's own error; version 1 has none, so there every partition has it."""
    if context.version >= 2:
        return OffsetFetchResponse(error_code=error)
    refused = FetchedOffset(error=error)
    return OffsetFetchResponse(
        topics=tuple(
            _topic(topic.name, [(index, refused) for index in topic.partition_indexes])
            for topic in request.topics or ()
        ),
    )


def _group(
    broker: Broker, group: OffsetFetchRequestGroup, by_id: bool, stable: bool
) -> OffsetFetchResponseGroup:
    topics = group.topics
    try:
        coordinator = broker.groups.coordinator(group.group_id)
        coordinator.consumers.check_fetch(group.group_id, group.member_id, group.member_epoch)
        offsets = GroupOffsets(coordinator, group.group_id, stable)
    except Refusal as refusal:
        return OffsetFetchResponseGroup(group_id=group.group_id, error_code=refusal.error)
    if by_id:
        ids = None if topics is None else [(t.topic_id, t.partition_indexes) for t in topics]
        found = offsets.by_id(broker.image, ids)
    else:
        names = None if topics is None else [(t.name, t.partition_indexes) for t in topics]
        found = offsets.by_name(names)
    partitions = OffsetFetchResponsePartitions
    return OffsetFetchResponseGroup(
        group_id=group.group_id,
        topics=tuple(
            OffsetFetchResponseTopics(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=_partitions(partitions, topic.offsets),
            )
            for topic in found
        ),
    )


def _topic(name: str, offsets: Iterable[tuple[int, FetchedOffset]]) -> OffsetFetchResponseTopic:
    partitions = _partitions(OffsetFetchResponsePartition, offsets)
    return OffsetFetchResponseTopic(name=name, partitions=partitions)


def _partitions(kind: type[P], offsets: Iterable[tuple[int, FetchedOffset]]) -> tuple[P, ...]:
    return tuple(
        kind(
            partition_index=number,
            committed_offset=told.committed.offset,
            committed_leader_epoch=told.committed.leader_epoch,
            metadata=told.committed.metadata,
            error_code=told.error,
        )
        for number, told in offsets
    )
