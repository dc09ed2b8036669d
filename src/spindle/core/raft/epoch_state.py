"""What this node is in the present epoch: its role, its vote, the leader it knows (KIP-595).

Kafka's QuorumState. Makes epochs and votes durable before anything may rest on them; a role's
timers end with it. Decides nothing: `machine` says which role comes next.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.raft.leading import LeaderProgress
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_values import NO_NODE, Ballot, ElectionState, Heard
from spindle.core.raft.roles import FollowerState, LeaderState, Role, UnattachedState
from spindle.core.raft.voter_history import VoterHistory
from spindle.model.errors import Error
from spindle.model.ids import NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox, Timer
from spindle.model.quorum_voters import VoterKey


class EpochState:
    """Epoch, vote, leader and role of one node."""

    def __init__(self, key: VoterKey, history: VoterHistory, out: Outbox, io: RaftIO) -> None:
        self.key = key
        """This node with its metadata directory."""
        self.history = history
        self.election = ElectionState()
        self.role: Role = UnattachedState()
        self._timers: list[Timer] = []
        """Of the present role."""
        self.term_ended: Callable[[], None] = lambda: None
        """Called when we lead no more."""
        self.stopping = False
        """This node takes no more part."""
        self._out = out
        self._io = io
        self._saves_asked = 0
        self._saves_done = 0
        self._waiting_saves: list[tuple[int, Callable[[], None]]] = []

    # --- asking -----------------------------------------------------------------------------

    @property
    def me(self) -> NodeId:
        """This node's id."""
        return self.key.id

    @property
    def epoch(self) -> int:
        """The highest epoch seen."""
        return self.election.epoch

    @property
    def leader(self) -> NodeId:
        """The leader of the epoch, or `NO_NODE`. A node that has resigned does not name itself."""
        if self.election.leader == self.me and not isinstance(self.role, LeaderState):
            return NO_NODE
        return self.election.leader

    @property
    def is_voter(self) -> bool:
        """Whether this node has a vote."""
        return self.history.latest.has(self.key)

    @property
    def voters(self) -> tuple[NodeId, ...]:
        """The nodes with a vote."""
        return self.history.latest.ids

    @property
    def term(self) -> LeaderProgress | None:
        """Our own leadership, once it has begun."""
        return self.role.term if isinstance(self.role, LeaderState) else None

    def heard(self, error: Error = Error.NONE) -> Heard:
        """What each answer tells of epoch and leader."""
        return Heard(error, self.epoch, self.leader)

    def refuses_epoch(self, epoch: int) -> Error:
        """What is wrong with a request to the leader of `epoch`; NONE if we are that."""
        if epoch < self.epoch:
            return Error.FENCED_LEADER_EPOCH
        if epoch > self.epoch:
            return Error.UNKNOWN_LEADER_EPOCH
        if not isinstance(self.role, LeaderState):
            return Error.NOT_LEADER_OR_FOLLOWER
        return Error.NONE

    def refuses_voter(self, node: NodeId, epoch: int) -> Error:
        """What is wrong with what a candidate or a leader of `epoch` says; NONE if it counts."""
        if epoch < self.epoch:
            return Error.FENCED_LEADER_EPOCH
        return Error.INVALID_REQUEST if node < 0 else Error.NONE

    def may_grant(self, ballot: Ballot, last: OffsetAndEpoch) -> bool:
        """Whether a ballot of our epoch may have our vote; `last`: the end of our own log."""
        if not self.history.is_dynamic and not (self.is_voter and ballot.candidate in self.voters):
            return False  # A log that is behind may not know yet which nodes are voters.
        if isinstance(self.role, LeaderState):
            return False
        up_to_date = (ballot.last.epoch, ballot.last.offset) >= (last.epoch, last.offset)
        if ballot.pre_vote:
            # A follower keeps a leader that answers; the others tell what they would do.
            content = isinstance(self.role, FollowerState) and self.role.fetched
            return up_to_date and not content
        if self.election.voted != NO_NODE:
            return self.election.has_voted_for(ballot.key)
        return up_to_date and self.election.leader == NO_NODE

    # --- roles ------------------------------------------------------------------------------

    def transition_to(self, role: Role) -> None:
        """Take another role; the timers of the one before are void."""
        self.cancel_timers()
        led = self.term is not None
        self.role = role
        if led and self.term is None:
            self.term_ended()
        self._io.on_change()

    def later(self, delay: float, then: Callable[[], None]) -> None:
        """Run `then` in `delay` seconds, if the present role lasts until then."""
        role = self.role

        def due() -> None:
            if self.role is role and not self.stopping:
                then()

        self._timers = [timer for timer in self._timers if timer.then is not None]
        self._timers.append(self._out.after(delay, due))

    def cancel_timers(self) -> None:
        """Forget all that `later` was asked for."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    # --- what must survive --------------------------------------------------------------------

    def save(self, election: ElectionState) -> None:
        """Take over an epoch, vote or leader, and make them durable."""
        assert election.epoch >= self.epoch
        self.election = election
        self._saves_asked += 1
        mine = self._saves_asked

        def done() -> None:
            self._saves_done = mine
            waiting, self._waiting_saves = self._waiting_saves, []
            for number, then in waiting:
                if number <= mine:
                    then()
                else:
                    self._waiting_saves.append((number, then))

        self._io.save(election, done)

    def when_saved(self, then: Callable[[], None]) -> None:
        """Run `then` when all that we know of epochs and votes is durable (now, if it is)."""
        if self._saves_done == self._saves_asked:
            then()
        else:
            self._waiting_saves.append((self._saves_asked, then))
