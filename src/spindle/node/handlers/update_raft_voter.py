"""UpdateRaftVoter (82), version 0, on the controller's listener (KIP-853).

Behaviour: a voter tells its endpoints and the versions of the quorum that it supports. Answered
when the change is written. Errors of the epoch as for a fetch, with the leader that we know.
"""

from __future__ import annotations

from spindle.core.raft.raft_values import NO_NODE
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange
from spindle.model.quorum_voters import Voter
from spindle.node.handlers._quorum import raft_of
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import RequestContext
from spindle.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from spindle.wire.messages.update_raft_voter_response import CurrentLeader, UpdateRaftVoterResponse


def on_controller(
    node: QuorumHost,
    request: UpdateRaftVoterRequest,
    context: RequestContext[UpdateRaftVoterResponse],
) -> UpdateRaftVoterResponse:
    """Serve UpdateRaftVoter."""
    raft = raft_of(node, request.cluster_id)
    error = raft.state.refuses_epoch(request.current_leader_epoch)
    if error == Error.NONE:
        try:
            raft.changes.update(_voter(node, request))
        except Refusal as refusal:
            error = refusal.error
    return _reply(node, error)


def _voter(node: QuorumHost, request: UpdateRaftVoterRequest) -> Voter:
    directory = request.voter_directory_id or ZERO_ID
    levels = request.k_raft_version_feature
    voter = Voter(
        request.voter_id,
        directory,
        tuple(Endpoint(e.name, e.host, e.port) for e in request.listeners),
        VersionRange(levels.min_supported_version, levels.max_supported_version),
    )
    named = voter.id >= 0 and directory != ZERO_ID
    if not named or voter.endpoint(node.quorum.controller_listeners[:1]) is None:
        raise Refusal(Error.INVALID_REQUEST, "the voter has no directory or no endpoint")
    if not 0 <= voter.supported.min <= voter.supported.max:
        raise Refusal(Error.INVALID_REQUEST, "the range of supported versions is none")
    return voter


def refuse(
    request: UpdateRaftVoterRequest,
    context: RequestContext[UpdateRaftVoterResponse],
    error: Error,
    message: str,
) -> UpdateRaftVoterResponse:
    """The answer when the request as a whole is wrong."""
    return UpdateRaftVoterResponse(error_code=error)


def _reply(node: QuorumHost, error: Error) -> UpdateRaftVoterResponse:
    quorum = node.quorum
    leader = quorum.leader_id
    at = quorum.endpoint_of(leader) if leader != NO_NODE else None
    host, port = at or ("", -1)
    told = CurrentLeader(leader_id=leader, leader_epoch=quorum.epoch, host=host, port=port)
    return UpdateRaftVoterResponse(error_code=error, current_leader=told)
