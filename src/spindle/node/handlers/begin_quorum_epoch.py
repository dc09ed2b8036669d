"""BeginQuorumEpoch (53), versions 0-1, on the controller's listener.

Behaviour:
  - a leader tells that it leads an epoch; a voter that did not know follows it;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v1 names the voter it is for, and the leader's endpoints.
"""

from __future__ import annotations

from spindle.core.raft.raft_values import Heard
from spindle.model.errors import Error
from spindle.node.handlers._quorum import (
    is_for_us,
    learn_leader,
    metadata_partition,
    node_endpoints,
    raft_of,
)
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from spindle.wire.messages.begin_quorum_epoch_response import (
    BeginQuorumEpochResponse,
    NodeEndpoint,
    PartitionData,
    TopicData,
)


def on_controller(
    node: QuorumHost,
    request: BeginQuorumEpochRequest,
    context: RequestContext[BeginQuorumEpochResponse],
) -> Later:
    """Serve BeginQuorumEpoch."""
    raft = raft_of(node, request.cluster_id)
    asked = metadata_partition(
        [
            (topic.topic_name, [(p.partition_index, p) for p in topic.partitions])
            for topic in request.topics
        ]
    )
    learn_leader(node, asked.leader_id, request.leader_endpoints)
    raft.on_begin_epoch(
        asked.leader_id,
        asked.leader_epoch,
        lambda heard: context.answer(_reply(node, request, heard)),
        is_for_us(node, request.voter_id, asked.voter_directory_id),
    )
    return LATER


def refuse(
    request: BeginQuorumEpochRequest,
    context: RequestContext[BeginQuorumEpochResponse],
    error: Error,
    message: str,
) -> BeginQuorumEpochResponse:
    """The answer when the request as a whole is wrong."""
    return BeginQuorumEpochResponse(error_code=error)


def _reply(
    node: QuorumHost, request: BeginQuorumEpochRequest, heard: Heard
) -> BeginQuorumEpochResponse:
    partition = PartitionData(
        error_code=heard.error, leader_id=heard.leader, leader_epoch=heard.epoch
    )
    topic = TopicData(topic_name=request.topics[0].topic_name, partitions=(partition,))
    return BeginQuorumEpochResponse(
        topics=(topic,), node_endpoints=node_endpoints(node, heard.leader, NodeEndpoint)
    )
