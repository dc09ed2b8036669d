"""DescribeCluster (60), versions 0-2, both listeners (KIP-700).

Behaviour: the cluster's id, the brokers alive and reached on this listener, and the broker that
stands in for the controller. A controller tells the controllers instead, and which one leads.
Authorized operations are listed on request: all, as there are no ACLs.

Version notes: 1 may ask for the controllers' endpoints, which the controllers' own listener tells
(MISMATCHED_ENDPOINT_TYPE here, KIP-919); 2 may ask for fenced brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage
from spindle.node import authorized, topology
from spindle.node.request_context import RequestContext
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

BROKERS: Final = 1
CONTROLLERS: Final = 2


def on_broker(
    broker: Broker,
    request: DescribeClusterRequest,
    context: RequestContext[DescribeClusterResponse],
) -> DescribeClusterResponse:
    """Describe the cluster."""
    kind = request.endpoint_type
    if kind == CONTROLLERS:
        raise Refusal(
            Error.MISMATCHED_ENDPOINT_TYPE, "this is a broker: ask a controller about controllers"
        )
    if kind != BROKERS:
        raise Refusal(Error.UNSUPPORTED_ENDPOINT_TYPE, f"no endpoints of type {kind}")
    image: ClusterImage = broker.image
    with_fenced = request.include_fenced_brokers
    return DescribeClusterResponse(
        endpoint_type=BROKERS,
        cluster_id=broker.cluster_id,
        cluster_authorized_operations=_allowed(request),
        controller_id=topology.controller_for_clients(image, broker.node_id),
        brokers=tuple(
            DescribeClusterBroker(
                broker_id=node_id,
                host=endpoint.host,
                port=endpoint.port,
                rack=rack,
                is_fenced=not image.is_alive(node_id),
            )
            for node_id, endpoint, rack in topology.reachable(image, context.listener, with_fenced)
        ),
    )


def on_controller(
    controller: Controller,
    request: DescribeClusterRequest,
    context: RequestContext[DescribeClusterResponse],
) -> DescribeClusterResponse:
    """Describe the controllers."""
    # Before version 1 a client cannot say what it asks for: here it can only be this.
    kind = request.endpoint_type if context.version >= 1 else CONTROLLERS
    if kind == BROKERS:
        raise Refusal(
            Error.MISMATCHED_ENDPOINT_TYPE, "this is a controller: ask a broker about brokers"
        )
    if kind != CONTROLLERS:
        raise Refusal(Error.UNSUPPORTED_ENDPOINT_TYPE, f"no endpoints of type {kind}")
    found = []
    for node_id, registration in sorted(controller.image.controllers.items()):
        endpoint = next((e for e in registration.endpoints if e.name == context.listener), None)
        if endpoint is not None:
            found.append(
                DescribeClusterBroker(broker_id=node_id, host=endpoint.host, port=endpoint.port)
            )
    return DescribeClusterResponse(
        endpoint_type=CONTROLLERS,
        cluster_id=controller.cluster_id,
        cluster_authorized_operations=_allowed(request),
        controller_id=controller.quorum.leader_id,
        brokers=tuple(found),
    )


def _allowed(request: DescribeClusterRequest) -> int:
    asked = request.include_cluster_authorized_operations
    return authorized.CLUSTER if asked else authorized.NOT_ASKED


def refuse(
    request: DescribeClusterRequest,
    context: RequestContext[DescribeClusterResponse],
    error: Error,
    message: str,
) -> DescribeClusterResponse:
    """Nothing but the reason."""
    return DescribeClusterResponse(
        error_code=error, error_message=message, endpoint_type=request.endpoint_type
    )
