"""The leader adds, removes and updates voters, one at a time (KIP-853).

A change is refused while the one before is not committed, and while our own epoch has committed
nothing: two sets of voters in a row share a majority. A voter is added only once it has the log,
and speaks the quorum's version. A static quorum becomes a dynamic one once all its voters support
that. Refusals are in Apache Kafka's words; a refusal that passes by itself is REQUEST_TIMED_OUT.
Belongs to `machine`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.leading import LeaderProgress
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import Timing
from spindle.core.raft.roles import LeaderState
from spindle.core.raft.static_quorum import StaticQuorum
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_VERSION
from spindle.model.ids import VersionRange
from spindle.model.outbox import Outbox, Timer
from spindle.model.quorum_voters import KRaftVersion, QuorumRecord, Voter, VoterKey, Voters

CAUGHT_UP_MS: Final = 3_600_000
"""A node that has had the whole log, and fetched within this time, may become a voter."""

Answer = Callable[[Refusal | None], None]
"""None: the change is committed (or written, where that was asked for)."""


@dataclass(slots=True)
class _Pending:
    """The change under way. `offset`: of its record, once that has a place in the log."""

    answer: Answer
    timer: Timer
    offset: int | None = None


class VoterChanges:
    """Changes of the voters at one node, while it leads."""

    def __init__(
        self,
        state: EpochState,
        log: RaftLog,
        timing: Timing,
        out: Outbox,
        io: RaftIO,
        leave: Callable[[LeaderState], None],
        own: Voter,
    ) -> None:
        """`leave`: how a leader without a vote gives up. `own`: this node as a voter."""
        self._state = state
        self._log = log
        self._timing = timing
        self._out = out
        self._io = io
        self._leave = leave
        self._static = StaticQuorum(own)
        self._pending: _Pending | None = None
        self._written = -1
        """Offset of the newest set of voters that we have put into the log's queue."""

    # --- what is asked ----------------------------------------------------------------------

    def add(self, voter: Voter, ack_when_committed: bool, answer: Answer) -> None:
        """Give a node a vote, once it says which versions it supports."""
        voters, _ = self._check("adding")
        if voters.find(voter.id) is not None:
            raise Refusal(
                Error.DUPLICATE_VOTER,
                f"The voter id for {voter.key} is already part of the set of voters {voters.keys}.",
            )
        pending = self._begin(answer)
        self._io.ask_levels(
            voter, lambda levels: self._on_levels(pending, voter, levels, ack_when_committed)
        )

    def remove(self, key: VoterKey, answer: Answer) -> None:
        """Take a voter's vote; a leader that removes itself resigns when that is committed."""
        voters, _ = self._check("removing")
        left = voters.removed(key)
        if left is None:
            raise Refusal(
                Error.VOTER_NOT_FOUND,
                f"Cannot remove voter {key} from the set of voters {voters.keys}",
            )
        self._begin(answer).offset = self._write(left)

    def update(self, voter: Voter) -> None:
        """Take over what a voter says of its endpoints and versions; of static ones in memory."""
        voters, level = self._check("updating", of_static=True)
        if not voter.supported.min <= level <= voter.supported.max:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{voter.key} supports {KRAFT_VERSION} {voter.supported.min} to"
                f" {voter.supported.max}, and the quorum has {level}",
            )
        updated = voters.updated(voter)
        if updated is None:
            raise Refusal(Error.VOTER_NOT_FOUND, f"{voter.key} is none of {voters.keys}")
        if not self._log.voters.is_dynamic:
            self._static.on_told(voter)
        elif updated != voters:
            self._write(updated)

    def check_upgrade(self, level: int) -> Voters | None:
        """The voters that go into the log when kraft.version becomes `level`; None if it is that.

        Refusals INVALID_UPDATE_VERSION, and those of any change.
        """
        voters, current = self._check("upgrading", of_static=True)
        if level == current:
            return None
        if level < current:
            raise Refusal(
                Error.INVALID_UPDATE_VERSION,
                f"{KRAFT_VERSION} is {current} and cannot become {level}: a quorum whose voters"
                " are in its log keeps them there",
            )
        return self._static.voters(voters, level)

    def upgrade(self, level: int, answer: Answer) -> None:
        """Write the quorum's version and its voters, which hold from then on, as one batch."""
        voters = self.check_upgrade(level)
        if voters is None:
            answer(None)
        else:
            self._begin(answer).offset = self._write(voters, KRaftVersion(level))

    # --- what happens meanwhile ---------------------------------------------------------------

    def on_committed(self) -> None:
        """The high watermark has moved. A leader whom a committed set leaves out gives up."""
        pending, mark = self._pending, self._log.high_watermark
        if pending is not None and pending.offset is not None and mark > pending.offset:
            self._end(pending, None)
        state, role, history = self._state, self._state.role, self._log.voters
        if history.is_dynamic and not state.is_voter and history.offset < mark:
            assert isinstance(role, LeaderState)
            self._out.say("info", "leader resigns: it has no vote any more", epoch=state.epoch)
            # Not at once: those that wait for this commit hear of it first.
            state.later(0, lambda: self._leave(role))

    def on_not_leading(self) -> None:
        """We lead no more: what is not committed may never be."""
        self._written = -1
        self._static.forget()
        if self._pending is not None:
            why = f"node {self._state.me} does not lead the quorum any more"
            self._end(self._pending, Refusal(Error.NOT_LEADER_OR_FOLLOWER, why))

    # --- steps ------------------------------------------------------------------------------

    def _check(self, doing: str, *, of_static: bool = False) -> tuple[Voters, int]:
        """The voters that hold, and the version; Refusal where they may not change now.

        `of_static`: whether that may be done with static voters.
        """
        term, history = self._state.term, self._log.voters
        if term is None:
            raise Refusal(
                Error.NOT_LEADER_OR_FOLLOWER, f"node {self._state.me} does not lead the quorum"
            )
        mark = self._log.high_watermark
        if self._pending is not None:
            why = "leader to handle previous voter change request"
        elif term.start is None or mark <= term.start:
            why = "leader to establish HWM and fence previous voter changes"
        elif not history.is_dynamic and not of_static:
            raise Refusal(
                Error.UNSUPPORTED_VERSION,
                f"Cluster doesn't support {doing} voter because the {KRAFT_VERSION} feature is"
                f" {history.level}",
            )
        elif (last := max(history.offset, self._written)) >= mark:
            why = f"voters to commit the latest voter change at {last} with HWM {mark}"
        else:
            return history.latest, history.level
        raise Refusal(Error.REQUEST_TIMED_OUT, f"Request timed out waiting for {why}")

    def _begin(self, answer: Answer) -> _Pending:
        why = Refusal(Error.REQUEST_TIMED_OUT, "the voters did not commit the change in time")
        timer = self._out.after(self._timing.request_timeout, lambda: self._end(pending, why))
        self._pending = pending = _Pending(answer, timer)
        return pending

    def _on_levels(
        self, pending: _Pending, voter: Voter, levels: VersionRange | Error, committed: bool
    ) -> None:
        term = self._state.term
        if self._pending is not pending or term is None:
            return
        try:
            self._check_newcomer(term, voter, levels)
            assert isinstance(levels, VersionRange)
            now = self._log.voters.latest.added(replace(voter, supported=levels))
            assert now is not None, "one change at a time"
        except Refusal as refusal:
            self._end(pending, refusal)
            return
        pending.offset = self._write(now)
        if not committed:
            # The next change is refused until this one is committed.
            self._end(pending, None)

    def _check_newcomer(
        self, term: LeaderProgress, voter: Voter, levels: VersionRange | Error
    ) -> None:
        level = self._log.voters.level
        if isinstance(levels, Error):
            raise Refusal(
                Error.REQUEST_TIMED_OUT,
                f"Aborted add voter operation since API_VERSIONS returned an error {levels.name}",
            )
        if not levels.min <= level <= levels.max:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"Aborted add voter operation for {voter.key} since the {KRAFT_VERSION} range"
                f" (min: {levels.min}, max: {levels.max}) doesn't support the finalized version"
                f" {level}",
            )
        if not term.is_caught_up(voter.key, self._out.wall_ms - CAUGHT_UP_MS):
            raise Refusal(
                Error.REQUEST_TIMED_OUT,
                f"Aborted add voter operation for {voter.key} since it is lagging behind",
            )

    def _write(self, voters: Voters, *before: QuorumRecord) -> int:
        self._written = self._io.append_quorum((*before, voters))
        self._out.say("info", "voters of the quorum change", voters=voters.keys)
        return self._written

    def _end(self, pending: _Pending, result: Refusal | None) -> None:
        if self._pending is not pending:
            return
        self._pending = None
        pending.timer.cancel()
        pending.answer(result)
