"""Which committed offsets have outlived their use (KIP-211).

Pure. Asked by `core.groups.coordinator_shard` from time to time.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from spindle.core.groups.group_metadata import ClassicGroupMetadata
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import CONSUMER, Committed
from spindle.model.ids import TopicPartition


def expired(
    group: ClassicGroupMetadata,
    offsets: Mapping[TopicPartition, Committed],
    now_ms: int,
    retention: int,
) -> list[TopicPartition]:
    """Partitions whose offsets may go.

    Without members: `retention` ms after the last one left. With members: only topics that no
    consumer subscribes to, so long after their commit. Never joined at all: after the commit.
    """
    if group.state is GroupState.EMPTY:
        left_ms = group.since_ms if group.protocol_type else -1
        return [
            partition
            for partition, value in offsets.items()
            if _is_due(value, max(value.commit_ms, left_ms), now_ms, retention)
        ]
    subscribed = group.subscribed_topics() if group.protocol_type == CONSUMER else None
    return [] if subscribed is None else expired_of(subscribed, offsets, now_ms, retention)


def expired_of(
    subscribed: Container[str],
    offsets: Mapping[TopicPartition, Committed],
    now_ms: int,
    retention: int,
) -> list[TopicPartition]:
    """Partitions of topics outside a subscription whose offsets were committed so long ago."""
    return [
        partition
        for partition, value in offsets.items()
        if partition.topic not in subscribed and _is_due(value, value.commit_ms, now_ms, retention)
    ]


def _is_due(value: Committed, since_ms: int, now_ms: int, retention: int) -> bool:
    if value.expire_ms >= 0:
        return now_ms >= value.expire_ms
    return now_ms - since_ms >= retention
