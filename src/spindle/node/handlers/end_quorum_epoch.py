"""EndQuorumEpoch (54), versions 0-1, on the controller's listener.

Behaviour:
  - a leader gives up its epoch; of its successors the first stands for election at once;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v0 lists successors by id, v1 with directory ids, which a static quorum ignores.
"""

from __future__ import annotations

from typing import Any

from spindle.core.raft.values import Heard
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.node.handlers._quorum import learn_leader, metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make


def on_controller(node: Member, call: Call) -> None:
    """Serve EndQuorumEpoch."""
    body = call.body
    raft = raft_of(node, body)
    asked = metadata_partition(body.topics)
    if hasattr(asked, "preferred_candidates"):
        successors = tuple(int(c.candidate_id) for c in asked.preferred_candidates)
    else:
        successors = tuple(map(int, asked.preferred_successors))
    learn_leader(node, body, asked.leader_id)
    raft.on_end_epoch(
        asked.leader_id,
        asked.leader_epoch,
        successors,
        lambda heard: call.answer(_reply(node, call, heard)),
    )


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(call.reply.EndQuorumEpochResponse, error_code=error, topics=())


def _reply(node: Member, call: Call, heard: Heard) -> Any:
    t = call.reply
    partition = make(
        t.PartitionData,
        partition_index=0,
        error_code=heard.error,
        leader_id=heard.leader,
        leader_epoch=heard.epoch,
    )
    topic = make(t.TopicData, topic_name=call.body.topics[0].topic_name, partitions=(partition,))
    return make(
        t.EndQuorumEpochResponse,
        error_code=Error.NONE,
        topics=(topic,),
        node_endpoints=node_endpoints(node, t, heard.leader),
    )
