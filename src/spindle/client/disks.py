"""The health of log directories, and orders to them: our private APIs behind the AdminClient.

Called by `admin` alone. Apache Kafka's brokers have none of this and are Refused by version.
"""

from __future__ import annotations

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.per_item import PerItem
from spindle.client.results import DiskDescription, DiskEvent, DiskOrder
from spindle.model.ids import LogDir, NodeId
from spindle.wire.messages.alter_log_dir_state_request import AlterLogDirStateRequest
from spindle.wire.messages.describe_log_dir_states_request import DescribeLogDirStatesRequest
from spindle.wire.messages.describe_log_dir_states_response import LogDirState


async def describe(
    cluster: Cluster,
    items: PerItem[NodeId, tuple[DiskDescription, ...]],
    broker: NodeId,
    deadline: Deadline,
) -> None:
    """Settle one broker's directories, in the order of its configuration."""
    answer = await cluster.ask_node(broker, DescribeLogDirStatesRequest(), deadline)
    items.answer(broker, tuple(map(_disk, answer.log_dirs)))


async def alter(
    cluster: Cluster,
    broker: NodeId,
    path: LogDir,
    order: DiskOrder,
    deadline: Deadline,
    *,
    force: bool = False,
) -> str:
    """What came of an order. A broker that does not know of `force` never asks for it."""
    request = AlterLogDirStateRequest(log_dir=path, wanted_state=int(order), force=force)
    return (await cluster.ask_node(broker, request, deadline)).outcome


def _disk(d: LogDirState) -> DiskDescription:
    return DiskDescription(
        path=d.log_dir,
        directory_id=d.directory_id,
        state=d.state,
        reason=d.reason,
        cordoned=d.is_cordoned,
        total=None if d.total_bytes < 0 else d.total_bytes,
        usable=None if d.usable_bytes < 0 else d.usable_bytes,
        replicas=d.replicas,
        replica_bytes=d.replica_bytes,
        offline_replicas=d.offline_replicas,
        moves_in=d.moves_in,
        moves_out=d.moves_out,
        stray_bytes=d.stray_bytes,
        kept_bytes=d.kept_bytes,
        call_ms=d.call_seconds * 1000,
        history=tuple(DiskEvent(e.at_ms, e.text) for e in d.events),
    )
