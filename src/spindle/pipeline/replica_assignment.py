"""What the metadata says of replicas: whose they are, and which of them another party is moving.

Called by plans and runs, which complete with it what disks show (`planning.assigned_replicas`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Unusable
from spindle.planning.amounts import counted, listed
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.reassignment_json import Brokers

if TYPE_CHECKING:
    from spindle.client.admin import AdminClient


async def assigned(admin: AdminClient, own: Collection[tuple[str, int]] = ()) -> AssignedReplicas:
    """All of it now; partitions in `own` are reassigned by the plan itself."""
    live = (await admin.describe_cluster()).brokers
    active = await admin.list_partition_reassignments()
    topics = await admin.list_topics(internal=True)
    replicas: Brokers = {
        (name, partition.partition): partition.replicas
        for name, topic in topics.items()
        for partition in topic.partitions
    }
    going = {
        (name.topic, name.partition): tuple(b for b in r.replicas if b not in r.removing)
        for name, r in active.items()
        if (name.topic, name.partition) not in own
    }
    return AssignedReplicas({b: node.rack for b, node in live.items()}, replicas, going)


async def check_hidden(admin: AdminClient, topics: Collection[str]) -> None:
    """Unusable where disks have topics that the user may not see: no plan can name their replicas.

    Others were made or deleted while the sample was taken.
    """
    from spindle.client.failures import Refused

    told = await admin.describe_topics(sorted(topics)).settled() if topics else {}
    refused = sorted(
        name
        for name, answer in told.items()
        if isinstance(answer, Refused) and answer.error == Error.TOPIC_AUTHORIZATION_FAILED
    )
    if refused:
        raise Unusable(
            f"the user may not see {counted(len(refused), 'topic')} on the disks "
            f"({listed(refused)}): "
            "a plan without them would be wrong; grant Describe on them (ACL: Describe on Topic)"
        )
