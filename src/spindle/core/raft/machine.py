"""The metadata quorum as one machine: elections, leadership, following (KIP-595, KIP-996).

Never sees bytes, files or sockets: `RaftIO` does these for it. A node feeds it what has happened
and what other nodes ask. A quorum of one takes the same steps as one of three. Called by
`node.quorum` alone. What rests on a vote or epoch leaves only when that is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spindle.core.raft.follower import Follower
from spindle.core.raft.haste import Haste
from spindle.core.raft.leading import LeaderProgress
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import (
    NOBODY,
    Ballot,
    ElectionState,
    FetchPosition,
    FetchVerdict,
    Heard,
    Timing,
    VoteAnswer,
)
from spindle.core.raft.roles import (
    CandidateState,
    FollowerState,
    LeaderState,
    ResignedState,
    Role,
    UnattachedState,
)
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.outbox import Outbox

CHECK_QUORUM_FACTOR = 1.5
"""A leader that no majority fetched from for this many fetch timeouts gives up."""
FAREWELL_SECONDS = 1.0
"""How long a leader that stops waits for the others to hear of it."""


class Raft:
    """One node's part in the quorum: a voter where `me` is among `voters`, else an observer."""

    def __init__(
        self,
        me: NodeId,
        voters: tuple[NodeId, ...],
        timing: Timing,
        out: Outbox,
        log: RaftLog,
        world: RaftIO,
    ) -> None:
        self.me = me
        self.voters = voters
        self.timing = timing
        self.out = out
        self.log = log
        self.world = world
        self.state = ElectionState()
        self.role: Role = UnattachedState()
        self.follower = Follower(self)
        self._haste = Haste()
        self.stopping = False
        self._saves_asked = 0
        self._saves_done = 0
        self._waiting_saves: list[tuple[int, Callable[[], None]]] = []

    # --- asking -----------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The highest epoch seen."""
        return self.state.epoch

    @property
    def leader(self) -> NodeId:
        """Who leads it, or NOBODY. We ourselves, once resigned, are none."""
        if self.state.leader == self.me and not isinstance(self.role, LeaderState):
            return NOBODY
        return self.state.leader

    @property
    def is_voter(self) -> bool:
        """Whether we have a vote."""
        return self.me in self.voters

    @property
    def term(self) -> LeaderProgress | None:
        """Our own leadership, once it has begun."""
        return self.role.term if isinstance(self.role, LeaderState) else None

    def heard(self, error: Error = Error.NONE) -> Heard:
        """What we tell anybody about epoch and leader."""
        return Heard(error, self.epoch, self.leader)

    # --- life -------------------------------------------------------------------------------

    def start(self, saved: ElectionState | None) -> None:
        """Take up where `quorum-state` left us; None: nothing was ever saved."""
        known = saved or ElectionState()
        if known.epoch < self.log.last_epoch:
            known = ElectionState(self.log.last_epoch)
        self.state = known
        if self.is_voter and known.leader == self.me:
            # What we appended last in this epoch may be lost: never lead the same epoch again.
            self._become(ResignedState())
            self._later(self._patience(), self._stand)
        elif known.leader not in (NOBODY, self.me):
            self._follow(known.leader)
        else:
            self._wait()
        self.follower.go()

    def shut_down(self, then: Callable[[], None]) -> None:
        """Take no more part; `then` when the others know, if we led, or a second later."""
        self.stopping = True
        asked: tuple[NodeId, ...] = ()
        if isinstance(self.role, LeaderState):
            asked = self.resign()
        for timer in self.role.timers:
            timer.cancel()
        open_ = set(asked)
        if not open_:
            then()
            return
        limit = self.out.after(FAREWELL_SECONDS, then)
        epoch = self.epoch
        for voter in asked:

            def heard(_: Heard | None, voter: NodeId = voter) -> None:
                open_.discard(voter)
                if not open_ and limit.then is not None:
                    limit.cancel()
                    then()

            self.world.end_epoch(voter, epoch, asked, heard)

    # --- what other nodes ask ---------------------------------------------------------------

    def on_vote(self, ballot: Ballot, answer: Callable[[VoteAnswer], None]) -> None:
        """Another voter asks for our vote; the answer leaves when the vote is durable."""
        if ballot.epoch < self.epoch:
            answer(VoteAnswer(self.heard(Error.FENCED_LEADER_EPOCH), False))
            return
        if ballot.epoch > self.epoch:
            self._adopt(ballot.epoch)
        granted = self._may_grant(ballot)
        if granted and not ballot.pre_vote and self.state.voted != ballot.candidate:
            self._save(self.state._replace(voted=ballot.candidate))
            self._wait()  # A fresh wait: give the one we voted for its time.
        heard = self.heard()
        self.when_saved(lambda: answer(VoteAnswer(heard, granted)))

    def on_begin_epoch(self, leader: NodeId, epoch: int, answer: Callable[[Heard], None]) -> None:
        """A leader says so."""
        if epoch < self.epoch:
            answer(self.heard(Error.FENCED_LEADER_EPOCH))
            return
        if epoch == self.epoch and self.state.leader not in (NOBODY, leader):
            answer(self.heard(Error.INVALID_REQUEST))
            return
        if leader != self.me:
            self._obey(leader, epoch)
        heard = self.heard()
        self.when_saved(lambda: answer(heard))

    def on_end_epoch(
        self,
        leader: NodeId,
        epoch: int,
        successors: tuple[NodeId, ...],
        answer: Callable[[Heard], None],
    ) -> None:
        """A leader resigns; the first of its successors stands at once, the others soon."""
        if epoch < self.epoch:
            answer(self.heard(Error.FENCED_LEADER_EPOCH))
            return
        if epoch > self.epoch:
            self._adopt(epoch, leader)
        if self.is_voter and isinstance(self.role, FollowerState) and self.state.leader == leader:
            place = successors.index(self.me) if self.me in successors else len(successors)
            self.role.fetched = False  # It answers no more: pre-votes may be granted.
            self._cancel_timers()
            self._later(place and self._backoff(place), self._stand)
        answer(self.heard())

    def on_fetch(
        self, replica: NodeId, position: FetchPosition, directory: DirectoryId | None = None
    ) -> FetchVerdict:
        """A replica fetches from us: judge it, and count what it has as acknowledged."""
        verdict = self.judge_fetch(position)
        term = self.term
        if verdict == FetchVerdict() and replica >= 0 and replica != self.me:
            assert term is not None
            now, wall_ms = self.out.now, self.out.wall_ms
            term.on_fetch(replica, position.offset, self.log.end, now, wall_ms, directory)
            self._commit()
        return verdict

    def on_snapshot_fetch(self, replica: NodeId) -> None:
        """A replica fetches a snapshot from us, the leader."""
        assert self.term is not None
        self.term.on_snapshot_fetch(replica, self.out.now)

    def judge_fetch(self, position: FetchPosition) -> FetchVerdict:
        """What a fetch deserves now. The epoch is asked first, as Apache Kafka does."""
        if position.offset < 0 or not 0 <= position.last_epoch <= position.epoch:
            return FetchVerdict(error=Error.INVALID_REQUEST)
        error = self.refuses_epoch(position.epoch)
        if error != Error.NONE:
            return FetchVerdict(error=error)
        return self.log.judge(position.offset, position.last_epoch)

    def refuses_epoch(self, epoch: int) -> Error:
        """What is wrong with a request to the leader of `epoch`; NONE if we are that."""
        if epoch < self.epoch:
            return Error.FENCED_LEADER_EPOCH
        if epoch > self.epoch:
            return Error.UNKNOWN_LEADER_EPOCH
        if not isinstance(self.role, LeaderState):
            return Error.NOT_LEADER_OR_FOLLOWER
        return Error.NONE

    # --- leading ----------------------------------------------------------------------------

    def on_epoch_opened(self, offset: int) -> None:
        """Our LeaderChange has been given its place in the log."""
        assert self.term is not None
        self.term.start = offset

    def on_local_write(self) -> None:
        """We begin to append as the leader: whatever becomes of us, nobody else writes now."""
        self.follower.hold()

    def on_local_append(self, batches: Sequence[RecordBatch]) -> None:
        """What we appended as the leader is durable."""
        self.log.on_appended(batches)
        if self.term is not None:
            self.term.on_local_end(self.log.end, self.out.wall_ms)
            self._commit()
        self.follower.release()

    def resign(self) -> tuple[NodeId, ...]:
        """Lead no more; the successors, who are to be told so."""
        assert isinstance(self.role, LeaderState)
        successors = self.role.term.successors()
        self._become(ResignedState())
        return successors

    def _give_up(self) -> None:
        """Resign because nobody listens: whoever still does may take over."""
        successors = self.resign()
        for voter in successors:
            self.world.end_epoch(voter, self.epoch, successors, self.on_heard)
        self._later(self._patience(), self._stand)
        self.follower.go()

    def _commit(self) -> None:
        term = self.term
        assert term is not None
        offset = term.committed()
        if offset is not None and offset > self.log.high_watermark:
            assert offset <= self.log.end
            self.log.high_watermark = self.log.leader_mark = offset
            self.world.on_high_watermark()

    def begin_leading(self) -> None:
        """Open our epoch, now that nothing else is being done to the log."""
        if isinstance(self.role, LeaderState) and self.role.term.start is None:
            self.role.term.on_local_end(self.log.end, self.out.wall_ms)
            self.world.lead(self.epoch)

    def _govern(self) -> None:
        self._haste.forget()
        self._save(self.state._replace(leader=self.me))
        role = LeaderState(LeaderProgress(self.me, self.epoch, self.voters, self.out.now))
        self._become(role)

        def durable() -> None:
            if self.role is role:
                self.follower.when_idle(self.begin_leading)
                self._announce(role)
                self._check_quorum(role)

        self.when_saved(durable)

    def _announce(self, role: LeaderState) -> None:
        """Tell voters that do not fetch from us that we lead; again and again while we do."""
        every = self.timing.fetch_timeout / 2
        for voter in role.term.silent_since(self.out.now - every):
            self.world.begin_epoch(voter, self.epoch, self.on_heard)
        if len(self.voters) > 1:
            self._later(every, lambda: self._announce(role))

    def _check_quorum(self, role: LeaderState) -> None:
        limit = role.term.heard_by_majority_at() + (CHECK_QUORUM_FACTOR * self.timing.fetch_timeout)
        if limit <= self.out.now:
            self.out.say("warning", "leader resigns: no majority fetches", epoch=self.epoch)
            self._give_up()
        elif limit != float("inf"):
            self._later(limit - self.out.now, lambda: self._check_quorum(role))

    # --- elections --------------------------------------------------------------------------

    def _stand(self) -> None:
        """Ask first whether we would win (pre-vote)."""
        if not self.stopping:
            self._campaign(CandidateState(pre_vote=True))

    def on_leader_gone(self) -> None:
        """Nobody serves at the leader's address: after the second time, stand soon."""
        if isinstance(self.role, FollowerState):
            self.role.fetched = False  # It answers no more: pre-votes may be granted.
        if self._haste.on_gone(self.leader) and not isinstance(self.role, CandidateState):
            self._stand_soon()

    def _stand_soon(self) -> None:
        if self.is_voter and self._haste.is_due:
            delay = self._haste.delay(self.me, self.voters, self.out.rng)
            self._later(delay, self._stand)

    def _campaign(self, role: CandidateState) -> None:
        self._become(role)
        role.votes[self.me] = True
        ballot = Ballot(self.me, self.epoch, self.log.last, role.pre_vote)

        def durable() -> None:
            if self.role is role and not self._count(role):
                self._later(self._patience(), self._wait)
                for voter in self.voters:
                    if voter != self.me:
                        self._canvass(role, voter, ballot)

        self.when_saved(durable)

    def _canvass(self, role: CandidateState, voter: NodeId, ballot: Ballot) -> None:
        def on_answer(answer: VoteAnswer | None) -> None:
            if self.role is not role:
                if answer is not None:
                    self.on_heard(answer.heard)
            elif answer is None:
                self._later(
                    max(self.timing.retry_backoff, 0.01),
                    lambda: self._canvass(role, voter, ballot),
                )
            elif not self.on_heard(answer.heard):
                role.votes[voter] = answer.granted
                if not self._count(role) and not answer.granted:
                    self._stand_soon()

        self.world.ask_vote(voter, ballot, on_answer)

    def _count(self, role: CandidateState) -> bool:
        """Act on the votes so far; whether they decide."""
        if role.won(len(self.voters)):
            if role.pre_vote:
                self._save(ElectionState(self.epoch + 1, NOBODY, self.me))
                self._campaign(CandidateState(pre_vote=False))
            else:
                self._govern()
            return True
        if role.lost(len(self.voters)):
            self._wait()
            self._stand_soon()
            return True
        return False

    def _may_grant(self, ballot: Ballot) -> bool:
        if not self.is_voter or ballot.candidate not in self.voters:
            return False
        if isinstance(self.role, LeaderState):
            return False
        last = self.log.last
        up_to_date = (ballot.last.epoch, ballot.last.offset) >= (last.epoch, last.offset)
        if ballot.pre_vote:
            # A follower whose leader answers keeps it; whoever has none tells what it would do.
            content = isinstance(self.role, FollowerState) and self.role.fetched
            return up_to_date and not content
        if self.state.voted != NOBODY:
            return self.state.voted == ballot.candidate
        return up_to_date and self.state.leader == NOBODY

    # --- epochs and roles ---------------------------------------------------------------------

    def on_heard(self, heard: Heard | None) -> bool:
        """Somebody told us of an epoch or a leader; whether that changed ours."""
        if heard is None or heard.epoch < self.epoch:
            return False
        if heard.epoch > self.epoch:
            self._adopt(heard.epoch, heard.leader)
            return True
        if heard.leader not in (NOBODY, self.me) and self.state.leader == NOBODY:
            self._obey(heard.leader, heard.epoch)
            return True
        return False

    def _adopt(self, epoch: int, leader: NodeId = NOBODY) -> None:
        """A higher epoch exists: leave ours."""
        assert epoch > self.epoch
        self._haste.forget()
        if leader in (NOBODY, self.me):
            self._save(ElectionState(epoch))
            self._wait()
        else:
            self._obey(leader, epoch)

    def _obey(self, leader: NodeId, epoch: int) -> None:
        """Follow the leader of an epoch that is not below ours."""
        if (epoch, leader) != (self.epoch, self.state.leader):
            voted = self.state.voted if epoch == self.epoch else NOBODY
            self._save(ElectionState(epoch, leader, voted))
        if not (isinstance(self.role, FollowerState) and self.role.leader == leader):
            self._follow(leader)

    def _follow(self, leader: NodeId) -> None:
        self._become(FollowerState(leader))
        self.on_contact(first=True)
        self.follower.restart()

    def on_contact(self, first: bool = False) -> None:
        """The leader has answered a fetch: patience begins anew."""
        self._haste.forget()
        if isinstance(self.role, FollowerState):
            self.role.fetched = not first
            if self.is_voter:
                self._cancel_timers()
                self._later(self.timing.fetch_timeout, self._stand)

    def return_to_leader(self) -> None:
        """The leader of our epoch answered although we had lost patience with it."""
        if not isinstance(self.role, FollowerState):
            self._follow(self.state.leader)

    def _wait(self) -> None:
        self._become(UnattachedState())
        if self.is_voter:
            self._later(self._patience(), self._stand)
        self.follower.go()

    def _become(self, role: Role) -> None:
        self._cancel_timers()
        self.role = role
        self.world.on_change()

    def _patience(self) -> float:
        """How long to wait for others: random, so that they do not all stand at once."""
        if self.voters == (self.me,):
            return 0.0
        return self.timing.election_timeout * (1 + self.out.rng.random())

    def _backoff(self, place: int) -> float:
        step = self.timing.retry_backoff * (1 << min(place, 10))
        return min(step, self.timing.backoff_max) * (0.5 + self.out.rng.random())

    def _later(self, delay: float, then: Callable[[], None]) -> None:
        role = self.role

        def due() -> None:
            if self.role is role and not self.stopping:
                then()

        role.timers[:] = [timer for timer in role.timers if timer.then is not None]
        role.timers.append(self.out.after(delay, due))

    def _cancel_timers(self) -> None:
        for timer in self.role.timers:
            timer.cancel()
        self.role.timers.clear()

    # --- what must survive --------------------------------------------------------------------

    def _save(self, state: ElectionState) -> None:
        assert state.epoch >= self.state.epoch
        self.state = state
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

        self.world.save(state, done)

    def when_saved(self, then: Callable[[], None]) -> None:
        """Run `then` when all that we know of epochs and votes is durable (now, if it is)."""
        if self._saves_done == self._saves_asked:
            then()
        else:
            self._waiting_saves.append((self._saves_asked, then))
