"""The roles of a node in the quorum, and what each remembers while it lasts.

    unattached   knows no leader; a voter stands for election when its timeout ends
    prospective  asks whether it would win (KIP-996: no epoch is spent on finding out)
    candidate    has voted for itself in a new epoch and asks for votes
    follower     has a leader
    leader       see `leading.LeaderProgress`
    resigned     led the present epoch and will not lead it again

An observer is a node that is no voter: it is unattached or a follower, and never stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from spindle.core.raft.leading import LeaderProgress
from spindle.model.ids import NodeId


@dataclass(slots=True)
class UnattachedState:
    """Waits for a leader to show up."""


@dataclass(slots=True)
class CandidateState:
    """Asks for votes: for real, or (`pre_vote`) to learn whether that would make sense."""

    pre_vote: bool
    votes: dict[NodeId, bool] = field(default_factory=dict)

    def won(self, voters: int) -> bool:
        """A majority said yes."""
        return sum(self.votes.values()) > voters // 2

    def lost(self, voters: int) -> bool:
        """So many said no that a majority is out of reach."""
        against = sum(not vote for vote in self.votes.values())
        return voters - against <= voters // 2


@dataclass(slots=True)
class FollowerState:
    """Has a leader. `fetched`: that leader has answered us at least once."""

    leader: NodeId
    fetched: bool = False

    def doubt(self) -> None:
        """It answers no more: others that think that we have a vote may get it."""
        self.fetched = False


@dataclass(slots=True)
class LeaderState:
    """Leads. `term` holds what is known of the others."""

    term: LeaderProgress


@dataclass(slots=True)
class ResignedState:
    """Led this epoch; waits for another to take over."""


Role: TypeAlias = UnattachedState | CandidateState | FollowerState | LeaderState | ResignedState
