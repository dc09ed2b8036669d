"""What the handlers of the quorum's APIs share: checks, and the addresses that answers carry."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from spindle.core.raft.machine import Raft
from spindle.core.raft.values import NOBODY, Heard
from spindle.model.errors import Error, Refusal
from spindle.model.ids import METADATA_TOPIC, METADATA_TOPIC_ID, NodeId
from spindle.node.calls import Call
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make


def raft_of(node: Member, body: Any) -> Raft:
    """The machine that serves a request; Refusal if it is of another cluster or we just start."""
    cluster_id = getattr(body, "cluster_id", None)
    if cluster_id is not None and cluster_id != node.quorum.cluster_id:
        raise Refusal(
            Error.INCONSISTENT_CLUSTER_ID,
            f"cluster id {cluster_id} is not ours, {node.quorum.cluster_id}",
        )
    if node.quorum.raft is None or node.quorum.stopping:
        raise Refusal(Error.BROKER_NOT_AVAILABLE, "this node is starting or stopping")
    return node.quorum.raft


def metadata_partition(topics: Sequence[Any]) -> Any:
    """The one partition that the quorum's requests are about; Refusal for anything else."""
    if len(topics) == 1 and len(topics[0].partitions) == 1:
        topic, partition = topics[0], topics[0].partitions[0]
        name = _first(topic, "topic_id", "topic_name", "name", "topic")
        index = _first(partition, "partition_index", "partition")
        if name in (METADATA_TOPIC, METADATA_TOPIC_ID) and index == 0:
            return partition
    raise Refusal(Error.INVALID_REQUEST, f"only {METADATA_TOPIC}-0 is served here, alone")


def is_for_another(node: Member, body: Any, partition: Any) -> bool:
    """Whether a request names a voter that is not this node with this metadata directory."""
    who = node.quorum.world.who
    directory = getattr(partition, "voter_directory_id", None)
    other_node = getattr(body, "voter_id", NOBODY) not in (NOBODY, who.node_id)
    return other_node or (directory is not None and directory != who.directory_id)


def node_endpoints(node: Member, types: ModuleType, leader: NodeId) -> tuple[Any, ...]:
    """Where the leader is reached, for versions whose answers can tell."""
    address = node.quorum.endpoint_of(leader)
    if leader == NOBODY or address is None or not hasattr(types, "NodeEndpoint"):
        return ()
    return (make(types.NodeEndpoint, node_id=leader, host=address[0], port=address[1]),)


def reply(node: Member, call: Call, name: str, heard: Heard, **more: Any) -> Any:
    """The response of this name about the metadata partition; `more`: what only it has to say."""
    t = call.reply
    partition = make(
        t.PartitionData,
        partition_index=0,
        error_code=heard.error,
        leader_id=heard.leader,
        leader_epoch=heard.epoch,
        **more,
    )
    topic = make(t.TopicData, topic_name=call.body.topics[0].topic_name, partitions=(partition,))
    return make(
        getattr(t, name),
        error_code=Error.NONE,
        topics=(topic,),
        node_endpoints=node_endpoints(node, t, heard.leader),
    )


def _first(entity: Any, *names: str) -> Any:
    """The value of the first of these names that this version has."""
    return next(getattr(entity, name) for name in names if hasattr(entity, name))


def learn_leader(node: Member, body: Any, leader: NodeId) -> None:
    """Remember where a leader that told us of itself says it is reached."""
    names = node.quorum.controller_listeners
    for endpoint in getattr(body, "leader_endpoints", ()):
        if endpoint.name in names:
            node.quorum.world.learn({int(leader): (endpoint.host, int(endpoint.port))})
            return
