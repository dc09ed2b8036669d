"""Bad replicas, scrubbers, and what is done about them: our private APIs behind the AdminClient.

Called by `admin` alone. Apache Kafka's brokers have none of this and are Refused by version.
"""

from __future__ import annotations

from typing import Any

from spindle.client.cluster import Cluster, Deadline
from spindle.client.per_item import PerItem
from spindle.client.results import BadReplica, KeptBadCopy, ReplicaHealth
from spindle.model.ids import NodeId, TopicPartition
from spindle.wire.apis import Key
from spindle.wire.entities import make, request_class


async def describe(
    cluster: Cluster,
    items: PerItem[NodeId, tuple[ReplicaHealth, ...]],
    broker: NodeId,
    deadline: Deadline,
) -> None:
    """Settle one broker's directories, in the order of its configuration."""
    key = Key.DESCRIBE_BAD_REPLICAS
    answer = await cluster.ask_node(broker, key, lambda v: make(request_class(key, v)), deadline)
    items.answer(broker, tuple(map(_directory, answer.log_dirs)))


async def repair(
    cluster: Cluster, broker: NodeId, name: TopicPartition, action: int, deadline: Deadline
) -> str:
    """What came of an order."""
    key = Key.REPAIR_REPLICA

    def build(version: int) -> Any:
        cls = request_class(key, version)
        return make(cls, topic=name.topic, partition_index=name.partition, action=action)

    answer = await cluster.ask_node(broker, key, build, deadline)
    return str(answer.outcome)


def _directory(d: Any) -> ReplicaHealth:
    return ReplicaHealth(
        path=d.log_dir,
        scrub_rounds=d.scrub_rounds,
        scrub_ended_ms=d.scrub_ended_ms,
        scrubbed_bytes=d.scrubbed_bytes,
        scrub_total_bytes=d.scrub_total_bytes,
        bad_copies=tuple(KeptBadCopy(c.name, c.size, c.since_ms, c.reason) for c in d.bad_copies),
        offline=tuple(
            BadReplica(
                TopicPartition(r.topic, r.partition_index), r.reason, r.is_damaged, r.outlook
            )
            for r in d.replicas
        ),
    )
