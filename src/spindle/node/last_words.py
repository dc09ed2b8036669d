"""What a node that stops at once says to the active controller before it is gone (B-30).

A last heartbeat asks to be fenced and to shut down, which every KRaft controller grants in one
step: the broker's partitions are led elsewhere before its session runs out. The rim sends it when
the machine is not asked any more; so this only reads what the machine knew. Belongs to `node`.
"""

from __future__ import annotations

from dataclasses import dataclass

from spindle.model.config import NodeConfig
from spindle.node.broker_lifecycle_manager import HEARTBEAT_VERSION, BrokerLifecycleManager
from spindle.node.controller_requests import NO_EPOCH
from spindle.node.quorum.quorum import Quorum
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest


@dataclass(frozen=True, slots=True)
class LastWords:
    """A request in the name of `client_id`, for the first of these (host, port) that takes it."""

    client_id: str
    request: BrokerHeartbeatRequest
    version: int
    controllers: tuple[tuple[str, int], ...]
    listener: str
    """The name of their listener."""


def last_words(
    config: NodeConfig, lifecycle: BrokerLifecycleManager, quorum: Quorum
) -> LastWords | None:
    """What to say and to whom, the active controller first; None where nothing counts on us."""
    if lifecycle.epoch == NO_EPOCH or quorum.raft is None:
        return None
    addresses = quorum.world.addresses.known
    own = addresses.get(config.node_id) if config.is_controller else None
    active = quorum.leader_endpoint()
    known = dict.fromkeys([*([active] if active else []), *addresses.values()])
    controllers = tuple(address for address in known if address != own)
    if not controllers:
        return None
    return LastWords(
        str(config.node_id),
        lifecycle.last_heartbeat(),
        HEARTBEAT_VERSION,
        controllers,
        config.quorum.listeners[0],
    )
