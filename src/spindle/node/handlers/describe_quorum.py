"""DescribeQuorum (55), versions 0-2, both listeners.

Behaviour:
  - the leader tells epoch, high watermark, and how far each voter and observer has come;
  - a voter that does not lead answers NOT_LEADER_OR_FOLLOWER; a broker forwards the request.
Version notes: v1 adds the times of last fetch and last catching up; v2 error messages, directory
ids and the voters' endpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spindle.core.raft.leading import Progress
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NodeId
from spindle.node.calls import Call
from spindle.node.handlers._quorum import metadata_partition, raft_of
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(node: Member, call: Call) -> None:
    """Serve DescribeQuorum."""
    raft = raft_of(node, call.body)
    try:
        metadata_partition(call.body.topics)
    except Refusal:
        call.answer(_not_hosted(call))
        return
    t = call.reply
    term = raft.term
    if term is None:
        raise Refusal(Error.NOT_LEADER_OR_FOLLOWER, f"node {raft.me} does not lead the quorum")
    ourselves = replace(
        term.voters[raft.me],
        directory=node.quorum.directory_id,
        last_fetch_ms=raft.out.wall_ms,
        last_caught_up_ms=raft.out.wall_ms,
    )
    partition = make(
        t.PartitionData,
        partition_index=0,
        error_code=Error.NONE,
        error_message="",
        leader_id=raft.me,
        leader_epoch=raft.epoch,
        high_watermark=raft.log.high_watermark,
        current_voters=_replicas(t, {**term.voters, raft.me: ourselves}),
        observers=_replicas(t, term.observers),
    )
    nodes: tuple[Any, ...] = ()
    if hasattr(t, "Node"):
        nodes = tuple(_node(node, t, voter) for voter in raft.voters)
    call.answer(_reply(call, partition, nodes))


def refuse(call: Call, error: Error, message: str) -> Any:
    """The answer when it cannot be told: the error is the partition's, as Apache Kafka has it."""
    t = call.reply
    topics = call.body.topics
    if error != Error.NOT_LEADER_OR_FOLLOWER or len(topics) != 1:
        return make(
            t.DescribeQuorumResponse, error_code=error, error_message=message, topics=(), nodes=()
        )
    partition = make(
        t.PartitionData,
        partition_index=0,
        error_code=error,
        error_message=message,
        current_voters=(),
        observers=(),
    )
    return _reply(call, partition, ())


def _not_hosted(call: Call) -> Any:
    t = call.reply
    return make(
        t.DescribeQuorumResponse,
        error_code=Error.NONE,
        error_message="",
        topics=tuple(
            make(
                t.TopicData,
                topic_name=topic.topic_name,
                partitions=tuple(
                    make(
                        t.PartitionData,
                        partition_index=p.partition_index,
                        error_code=Error.UNKNOWN_TOPIC_OR_PARTITION,
                        error_message="This server does not host this topic-partition.",
                        current_voters=(),
                        observers=(),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in call.body.topics
        ),
        nodes=(),
    )


def _reply(call: Call, partition: Any, nodes: tuple[Any, ...]) -> Any:
    t = call.reply
    topic = make(t.TopicData, topic_name=call.body.topics[0].topic_name, partitions=(partition,))
    return make(
        t.DescribeQuorumResponse,
        error_code=Error.NONE,
        error_message="",
        topics=(topic,),
        nodes=nodes,
    )


def _replicas(types: Any, progress: Mapping[NodeId, Progress]) -> tuple[Any, ...]:
    return tuple(
        make(
            types.ReplicaState,
            replica_id=id,
            replica_directory_id=p.directory,
            log_end_offset=p.end,
            last_fetch_timestamp=p.last_fetch_ms,
            last_caught_up_timestamp=p.last_caught_up_ms,
        )
        for id, p in progress.items()
    )


def _node(node: Member, types: Any, voter: NodeId) -> Any:
    quorum = node.quorum
    address = quorum.endpoint_of(voter)
    listeners: tuple[Any, ...] = ()
    if address is not None:
        name = quorum.controller_listener
        listeners = (make(types.Listener, name=name, host=address[0], port=address[1]),)
    return make(types.Node, node_id=voter, listeners=listeners)
