"""RemoveRaftVoter (81), version 0, both listeners (KIP-853).

Behaviour: takes the vote of a controller with one metadata directory; one change at a time, never
the last voter's. A leader that removes itself resigns once that is committed. On the broker
listener the request is forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID
from spindle.model.quorum_voters import VoterKey
from spindle.node.handlers._quorum import change_of, of_cluster
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from spindle.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: RemoveRaftVoterRequest,
    context: RequestContext[RemoveRaftVoterResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    node: QuorumHost,
    request: RemoveRaftVoterRequest,
    context: RequestContext[RemoveRaftVoterResponse],
) -> Later:
    """Serve RemoveRaftVoter."""
    of_cluster(node, request.cluster_id)
    raft = change_of(node)
    directory = request.voter_directory_id or ZERO_ID
    if request.voter_id < 0 or directory == ZERO_ID:
        raise Refusal(Error.INVALID_REQUEST, "Remove voter request didn't include a valid voter")

    def done(refusal: Refusal | None) -> None:
        if refusal is None:
            context.answer(RemoveRaftVoterResponse())
        else:
            context.answer(refuse(request, context, refusal.error, str(refusal)))

    raft.changes.remove(VoterKey(request.voter_id, directory), done)
    return LATER


def refuse(
    request: RemoveRaftVoterRequest,
    context: RequestContext[RemoveRaftVoterResponse],
    error: Error,
    message: str,
) -> RemoveRaftVoterResponse:
    """The error with its reason."""
    return RemoveRaftVoterResponse(error_code=error, error_message=message)
