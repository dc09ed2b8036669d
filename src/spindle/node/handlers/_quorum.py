"""What the handlers of the quorum's APIs share: checks, and the addresses that answers carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from spindle.core.raft.machine import Raft
from spindle.core.raft.raft_values import NO_NODE
from spindle.model.errors import Error, Refusal
from spindle.model.ids import METADATA_TOPIC, METADATA_TOPIC_ID, DirectoryId, NodeId, TopicId
from spindle.node.quorum.quorum import QuorumHost
from spindle.wire.messages import begin_quorum_epoch_request, end_quorum_epoch_request

P = TypeVar("P")
E = TypeVar("E", covariant=True)


class EndpointClass(Protocol[E]):
    """The class of the endpoints in an answer."""

    def __call__(self, *, node_id: NodeId, host: str, port: int) -> E:
        """One endpoint."""


def raft_of(node: QuorumHost, cluster_id: str | None) -> Raft:
    """The machine that serves a request; Refusal if it is of another cluster or we just start."""
    if cluster_id is not None and cluster_id != node.quorum.cluster_id:
        raise Refusal(
            Error.INCONSISTENT_CLUSTER_ID,
            f"cluster id {cluster_id} is not ours, {node.quorum.cluster_id}",
        )
    if node.quorum.raft is None or node.quorum.stopping:
        raise Refusal(Error.BROKER_NOT_AVAILABLE, "this node is starting or stopping")
    return node.quorum.raft


def of_cluster(node: QuorumHost, cluster_id: str | None) -> None:
    """Refusal where a change of the voters is meant for another cluster."""
    if cluster_id is not None and cluster_id != node.quorum.cluster_id:
        raise Refusal(
            Error.INCONSISTENT_CLUSTER_ID,
            f'The given id "{cluster_id}" doesn\'t match the cluster id "{node.quorum.cluster_id}"',
        )


def change_of(node: QuorumHost) -> Raft:
    """The machine that changes the voters; Refusal if we do not lead."""
    raft = raft_of(node, None)
    if raft.state.term is None:
        raise Refusal(
            Error.NOT_LEADER_OR_FOLLOWER, f"node {raft.state.me} does not lead the quorum"
        )
    return raft


def metadata_partition(topics: Sequence[tuple[str | TopicId, Sequence[tuple[int, P]]]]) -> P:
    """The one partition that the quorum's requests are about; Refusal for anything else.

    `topics`: what was asked for, with the partitions by their numbers.
    """
    if len(topics) == 1 and len(topics[0][1]) == 1:
        name, ((number, partition),) = topics[0]
        if name in (METADATA_TOPIC, METADATA_TOPIC_ID) and number == 0:
            return partition
    raise Refusal(Error.INVALID_REQUEST, f"only {METADATA_TOPIC}-0 is served here, alone")


def is_for_us(node: QuorumHost, voter: NodeId, directory: DirectoryId | None) -> bool:
    """Whether a request names no voter, or this node, with this metadata directory or with none."""
    identity = node.quorum.world.identity
    return voter < 0 or (voter == identity.node_id and directory in (None, identity.directory_id))


def node_endpoints(node: QuorumHost, leader: NodeId, endpoint: EndpointClass[E]) -> tuple[E, ...]:
    """Where the leader is reached, where that is known."""
    address = node.quorum.endpoint_of(leader)
    if leader == NO_NODE or address is None:
        return ()
    return (endpoint(node_id=leader, host=address[0], port=address[1]),)


def learn_leader(
    node: QuorumHost,
    leader: NodeId,
    endpoints: Sequence[
        begin_quorum_epoch_request.LeaderEndpoint | end_quorum_epoch_request.LeaderEndpoint
    ],
) -> None:
    """Remember the address that a leader has sent with its request."""
    names = node.quorum.controller_listeners
    for endpoint in endpoints:
        if endpoint.name in names:
            node.quorum.world.addresses.learn({leader: (endpoint.host, endpoint.port)})
            return
