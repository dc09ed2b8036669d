"""Reassignments between brokers: requests of the AdminClient.

Called by `admin` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.client.per_item import PerItem
from spindle.client.raft_voters import for_a_look
from spindle.client.results import Reassignment, Replica
from spindle.client.topics import by_topic, not_answered, refused, server_time
from spindle.model.errors import Error
from spindle.model.ids import DirectoryId, NodeId, TopicPartition
from spindle.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from spindle.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from spindle.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)

_FORBIDS_CHANGES = 1
"""The version from which on a request can forbid changes of the replication factor (KIP-860)."""


async def alter(
    cluster: Cluster,
    items: PerItem[TopicPartition, tuple[NodeId, ...]],
    targets: Mapping[TopicPartition, Sequence[NodeId] | None],
    directories: Mapping[Replica, DirectoryId],
    allow_replication_factor_change: bool,
    deadline: Deadline,
) -> None:
    """Settle each partition's new reassignment, or (None) its cancellation.

    The answer is the brokers whose directory the controller has taken into account.
    """

    request = AlterPartitionReassignmentsRequest(
        timeout_ms=server_time(deadline),
        allow_replication_factor_change=allow_replication_factor_change,
        topics=tuple(
            ReassignableTopic(
                name=topic,
                partitions=tuple(
                    ReassignablePartition(
                        partition_index=number,
                        replicas=_replicas(targets[TopicPartition(topic, number)]),
                        directories=_places(TopicPartition(topic, number), targets, directories),
                    )
                    for number in numbers
                ),
            )
            for topic, numbers in by_topic(targets).items()
        ),
    )
    answer = await _ask_alter(cluster, request, deadline)
    for topic in answer.responses:
        for p in topic.partitions:
            name = TopicPartition(topic.name, p.partition_index)
            if p.error_code:
                words = p.error_message or ""
                items.fail(name, refused(p.error_code, "AlterPartitionReassignments", name, words))
            else:
                told = zip(targets.get(name) or (), p.directories, strict=False)
                items.answer(name, tuple(broker for broker, place in told if place is not None))
    for name in items:
        items.fail(name, not_answered("AlterPartitionReassignments", name))


async def list_active(
    cluster: Cluster, partitions: Sequence[TopicPartition] | None, deadline: Deadline
) -> dict[TopicPartition, Reassignment]:
    """Reassignments in progress, of all partitions or of those given, sorted."""

    topics = None
    if partitions is not None:
        topics = tuple(
            ListPartitionReassignmentsTopics(name=topic, partition_indexes=tuple(numbers))
            for topic, numbers in by_topic(partitions).items()
        )
    deadline = for_a_look(deadline)
    request = ListPartitionReassignmentsRequest(timeout_ms=server_time(deadline), topics=topics)
    answer = await cluster.ask_controller(request, deadline)
    found = {
        TopicPartition(topic.name, p.partition_index): Reassignment(
            _ids(p.replicas), _ids(p.adding_replicas), _ids(p.removing_replicas)
        )
        for topic in answer.topics
        for p in topic.partitions
    }
    return dict(sorted(found.items()))


async def _ask_alter(
    cluster: Cluster, request: AlterPartitionReassignmentsRequest, deadline: Deadline
) -> AlterPartitionReassignmentsResponse:
    if request.allow_replication_factor_change:
        return await cluster.ask_controller(request, deadline)
    try:
        return await cluster.ask_controller(request, deadline, since=_FORBIDS_CHANGES)
    except Refused as refused:
        if refused.error != Error.UNSUPPORTED_VERSION:
            raise
        raise Refused(
            Error.UNSUPPORTED_VERSION,
            "AlterPartitionReassignments",
            "the cluster",
            "it cannot forbid changes of the replication factor; leave that option away",
        ) from None


def _places(
    name: TopicPartition,
    targets: Mapping[TopicPartition, Sequence[NodeId] | None],
    directories: Mapping[Replica, DirectoryId],
) -> tuple[DirectoryId | None, ...]:
    """One for each replica; empty where none is named."""
    places = tuple(directories.get(Replica(*name, broker)) for broker in targets[name] or ())
    return places if any(place is not None for place in places) else ()


def _replicas(target: Sequence[NodeId] | None) -> tuple[NodeId, ...] | None:
    return None if target is None else tuple(target)


def _ids(values: Sequence[int]) -> tuple[NodeId, ...]:
    return tuple(int(v) for v in values)
