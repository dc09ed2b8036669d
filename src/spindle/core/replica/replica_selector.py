"""Which replica a consumer should read: the nearest one, by racks (KIP-392, C-06).

The leader answers a consumer's fetch with a preferred read replica instead of records, and the
consumer reads there until that replica refuses it or `metadata.max.age.ms` has passed. The rules
are those of Apache Kafka's RackAwareReplicaSelector. Pure; the node's `fetch_manager` asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from spindle.core.replica.partition import Partition, PartitionLeader
from spindle.model.ids import NodeId

SELECTOR: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
"""The value of `replica.selector.class` by which a leader names nearer replicas."""


class ReplicaView(NamedTuple):
    """A replica that could serve a consumer. The one to take is the greatest of those in reach."""

    end: int
    """The log end offset that the leader knows of."""
    caught_up_at: float
    """When it last had everything (s, monotonic)."""
    broker: NodeId


def followers_with(partition: Partition, offset: int) -> Iterable[ReplicaView]:
    """The in-sync followers of a partition led here whose logs reach from `offset` on."""
    if not isinstance(partition.role, PartitionLeader):
        return
    for broker, progress in partition.role.followers.by_broker.items():
        if broker in partition.isr and progress.start <= offset <= progress.end:
            yield ReplicaView(progress.end, progress.caught_up_at, broker)


def nearest(
    rack: str, leader_rack: str | None, racked: Iterable[tuple[str | None, ReplicaView]]
) -> NodeId | None:
    """The follower that a consumer of a rack should read; None: the leader.

    The leader serves a consumer of its own rack, and one in whose rack no follower is. `racked`:
    each follower that its listener's clients reach, with its rack.
    """
    if not rack or rack == leader_rack:
        return None
    best = max((view for where, view in racked if where == rack), default=None)
    return None if best is None else best.broker
