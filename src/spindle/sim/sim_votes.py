"""Votes that an admin of the simulation gives and takes (KIP-853)."""

from __future__ import annotations

from typing import Final

from spindle.model.outbox import Rng
from spindle.model.quorum_voters import Voter
from spindle.wire.codec import Request, Response
from spindle.wire.messages.add_raft_voter_request import AddRaftVoterRequest, Listener
from spindle.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest

TIMEOUT_MS: Final = 5000


def voter_change(voter: Voter, rng: Rng) -> tuple[str, None, Request[Response]]:
    """What to ask of any broker for this controller, and what that is called."""
    if rng.random() < 0.5:
        return "vote given", None, _given(voter)
    request = RemoveRaftVoterRequest(voter_id=voter.id, voter_directory_id=voter.directory_id)
    return "vote taken", None, request


def _given(voter: Voter) -> AddRaftVoterRequest:
    listeners = tuple(Listener(name=e.name, host=e.host, port=e.port) for e in voter.endpoints)
    return AddRaftVoterRequest(
        timeout_ms=TIMEOUT_MS,
        voter_id=voter.id,
        voter_directory_id=voter.directory_id,
        listeners=listeners,
        ack_when_committed=True,
    )
