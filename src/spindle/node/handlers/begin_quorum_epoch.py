"""BeginQuorumEpoch (53), versions 0-1, on the controller's listener.

Behaviour:
  - a leader tells that it leads an epoch; a voter that did not know follows it;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v1 names the voter it is for, and the leader's endpoints.
"""

from __future__ import annotations

from typing import Any, Final

from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.node.handlers._quorum import (
    is_for_another,
    learn_leader,
    metadata_partition,
    raft_of,
    reply,
)
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make

RESPONSE: Final = "BeginQuorumEpochResponse"


def on_controller(node: Member, call: Call) -> None:
    """Serve BeginQuorumEpoch."""
    body = call.body
    raft = raft_of(node, body)
    asked = metadata_partition(body.topics)
    if is_for_another(node, body, asked):
        call.answer(reply(node, call, RESPONSE, raft.heard(Error.INVALID_VOTER_KEY)))
        return
    learn_leader(node, body, asked.leader_id)
    raft.on_begin_epoch(
        asked.leader_id,
        asked.leader_epoch,
        lambda heard: call.answer(reply(node, call, RESPONSE, heard)),
    )


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(getattr(call.reply, RESPONSE), error_code=error, topics=())
