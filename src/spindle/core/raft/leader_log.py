"""The metadata log as its leader keeps it: judges fetches, counts what replicas have, commits.

A replica's fetch acknowledges all that lies before its offset (KIP-595). Knows no elections;
belongs to `machine.Raft`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.leading import LeaderProgress, ReplicaProgress
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import FetchPosition, FetchVerdict, Heard
from spindle.core.raft.roles import LeaderState
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import KRaftVersion, QuorumRecord, Voter


class LeaderLog:
    """What a node does with its log while it leads; others it refuses by epoch."""

    def __init__(
        self,
        state: EpochState,
        log: RaftLog,
        out: Outbox,
        io: RaftIO,
        own: Voter,
        committed: Callable[[], None],
    ) -> None:
        self._state = state
        self._log = log
        self._out = out
        self._io = io
        self._own = own
        """What we say of ourselves as a voter."""
        self._committed = committed

    # --- what replicas ask ------------------------------------------------------------------

    def on_fetch(
        self, replica: NodeId, position: FetchPosition, directory: DirectoryId | None = None
    ) -> FetchVerdict:
        """A replica fetches from us: judge it, and count what it has as acknowledged."""
        verdict = self.judge_fetch(position)
        term = self._state.term
        if verdict == FetchVerdict() and replica >= 0 and replica != self._state.me:
            assert term is not None
            now, wall_ms = self._out.now, self._out.wall_ms
            term.on_fetch(replica, position.offset, self._log.end, now, wall_ms, directory)
            self._commit()
        return verdict

    def on_snapshot_fetch(self, replica: NodeId, directory: DirectoryId | None = None) -> None:
        """A replica fetches a snapshot from us, the leader."""
        term = self._state.term
        assert term is not None
        term.on_snapshot_fetch(replica, directory, self._out.now)

    def judge_fetch(self, position: FetchPosition) -> FetchVerdict:
        """What a fetch deserves now. The epoch is asked first, as Apache Kafka does."""
        if position.offset < 0 or not 0 <= position.last_epoch <= position.epoch:
            return FetchVerdict(error=Error.INVALID_REQUEST)
        error = self._state.refuses_epoch(position.epoch)
        if error != Error.NONE:
            return FetchVerdict(error=error)
        return self._log.judge(position.offset, position.last_epoch)

    def voters(self, term: LeaderProgress, directory: DirectoryId) -> dict[NodeId, ReplicaProgress]:
        """How far each voter is. Our own copy fetches from no other: it is always caught up."""
        now = self._out.wall_ms
        me = self._state.me
        ours = replace(term.own, directory=directory, last_fetch_ms=now, last_caught_up_ms=now)
        return {id: ours if id == me else progress for id, progress in term.voters.items()}

    # --- a term -----------------------------------------------------------------------------

    def open_epoch(self) -> None:
        """Have our epoch opened, now that nothing else is being done to the log."""
        term = self._state.term
        if term is not None and term.start is None:
            term.on_local_end(self._log.end, self._out.wall_ms)
            self._io.lead(self._state.epoch, self._opening())

    def _opening(self) -> tuple[QuorumRecord, ...]:
        """What else an epoch begins with: voters that no log has yet, or that we are otherwise."""
        history, own = self._log.voters, self._own
        if not history.is_dynamic:
            return ()
        voters = history.latest.updated(own) or history.latest
        if history.offset >= 0 and voters == history.latest:
            return ()
        return (KRaftVersion(history.level), voters)

    def on_epoch_opened(self, offset: int) -> None:
        """Our LeaderChange has been given its place in the log."""
        term = self._state.term
        assert term is not None
        term.start = offset

    def announce(
        self, role: LeaderState, every: float, then: Callable[[Heard | None], object]
    ) -> None:
        """Tell voters that do not fetch from us that we lead; again and again while we do."""
        state = self._state
        for voter in role.term.silent_since(self._out.now - every):
            self._io.begin_epoch(voter, state.epoch, then)
        state.later(every, lambda: self.announce(role, every, then))

    def on_appended(self, batches: Sequence[RecordBatch]) -> None:
        """What we appended is durable here, whether or not we still lead."""
        self._log.on_appended(batches)
        term = self._state.term
        if term is not None:
            term.on_local_end(self._log.end, self._out.wall_ms)
            term.reconfigure(self._log.voters.latest)
            self._commit()

    def _commit(self) -> None:
        term = self._state.term
        assert term is not None
        offset = term.committed()
        if offset is not None and offset > self._log.high_watermark:
            assert offset <= self._log.end
            self._log.high_watermark = self._log.leader_mark = offset
            self._io.on_high_watermark()
            self._committed()
