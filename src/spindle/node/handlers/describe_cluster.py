"""DescribeCluster (60), versions 0-2, both listeners (KIP-700).

Behaviour: the cluster's id, the brokers alive and reached on this listener, and the broker that
stands in for the controller. A controller tells the controllers instead, and which one leads.
Authorized operations are listed on request; none to a client that may not DESCRIBE the cluster.

Version notes: 1 may ask for the controllers' endpoints, which the controllers' own listener tells
(MISMATCHED_ENDPOINT_TYPE here, KIP-919); 2 may ask for fenced brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.image import ClusterImage
from spindle.node import authorized, topology
from spindle.node.request_context import RequestContext
from spindle.node.topology import BROKERS, CONTROLLERS
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: DescribeClusterRequest,
    context: RequestContext[DescribeClusterResponse],
) -> DescribeClusterResponse:
    """Describe the cluster."""
    topology.check_endpoint_type(request.endpoint_type, BROKERS)
    image: ClusterImage = broker.image
    with_fenced = request.include_fenced_brokers
    return DescribeClusterResponse(
        endpoint_type=BROKERS,
        cluster_id=broker.cluster_id,
        cluster_authorized_operations=authorized.cluster_if_asked(
            context.permits, request.include_cluster_authorized_operations
        ),
        controller_id=topology.controller_for_clients(image, broker.node_id),
        brokers=tuple(
            DescribeClusterBroker(
                broker_id=node_id,
                host=endpoint.host,
                port=endpoint.port,
                rack=rack,
                is_fenced=not image.is_alive(node_id),
            )
            for node_id, endpoint, rack in topology.reachable(
                image, context.listener, image.brokers if with_fenced else ()
            )
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
    topology.check_endpoint_type(kind, CONTROLLERS)
    return DescribeClusterResponse(
        endpoint_type=CONTROLLERS,
        cluster_id=controller.cluster_id,
        cluster_authorized_operations=authorized.cluster_if_asked(
            context.permits, request.include_cluster_authorized_operations
        ),
        controller_id=controller.quorum.leader_id,
        brokers=tuple(
            DescribeClusterBroker(broker_id=node_id, host=at.host, port=at.port)
            for node_id, at in topology.reachable_controllers(controller.image, context.listener)
        ),
    )


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
