"""The answer to a ShareFetch. Used by its handler alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicId
from spindle.node.handlers._shares import leader_of
from spindle.node.share.delayed_share_fetch import SharedRecords
from spindle.node.share.share_partition_manager import Acknowledged
from spindle.wire.messages.share_fetch_response import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def fetch_answer(
    broker: Broker,
    listener: str,
    found: dict[PartitionId, SharedRecords],
    told: Acknowledged,
    lock_ms: int,
) -> ShareFetchResponse:
    """What was acquired and what has become of what was said, partition by partition."""
    topics: dict[TopicId, list[PartitionData]] = {}
    leaders: dict[int, None] = {}
    for id in {**found, **told}:
        data = _partition(broker, id, found.get(id, SharedRecords()), told.get(id))
        topics.setdefault(id.topic_id, []).append(data)
        if data.current_leader.leader_id >= 0:
            leaders[data.current_leader.leader_id] = None
    return ShareFetchResponse(
        acquisition_lock_timeout_ms=lock_ms,
        responses=tuple(
            ShareFetchableTopicResponse(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in topics.items()
        ),
        node_endpoints=_endpoints(broker, listener, list(leaders)),
    )


def _endpoints(broker: Broker, listener: str, leaders: Sequence[int]) -> tuple[NodeEndpoint, ...]:
    return tuple(
        NodeEndpoint(node_id=node, host=at.host, port=at.port)
        for node, at in broker.context.reached(listener, leaders)
    )


def _partition(
    broker: Broker,
    id: PartitionId,
    found: SharedRecords,
    told: tuple[Error, str | None] | None,
) -> PartitionData:
    error, message = told or (Error.NONE, None)
    leader, epoch = leader_of(broker, id, found.error or error)
    return PartitionData(
        partition_index=id.partition,
        error_code=found.error,
        acknowledge_error_code=error,
        acknowledge_error_message=message,
        current_leader=LeaderIdAndEpoch(leader_id=leader, leader_epoch=epoch),
        records=found.buffers,
        acquired_records=tuple(
            AcquiredRecords(
                first_offset=each.first, last_offset=each.last, delivery_count=each.deliveries
            )
            for each in found.acquired
        ),
    )
