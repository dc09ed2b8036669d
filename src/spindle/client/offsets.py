"""Where logs begin and end, by their leaders: the requests behind `AdminClient.list_offsets`
and `list_offsets_since`.

Called by `admin` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.per_item import PerItem
from spindle.client.results import OffsetRange
from spindle.client.topics import by_topic, refused, server_time
from spindle.model.ids import NodeId, TopicPartition
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)

T = TypeVar("T")

_EARLIEST: Final = -2
_LATEST: Final = -1


async def describe(
    cluster: Cluster,
    items: PerItem[TopicPartition, OffsetRange],
    leader: NodeId,
    partitions: Sequence[TopicPartition],
    deadline: Deadline,
) -> None:
    """Settle the partitions of one leader."""
    starts = await _ask(cluster, items, leader, partitions, _EARLIEST, deadline)
    ends = await _ask(cluster, items, leader, partitions, _LATEST, deadline)
    for name in partitions:
        if name in starts and name in ends:
            items.answer(name, OffsetRange(starts[name], ends[name]))


async def since(
    cluster: Cluster,
    items: PerItem[TopicPartition, int | None],
    leader: NodeId,
    partitions: Sequence[TopicPartition],
    timestamp_ms: int,
    deadline: Deadline,
) -> None:
    """Settle the partitions of one leader: their first offsets from a time (ms) on."""
    found = await _ask(cluster, items, leader, partitions, timestamp_ms, deadline)
    for name, offset in found.items():
        items.answer(name, None if offset < 0 else offset)


async def _ask(
    cluster: Cluster,
    items: PerItem[TopicPartition, T],
    leader: NodeId,
    partitions: Sequence[TopicPartition],
    moment: int,
    deadline: Deadline,
) -> dict[TopicPartition, int]:
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=0,
        topics=tuple(
            ListOffsetsTopic(
                name=topic,
                partitions=tuple(
                    ListOffsetsPartition(partition_index=number, timestamp=moment)
                    for number in numbers
                ),
            )
            for topic, numbers in by_topic(partitions).items()
        ),
        timeout_ms=server_time(deadline),
    )
    answer = await cluster.ask_node(leader, request, deadline)
    found = {}
    for topic in answer.topics:
        for part in topic.partitions:
            name = TopicPartition(topic.name, part.partition_index)
            if part.error_code:
                items.fail(name, refused(part.error_code, "ListOffsets", str(name)))
            else:
                found[name] = part.offset
    return found
