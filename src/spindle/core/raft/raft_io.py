"""What the quorum machine asks of its node, as a port.

`node.quorum` carries these out with files and requests; tests and the simulation's unit twins with
neither. Every continuation runs later, never inside the call that it is given to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from spindle.core.raft.raft_values import (
    Ballot,
    ElectionState,
    FetchAnswer,
    FetchPosition,
    Heard,
    Silence,
    VoteAnswer,
)
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import NodeId, VersionRange
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.quorum_voters import QuorumAt, QuorumRecord, Voter, VoterKey


class RaftIO(Protocol):
    """Files and other nodes, as the machine sees them. None stands for "no answer"."""

    def save(self, state: ElectionState, then: Callable[[], None]) -> None:
        """Make the state durable; saves end in the order in which they were asked for."""

    def ask_vote(
        self, voter: NodeId, ballot: Ballot, then: Callable[[VoteAnswer | None], None]
    ) -> None:
        """Put a ballot to another voter."""

    def begin_epoch(
        self, voter: NodeId, epoch: int, then: Callable[[Heard | None], object]
    ) -> None:
        """Tell a voter that we lead the epoch."""

    def end_epoch(
        self,
        voter: NodeId,
        epoch: int,
        successors: tuple[NodeId, ...],
        then: Callable[[Heard | None], object],
    ) -> None:
        """Tell a voter that we no longer lead the epoch, and which voters should be next."""

    def fetch(
        self,
        source: NodeId | None,
        position: FetchPosition,
        then: Callable[[FetchAnswer | Silence], None],
    ) -> None:
        """Ask the leader (None, or one whose address we do not know: any controller we know)."""

    def append(self, batches: tuple[RecordBatch, ...], then: Callable[[], None]) -> None:
        """Append a leader's batches to our copy; `then` once they are durable."""

    def truncate(self, offset: int, then: Callable[[], None]) -> None:
        """Cut our copy back to `offset`."""

    def load_snapshot(
        self,
        source: NodeId,
        epoch: int,
        snapshot: OffsetAndEpoch,
        then: Callable[[QuorumAt | None], None],
    ) -> None:
        """Fetch a snapshot from the leader of an epoch, store it, reset our copy to its end.

        `then` gets what it says of the quorum; None if it could not be had.
        """

    def lead(self, epoch: int, opening: tuple[QuorumRecord, ...]) -> None:
        """We lead, and that is durable: open the epoch with a LeaderChange at the log's end.

        `opening` goes into the same batch.
        """

    def append_quorum(self, records: tuple[QuorumRecord, ...]) -> int:
        """Append what the log says of the quorum, as the leader; the offset of the last record."""

    def ask_levels(self, voter: Voter, then: Callable[[VersionRange | Error], None]) -> None:
        """Ask a node which levels of kraft.version it supports (ApiVersions)."""

    def update_voter(
        self, leader: NodeId, epoch: int, own: Voter, then: Callable[[Heard | None], object]
    ) -> None:
        """Tell the leader what we are as a voter (UpdateRaftVoter)."""

    def add_voter(self, leader: NodeId, own: Voter) -> None:
        """Ask the leader for a vote (AddRaftVoter). What comes of it shows in the log."""

    def remove_voter(self, leader: NodeId, key: VoterKey) -> None:
        """Ask the leader to remove a voter (RemoveRaftVoter)."""

    def on_change(self) -> None:
        """Epoch, leader or role have changed."""

    def on_high_watermark(self) -> None:
        """The high watermark has moved."""

    def on_impossible(self, why: str) -> None:
        """The log contradicts what was committed: the node must stop at once."""
