"""Bad replicas, scrubbers, and what is done about them: our private APIs behind the AdminClient.

Called by `admin` alone. Apache Kafka's brokers have none of this and are Refused by version.
"""

from __future__ import annotations

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.per_item import PerItem
from spindle.client.results import BadReplica, DoubtfulGap, KeptBadCopy, ReplicaHealth
from spindle.model.ids import NodeId, TopicPartition
from spindle.wire.messages.describe_bad_replicas_request import DescribeBadReplicasRequest
from spindle.wire.messages.describe_bad_replicas_response import LogDir
from spindle.wire.messages.repair_replica_request import RepairReplicaRequest


async def describe(
    cluster: Cluster,
    items: PerItem[NodeId, tuple[ReplicaHealth, ...]],
    broker: NodeId,
    deadline: Deadline,
) -> None:
    """Settle one broker's directories, in the order of its configuration."""
    answer = await cluster.ask_node(broker, DescribeBadReplicasRequest(), deadline)
    items.answer(broker, tuple(map(_directory, answer.log_dirs)))


async def repair(
    cluster: Cluster, broker: NodeId, name: TopicPartition, action: int, deadline: Deadline
) -> str:
    """What came of an order."""
    request = RepairReplicaRequest(topic=name.topic, partition_index=name.partition, action=action)
    return (await cluster.ask_node(broker, request, deadline)).outcome


def _directory(d: LogDir) -> ReplicaHealth:
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
        gaps=tuple(
            DoubtfulGap(TopicPartition(g.topic, g.partition_index), g.first_offset, g.next_offset)
            for g in d.gaps  # Version 0 has none.
        ),
    )
