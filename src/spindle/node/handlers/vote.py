"""Vote (52), versions 0-2, on the controller's listener.

Behaviour:
  - a voter asks for our vote, or (v2, KIP-996) whether it would get it; the answer leaves when the
    vote is durable;
  - a wrong cluster id, a voter key that is not ours, or a topic other than the metadata log's is
    refused.
Version notes: v1 adds directory ids, which a static quorum ignores, and the voter's key; v2 the
pre-vote.
"""

from __future__ import annotations

from typing import Any, Final

from spindle.core.raft.values import Ballot, VoteAnswer
from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.calls import Call
from spindle.node.handlers._quorum import is_for_another, metadata_partition, raft_of, reply
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make

RESPONSE: Final = "VoteResponse"


def on_controller(node: Member, call: Call) -> None:
    """Serve Vote."""
    body = call.body
    raft = raft_of(node, body)
    asked = metadata_partition(body.topics)
    if is_for_another(node, body, asked):
        call.answer(_reply(node, call, VoteAnswer(raft.heard(Error.INVALID_VOTER_KEY), False)))
        return
    ballot = Ballot(
        candidate=asked.replica_id,
        epoch=asked.replica_epoch,
        last=OffsetAndEpoch(asked.last_offset, asked.last_offset_epoch),
        pre_vote=getattr(asked, "pre_vote", False),
    )
    raft.on_vote(ballot, lambda answer: call.answer(_reply(node, call, answer)))


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(getattr(call.reply, RESPONSE), error_code=error, topics=())


def _reply(node: Member, call: Call, answer: VoteAnswer) -> Any:
    return reply(node, call, RESPONSE, answer.heard, vote_granted=answer.granted)
