"""BeginQuorumEpoch (53), versions 0-1, on the controller's listener.

Behaviour:
  - a leader tells that it leads an epoch; a voter that did not know follows it;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v1 names the voter it is for, and the leader's endpoints.
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
    """Serve BeginQuorumEpoch."""
    body = call.body
    raft = raft_of(node, body)
    asked = metadata_partition(body.topics)
    if getattr(body, "voter_id", -1) not in (-1, raft.me):
        call.answer(_reply(node, call, raft.heard(Error.INVALID_VOTER_KEY)))
        return
    learn_leader(node, body, asked.leader_id)
    raft.on_begin_epoch(
        asked.leader_id,
        asked.leader_epoch,
        lambda heard: call.answer(_reply(node, call, heard)),
    )


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(call.reply.BeginQuorumEpochResponse, error_code=error, topics=())


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
        t.BeginQuorumEpochResponse,
        error_code=Error.NONE,
        topics=(topic,),
        node_endpoints=node_endpoints(node, t, heard.leader),
    )
