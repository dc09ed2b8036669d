"""DescribeQuorum (55), versions 0-2, both listeners.

Behaviour:
  - the leader tells epoch, high watermark, and how far each voter and observer has come;
  - a voter that does not lead answers NOT_LEADER_OR_FOLLOWER; a broker forwards the request.
Version notes: v1 adds the times of last fetch and last catching up; v2 error messages, directory
ids and the voters' endpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.raft.leading import ReplicaProgress
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.quorum_voters import Voter, Voters
from spindle.node.controller_surveys import RequestedCount
from spindle.node.handlers._quorum import metadata_partition, raft_of
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.describe_quorum_request import DescribeQuorumRequest
from spindle.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: DescribeQuorumRequest, context: RequestContext[DescribeQuorumResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    node: QuorumHost,
    request: DescribeQuorumRequest,
    context: RequestContext[DescribeQuorumResponse],
) -> DescribeQuorumResponse:
    """Serve DescribeQuorum."""
    raft = raft_of(node, None)
    asked = [(t.topic_name, [(p.partition_index, p) for p in t.partitions]) for t in request.topics]
    try:
        if isinstance(context.survey, RequestedCount):
            context.survey.check()
        metadata_partition(asked)
    except Refusal:
        return _not_hosted(request)
    state = raft.state
    term = state.term
    if term is None:
        raise Refusal(Error.NOT_LEADER_OR_FOLLOWER, f"node {state.me} does not lead the quorum")
    voters = state.history.latest
    partition = PartitionData(
        error_message="",
        leader_id=state.me,
        leader_epoch=state.epoch,
        high_watermark=raft.log.high_watermark,
        current_voters=_voters(raft.leader_log.voters(term, node.quorum.directory_id), voters),
        observers=tuple(_replica(id, p, p.directory) for id, p in term.observers.items()),
    )
    return _reply(request, partition, tuple(_node(voter) for voter in voters.voters))


def refuse(
    request: DescribeQuorumRequest,
    context: RequestContext[DescribeQuorumResponse],
    error: Error,
    message: str,
) -> DescribeQuorumResponse:
    """The answer without a description: the error is the partition's, as Apache Kafka has it."""
    if error != Error.NOT_LEADER_OR_FOLLOWER or len(request.topics) != 1:
        return DescribeQuorumResponse(error_code=error, error_message=message)
    return _reply(request, PartitionData(error_code=error, error_message=message), ())


def _not_hosted(request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    told = partial(
        PartitionData,
        error_code=Error.UNKNOWN_TOPIC_OR_PARTITION,
        error_message="This server does not host this topic-partition.",
    )
    topics = [
        TopicData(
            topic_name=topic.topic_name,
            partitions=[told(partition_index=p.partition_index) for p in topic.partitions],
        )
        for topic in request.topics
    ]
    return DescribeQuorumResponse(error_message="", topics=topics)


def _reply(
    request: DescribeQuorumRequest, partition: PartitionData, nodes: tuple[Node, ...]
) -> DescribeQuorumResponse:
    topic = TopicData(topic_name=request.topics[0].topic_name, partitions=(partition,))
    return DescribeQuorumResponse(error_message="", topics=(topic,), nodes=nodes)


def _voters(progress: Mapping[NodeId, ReplicaProgress], voters: Voters) -> tuple[ReplicaState, ...]:
    """Voters have the directories that the quorum's log names: in a static quorum none."""
    named = {voter.id: voter.directory_id for voter in voters.voters}
    return tuple(_replica(id, p, named.get(id)) for id, p in progress.items())


def _replica(id: NodeId, p: ReplicaProgress, directory: DirectoryId | None) -> ReplicaState:
    return ReplicaState(
        replica_id=id,
        replica_directory_id=directory,
        log_end_offset=p.end,
        last_fetch_timestamp=p.last_fetch_ms,
        last_caught_up_timestamp=p.last_caught_up_ms,
    )


def _node(voter: Voter) -> Node:
    listeners = tuple(Listener(name=e.name, host=e.host, port=e.port) for e in voter.endpoints)
    return Node(node_id=voter.id, listeners=listeners)
