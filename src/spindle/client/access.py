"""What the user of a client may do with the cluster, as the brokers say it (KIP-430).

The question changes nothing and needs no right of its own. Called by `admin` alone.
"""

from __future__ import annotations

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.model.acl import AclOperation, operations
from spindle.model.errors import Error
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.metadata_request import MetadataRequest


async def cluster_operations(
    cluster: Cluster, deadline: Deadline
) -> frozenset[AclOperation] | None:
    """The operations on the cluster that the user is authorized for; None where it is not said.

    Brokers before 2.8 have no DescribeCluster; their Metadata says the same.
    """
    request = DescribeClusterRequest(include_cluster_authorized_operations=True)
    try:
        described = await cluster.ask_any(request, deadline)
    except Refused as refused:
        if refused.error != Error.UNSUPPORTED_VERSION:
            raise
        older = MetadataRequest(
            topics=(), allow_auto_topic_creation=False, include_cluster_authorized_operations=True
        )
        return operations((await cluster.ask_any(older, deadline)).cluster_authorized_operations)
    return operations(described.cluster_authorized_operations)
