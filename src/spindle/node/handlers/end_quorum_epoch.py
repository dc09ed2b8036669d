"""EndQuorumEpoch (54), versions 0-1, on the controller's listener.

Behaviour:
  - a leader gives up its epoch; of its successors the first stands for election at once;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v0 lists successors by id, v1 with directory ids, which a static quorum ignores.
"""

from __future__ import annotations

from spindle.core.raft.raft_values import Heard
from spindle.model.errors import Error
from spindle.node.handlers._quorum import learn_leader, metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest
from spindle.wire.messages.end_quorum_epoch_response import (
    EndQuorumEpochResponse,
    NodeEndpoint,
    PartitionData,
    TopicData,
)


def on_controller(
    node: QuorumHost,
    request: EndQuorumEpochRequest,
    context: RequestContext[EndQuorumEpochResponse],
) -> Later:
    """Serve EndQuorumEpoch."""
    raft = raft_of(node, request.cluster_id)
    asked = metadata_partition(
        [
            (topic.topic_name, [(p.partition_index, p) for p in topic.partitions])
            for topic in request.topics
        ]
    )
    if context.version >= 1:
        successors = tuple(c.candidate_id for c in asked.preferred_candidates)
    else:
        successors = tuple(asked.preferred_successors)
    learn_leader(node, asked.leader_id, request.leader_endpoints)
    raft.on_end_epoch(
        asked.leader_id,
        asked.leader_epoch,
        successors,
        lambda heard: context.answer(_reply(node, request, heard)),
    )
    return LATER


def refuse(
    request: EndQuorumEpochRequest,
    context: RequestContext[EndQuorumEpochResponse],
    error: Error,
    message: str,
) -> EndQuorumEpochResponse:
    """The answer when the request as a whole is wrong."""
    return EndQuorumEpochResponse(error_code=error)


def _reply(
    node: QuorumHost, request: EndQuorumEpochRequest, heard: Heard
) -> EndQuorumEpochResponse:
    partition = PartitionData(
        error_code=heard.error, leader_id=heard.leader, leader_epoch=heard.epoch
    )
    topic = TopicData(topic_name=request.topics[0].topic_name, partitions=(partition,))
    return EndQuorumEpochResponse(
        topics=(topic,), node_endpoints=node_endpoints(node, heard.leader, NodeEndpoint)
    )
