"""The metadata quorum as one machine: elections, leadership, following (KIP-595, KIP-996).

Decides which role a node takes; `epoch_state` keeps it, `leader_log` and `follower` do a role's
work on the log. Never sees bytes, files or sockets: `RaftIO` does these for it. A node feeds it
what has happened and what other nodes ask. A quorum of one takes the same steps as one of three.
Called by `node.quorum` alone. What rests on a vote or epoch leaves only when that is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.fast_election import FastElection
from spindle.core.raft.follower import Fetched, Follower
from spindle.core.raft.leader_log import LeaderLog
from spindle.core.raft.leading import LeaderProgress
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import (
    NO_NODE,
    Ballot,
    ElectionState,
    FetchAnswer,
    Heard,
    Silence,
    Timing,
    VoteAnswer,
)
from spindle.core.raft.roles import (
    CandidateState,
    FollowerState,
    LeaderState,
    ResignedState,
    UnattachedState,
)
from spindle.core.raft.voter_changes import VoterChanges
from spindle.core.raft.voter_upkeep import VoterUpkeep
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import NodeId
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import Voter

CHECK_QUORUM_FACTOR = 1.5
"""A leader that no majority fetched from for this many fetch timeouts gives up."""
FAREWELL_SECONDS = 1.0
"""How long a leader that stops waits for the others to hear of it."""


class Raft:
    """One node's part in the quorum: a voter where the log's voters have it, else an observer."""

    def __init__(
        self,
        own: Voter,
        timing: Timing,
        out: Outbox,
        log: RaftLog,
        io: RaftIO,
        *,
        joins: bool | None = None,
    ) -> None:
        """`own`: this node as a voter. `joins`: whether it asks for a vote; None: no controller."""
        self.state = EpochState(own.key, log.voters, out, io)
        self.log = log
        self.changes = VoterChanges(self.state, log, timing, out, io, self._give_up, own)
        self.leader_log = LeaderLog(self.state, log, out, io, own, self.changes.on_committed)
        self.state.term_ended = self.changes.on_not_leading
        self._upkeep = None
        if joins is not None:
            self._upkeep = VoterUpkeep(self.state, own, joins, timing, out, io, self.on_heard)
        self._follower = Follower(self.state, log, timing, out, io)
        self._fast_election = FastElection()
        self._timing = timing
        self._out = out
        self._io = io

    # --- life -------------------------------------------------------------------------------

    def start(self, saved: ElectionState | None) -> None:
        """Take up where `quorum-state` left us; None: nothing was ever saved."""
        known = saved or ElectionState()
        if known.epoch < self.log.last_epoch:
            known = ElectionState(self.log.last_epoch)
        state = self.state
        state.election = known
        if self.log.may_need(self.state.key) and known.leader == state.me:
            # What we appended last in this epoch may be lost: never lead the same epoch again.
            state.transition_to(ResignedState())
            state.later(self._patience(), self._stand)
        elif known.leader not in (NO_NODE, state.me):
            self._follow(known.leader)
        else:
            self._wait()
        self._follower.go(self._on_fetched)
        if self._upkeep is not None:
            self._upkeep.start()

    def shut_down(self, then: Callable[[], None]) -> None:
        """Take no more part; `then` when the others know, if we led, or a second later."""
        state = self.state
        state.stopping = True
        asked: tuple[NodeId, ...] = ()
        if isinstance(state.role, LeaderState):
            asked = state.role.term.successors()
            state.transition_to(ResignedState())
        state.cancel_timers()
        open_ = set(asked)
        if not open_:
            then()
            return
        limit = self._out.after(FAREWELL_SECONDS, then)
        for voter in asked:

            def heard(_: Heard | None, voter: NodeId = voter) -> None:
                open_.discard(voter)
                if not open_ and limit.then is not None:
                    limit.cancel()
                    then()

            self._io.end_epoch(voter, state.epoch, asked, heard)

    # --- what other nodes ask ---------------------------------------------------------------

    def on_vote(
        self, ballot: Ballot, answer: Callable[[VoteAnswer], None], is_for_us: bool = True
    ) -> None:
        """Another voter asks for our vote; the answer leaves when the vote is durable.

        `is_for_us`: whether the request means this node with its directory; else it is news alone.
        """
        state = self.state
        error = Error.INVALID_REQUEST
        if ballot.is_possible and ballot.candidate != state.me:
            error = state.refuses_voter(ballot.candidate, ballot.epoch)
        if error != Error.NONE:
            answer(VoteAnswer(state.heard(error), False))
            return
        if ballot.epoch > state.epoch:
            self._adopt(ballot.epoch)
        if not is_for_us:
            heard = state.heard(Error.INVALID_VOTER_KEY)
            state.when_saved(lambda: answer(VoteAnswer(heard, False)))
            return
        granted = state.may_grant(ballot, self.log.last)
        if granted and not ballot.pre_vote and not state.election.has_voted_for(ballot.key):
            state.save(
                state.election._replace(voted=ballot.candidate, voted_directory=ballot.directory)
            )
            self._wait()  # A fresh wait: give the one we voted for its time.
        heard = state.heard()
        state.when_saved(lambda: answer(VoteAnswer(heard, granted)))

    def on_begin_epoch(
        self,
        leader: NodeId,
        epoch: int,
        answer: Callable[[Heard], None],
        is_for_us: bool = True,
    ) -> None:
        """A leader says so, whether or not `is_for_us` what it says: then it hears that."""
        state = self.state
        error = state.refuses_voter(leader, epoch)
        if error != Error.NONE:
            answer(state.heard(error))
            return
        if epoch == state.epoch and state.election.leader not in (NO_NODE, leader):
            answer(state.heard(Error.INVALID_REQUEST))
            return
        if leader != state.me:
            self._obey(leader, epoch)
        heard = state.heard(Error.NONE if is_for_us else Error.INVALID_VOTER_KEY)
        state.when_saved(lambda: answer(heard))

    def on_end_epoch(
        self,
        leader: NodeId,
        epoch: int,
        successors: tuple[NodeId, ...],
        answer: Callable[[Heard], None],
    ) -> None:
        """A leader resigns; the first of its successors stands at once, the others soon."""
        state = self.state
        error = state.refuses_voter(leader, epoch)
        if error != Error.NONE:
            answer(state.heard(error))
            return
        # It may be the first that we hear of this leader: then it counts as ours until we stand.
        self.on_heard(Heard(Error.NONE, epoch, leader))
        role, me = state.role, state.me
        if state.is_voter and isinstance(role, FollowerState) and state.election.leader == leader:
            place = successors.index(me) if me in successors else len(successors)
            role.fetched = False  # It answers no more: pre-votes may be granted.
            state.cancel_timers()
            state.later(place and self._timing.backoff(place, self._out.rng), self._stand)
        heard = state.heard()
        state.when_saved(lambda: answer(heard))

    # --- leading ----------------------------------------------------------------------------

    def on_local_append(self, batches: Sequence[RecordBatch]) -> None:
        """What we appended as the leader, holding the log's lock, is durable."""
        before = self.state.voters
        self.leader_log.on_appended(batches)
        if isinstance(self.state.role, CandidateState) and self.state.voters != before:
            self._wait()  # We led when we wrote this: others are to be asked now.
        self.log.lock.release()
        self._follower.go(self._on_fetched)

    def _lead(self) -> None:
        state = self.state
        self._fast_election.forget()
        state.save(state.election._replace(leader=state.me))
        voters = state.history.latest
        role = LeaderState(LeaderProgress(state.me, state.epoch, voters, self._out.now))
        state.transition_to(role)

        def durable() -> None:
            if state.role is role:
                self.log.lock.when_free(self.leader_log.open_epoch)
                self.leader_log.announce(role, self._timing.fetch_timeout / 2, self.on_heard)
                self._check_quorum(role)

        state.when_saved(durable)

    def _check_quorum(self, role: LeaderState) -> None:
        patience = CHECK_QUORUM_FACTOR * self._timing.fetch_timeout
        limit = role.term.heard_by_majority_at() + patience
        if limit <= self._out.now:
            self._out.say("warning", "leader resigns: no majority fetches", epoch=self.state.epoch)
            self._give_up(role)
        else:
            alone = limit == float("inf")
            pause = patience if alone else limit - self._out.now
            self.state.later(pause, lambda: self._check_quorum(role))

    def _give_up(self, role: LeaderState) -> None:
        """Resign, because no majority listens or the voters are others: one of them takes over."""
        state = self.state
        successors = role.term.successors()
        state.transition_to(ResignedState())
        for voter in successors:
            self._io.end_epoch(voter, state.epoch, successors, self.on_heard)
        state.later(self._patience(), self._stand)
        self._follower.go(self._on_fetched)

    # --- elections --------------------------------------------------------------------------

    def _stand(self) -> None:
        """Ask first whether we would win (pre-vote)."""
        if not self.log.may_need(self.state.key):
            self._wait()
            return
        self._campaign(CandidateState(pre_vote=True))

    def _stand_soon(self) -> None:
        if self.state.is_voter and self._fast_election.is_due:
            delay = self._fast_election.delay(self.state.me, self.state.voters, self._out.rng)
            self.state.later(delay, self._stand)

    def _campaign(self, role: CandidateState) -> None:
        state = self.state
        state.transition_to(role)
        if state.is_voter:
            role.votes[state.me] = True
        directory = state.key.directory_id
        ballot = Ballot(state.me, state.epoch, self.log.last, role.pre_vote, directory)

        def durable() -> None:
            if state.role is role and not self._count(role):
                state.later(self._patience(), self._wait)
                for voter in state.voters:
                    if voter != state.me:
                        self._send_vote(role, voter, ballot)

        state.when_saved(durable)

    def _send_vote(self, role: CandidateState, voter: NodeId, ballot: Ballot) -> None:
        def on_answer(answer: VoteAnswer | None) -> None:
            if self.state.role is not role:
                if answer is not None:
                    self.on_heard(answer.heard)
            elif answer is None:
                again = max(self._timing.retry_backoff, 0.01)
                self.state.later(again, lambda: self._send_vote(role, voter, ballot))
            elif not self.on_heard(answer.heard):
                role.votes[voter] = answer.granted
                if not self._count(role) and not answer.granted:
                    self._stand_soon()

        self._io.ask_vote(voter, ballot, on_answer)

    def _count(self, role: CandidateState) -> bool:
        """Act on the votes so far; whether they decide."""
        state = self.state
        if role.won(len(state.voters)):
            if role.pre_vote:
                state.save(ElectionState(state.epoch + 1, NO_NODE, *state.key))
                self._campaign(CandidateState(pre_vote=False))
            else:
                self._lead()
            return True
        if role.lost(len(state.voters)):
            self._wait()
            self._stand_soon()
            return True
        return False

    def _patience(self) -> float:
        """How long to wait for others: random, so that they do not all stand at once."""
        if self.state.voters == (self.state.me,):
            return 0.0
        return self._timing.election_timeout * (1 + self._out.rng.random())

    # --- epochs and roles ---------------------------------------------------------------------

    def on_heard(self, heard: Heard | None) -> bool:
        """Another node named an epoch or a leader; whether that changed ours."""
        state = self.state
        if heard is None or heard.epoch < state.epoch:
            return False
        if heard.epoch > state.epoch:
            self._adopt(heard.epoch, heard.leader)
            return True
        if heard.leader not in (NO_NODE, state.me) and state.election.leader == NO_NODE:
            self._obey(heard.leader, heard.epoch)
            return True
        return False

    def _adopt(self, epoch: int, leader: NodeId = NO_NODE) -> None:
        """A higher epoch exists: leave ours."""
        assert epoch > self.state.epoch
        self._fast_election.forget()
        if leader in (NO_NODE, self.state.me):
            self.state.save(ElectionState(epoch))
            self._wait()
        else:
            self._obey(leader, epoch)

    def _obey(self, leader: NodeId, epoch: int) -> None:
        """Follow the leader of an epoch that is not below ours."""
        state = self.state
        if (epoch, leader) != (state.epoch, state.election.leader):
            same = state.election if epoch == state.epoch else ElectionState()
            state.save(ElectionState(epoch, leader, same.voted, same.voted_directory))
        if not (isinstance(state.role, FollowerState) and state.role.leader == leader):
            self._follow(leader)

    def _follow(self, leader: NodeId) -> None:
        self.state.transition_to(FollowerState(leader))
        self.on_contact(first=True)
        self._follower.restart(self._on_fetched)

    def _wait(self) -> None:
        self.state.transition_to(UnattachedState())
        if self.log.may_need(self.state.key):
            self.state.later(self._patience(), self._stand)
        self._follower.go(self._on_fetched)

    # --- following ----------------------------------------------------------------------------

    def on_contact(self, first: bool = False) -> None:
        """The leader has answered a fetch: patience begins again."""
        self._fast_election.forget()
        role = self.state.role
        if isinstance(role, FollowerState):
            role.fetched = not first
            if self.log.may_need(self.state.key):
                self.state.cancel_timers()
                self.state.later(self._timing.fetch_timeout, self._stand)
            elif self.log.voters.is_dynamic:
                self.state.cancel_timers()
                self.state.later(self._timing.fetch_timeout, role.doubt)

    def _on_fetched(self, fetched: Fetched) -> None:
        source, answer, is_awaited = fetched
        if not is_awaited:
            if isinstance(answer, FetchAnswer):
                self.on_heard(answer.heard)
            return
        if answer is Silence.GONE and source == self.state.leader != NO_NODE:
            self._on_leader_gone()
        accepted, news = self._judge(answer)
        self._follower.on_judged(accepted, news, self._on_fetched)

    def _judge(self, answer: FetchAnswer | Silence) -> tuple[FetchAnswer | None, bool]:
        """The answer if the leader of our epoch gave it; and whether it had news."""
        if isinstance(answer, Silence):
            return None, False
        state, heard = self.state, answer.heard
        news = self.on_heard(heard)
        leads = isinstance(state.role, LeaderState)
        stale = heard.epoch != state.epoch or heard.leader != state.leader
        if heard.error != Error.NONE or stale or leads or state.stopping:
            return None, news
        if not isinstance(state.role, FollowerState):
            self._follow(state.election.leader)  # It answered although we had lost patience.
        self.on_contact()
        return answer, news

    def _on_leader_gone(self) -> None:
        """No process serves at the leader's address: after the second time, stand soon."""
        role = self.state.role
        if isinstance(role, FollowerState):
            role.fetched = False  # It answers no more: pre-votes may be granted.
        if self._fast_election.on_gone(self.state.leader) and not isinstance(role, CandidateState):
            self._stand_soon()
