"""Vote (52), versions 0-2, on the controller's listener.

Behaviour:
  - a voter asks for our vote, or (v2, KIP-996) whether it would get it; the answer leaves when the
    vote is durable;
  - a wrong cluster id, or a topic other than the metadata log's, is refused; INVALID_REQUEST: no
    log can be as the candidate's is said to be. INVALID_VOTER_KEY: the voter asked is another, but
    we know the epoch now.
Version notes: v1 adds directory ids, which a static quorum ignores (KIP-853), and the voter's key;
v2 the pre-vote.
"""

from __future__ import annotations

from spindle.core.raft.raft_values import Ballot, VoteAnswer
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.handlers._quorum import (
    is_for_us,
    metadata_partition,
    node_endpoints,
    raft_of,
)
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.vote_request import VoteRequest
from spindle.wire.messages.vote_response import NodeEndpoint, PartitionData, TopicData, VoteResponse


def on_controller(
    node: QuorumHost, request: VoteRequest, context: RequestContext[VoteResponse]
) -> Later:
    """Serve Vote."""
    raft = raft_of(node, request.cluster_id)
    asked = metadata_partition(
        [
            (topic.topic_name, [(p.partition_index, p) for p in topic.partitions])
            for topic in request.topics
        ]
    )
    ballot = Ballot(
        candidate=asked.replica_id,
        epoch=asked.replica_epoch,
        last=OffsetAndEpoch(asked.last_offset, asked.last_offset_epoch),
        pre_vote=asked.pre_vote,
        directory=asked.replica_directory_id or ZERO_ID,
    )
    raft.on_vote(
        ballot,
        lambda answer: context.answer(_reply(node, request, answer)),
        is_for_us(node, request.voter_id, asked.voter_directory_id),
    )
    return LATER


def refuse(
    request: VoteRequest, context: RequestContext[VoteResponse], error: Error, message: str
) -> VoteResponse:
    """The answer when the request as a whole is wrong."""
    return VoteResponse(error_code=error)


def _reply(node: QuorumHost, request: VoteRequest, answer: VoteAnswer) -> VoteResponse:
    partition = PartitionData(
        error_code=answer.heard.error,
        leader_id=answer.heard.leader,
        leader_epoch=answer.heard.epoch,
        vote_granted=answer.granted,
    )
    topic = TopicData(topic_name=request.topics[0].topic_name, partitions=(partition,))
    return VoteResponse(
        topics=(topic,), node_endpoints=node_endpoints(node, answer.heard.leader, NodeEndpoint)
    )
