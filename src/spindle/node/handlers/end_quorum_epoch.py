"""EndQuorumEpoch (54), versions 0-1, on the controller's listener.

Behaviour:
  - a leader gives up its epoch; of its successors the first stands for election at once;
  - an epoch below ours: FENCED_LEADER_EPOCH, with the leader that we know.
Version notes: v0 lists successors by id, v1 with directory ids, which a static quorum ignores.
"""

from __future__ import annotations

from typing import Any, Final

from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.node.handlers._quorum import learn_leader, metadata_partition, raft_of, reply
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make

RESPONSE: Final = "EndQuorumEpochResponse"


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
        lambda heard: call.answer(reply(node, call, RESPONSE, heard)),
    )


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(getattr(call.reply, RESPONSE), error_code=error, topics=())
