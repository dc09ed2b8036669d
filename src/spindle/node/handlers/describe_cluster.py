"""DescribeCluster (60), versions 0-2, both listeners (KIP-700).

Behaviour: the cluster's id, the brokers alive and reached on this listener, and the broker that
stands in for the controller. A controller tells the controllers instead, and which one leads.
Authorized operations are told where they are asked for: all, as there are no ACLs.

Version notes: 1 may ask for the controllers' endpoints, which the controllers' own listener tells
(MISMATCHED_ENDPOINT_TYPE here, KIP-919); 2 may ask for fenced brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage
from spindle.node import authorized, topology
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

BROKERS: Final = 1
CONTROLLERS: Final = 2


def on_broker(broker: Broker, call: Call) -> None:
    """Describe the cluster."""
    kind = getattr(call.body, "endpoint_type", BROKERS)
    if kind == CONTROLLERS:
        raise Refusal(
            Error.MISMATCHED_ENDPOINT_TYPE, "this is a broker: ask a controller about controllers"
        )
    if kind != BROKERS:
        raise Refusal(Error.UNSUPPORTED_ENDPOINT_TYPE, f"no endpoints of type {kind}")
    image: ClusterImage = broker.image
    with_fenced = getattr(call.body, "include_fenced_brokers", False)
    r = call.reply
    call.answer(
        make(
            r.DescribeClusterResponse,
            error_code=Error.NONE,
            endpoint_type=BROKERS,
            cluster_id=broker.cluster_id,
            cluster_authorized_operations=_allowed(call),
            controller_id=topology.controller_for_clients(image, broker.node_id),
            brokers=tuple(
                make(
                    r.DescribeClusterBroker,
                    broker_id=node_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=rack,
                    is_fenced=not image.is_alive(node_id),
                )
                for node_id, endpoint, rack in topology.reachable(image, call.listener, with_fenced)
            ),
        )
    )


def on_controller(controller: Controller, call: Call) -> None:
    """Describe the controllers."""
    kind = getattr(call.body, "endpoint_type", CONTROLLERS)
    if kind == BROKERS:
        raise Refusal(
            Error.MISMATCHED_ENDPOINT_TYPE, "this is a controller: ask a broker about brokers"
        )
    if kind != CONTROLLERS:
        raise Refusal(Error.UNSUPPORTED_ENDPOINT_TYPE, f"no endpoints of type {kind}")
    r = call.reply
    found = []
    for node_id, registration in sorted(controller.image.controllers.items()):
        endpoint = next((e for e in registration.endpoints if e.name == call.listener), None)
        if endpoint is not None:
            found.append(
                make(
                    r.DescribeClusterBroker,
                    broker_id=node_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=None,
                    is_fenced=False,
                )
            )
    call.answer(
        make(
            r.DescribeClusterResponse,
            error_code=Error.NONE,
            endpoint_type=CONTROLLERS,
            cluster_id=controller.cluster_id,
            cluster_authorized_operations=_allowed(call),
            controller_id=controller.quorum.leader_id,
            brokers=tuple(found),
        )
    )


def _allowed(call: Call) -> int:
    asked = call.body.include_cluster_authorized_operations
    return authorized.CLUSTER if asked else authorized.NOT_ASKED


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing but the reason."""
    return make(
        call.reply.DescribeClusterResponse,
        error_code=error,
        error_message=message,
        endpoint_type=getattr(call.body, "endpoint_type", BROKERS),
    )
