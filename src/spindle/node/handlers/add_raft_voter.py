"""AddRaftVoter (80), versions 0-1, both listeners (KIP-853).

Behaviour: gives a controller with one metadata directory a vote in the quorum; one change at a
time. The node must have caught up with the log and support the quorum's version. On the broker
listener the request is forwarded.
Version notes: 1 may be answered when the change is written (KIP-1186), not only when committed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import ZERO_ID, Endpoint
from spindle.model.quorum_voters import Voter
from spindle.node.handlers._quorum import change_of, of_cluster
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from spindle.wire.messages.add_raft_voter_response import AddRaftVoterResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: AddRaftVoterRequest, context: RequestContext[AddRaftVoterResponse]
) -> Later:
    """Hand on to the controller."""
    refused = partial(refuse, request, context)
    return broker.forwarding.forward(context, refused, request.timeout_ms)


def on_controller(
    node: QuorumHost, request: AddRaftVoterRequest, context: RequestContext[AddRaftVoterResponse]
) -> Later:
    """Serve AddRaftVoter."""
    of_cluster(node, request.cluster_id)
    raft = change_of(node)
    directory = request.voter_directory_id or ZERO_ID
    if request.voter_id < 0 or directory == ZERO_ID:
        raise Refusal(Error.INVALID_REQUEST, "Add voter request didn't include a valid voter")
    endpoints = tuple(Endpoint(e.name, e.host, e.port) for e in request.listeners)
    voter = Voter(request.voter_id, directory, endpoints, KRAFT_LEVELS)
    listener = node.quorum.controller_listeners[0]
    if voter.endpoint((listener,)) is None:
        raise Refusal(
            Error.INVALID_REQUEST,
            f"Add voter request didn't include the endpoint for the default listener {listener}:"
            f" it has {', '.join(e.name for e in endpoints) or 'none'}",
        )

    def done(refusal: Refusal | None) -> None:
        if refusal is None:
            context.answer(AddRaftVoterResponse())
        else:
            context.answer(refuse(request, context, refusal.error, str(refusal)))

    raft.changes.add(voter, context.version < 1 or request.ack_when_committed, done)
    return LATER


def refuse(
    request: AddRaftVoterRequest,
    context: RequestContext[AddRaftVoterResponse],
    error: Error,
    message: str,
) -> AddRaftVoterResponse:
    """The error with its reason."""
    return AddRaftVoterResponse(error_code=error, error_message=message)
