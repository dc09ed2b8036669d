"""Where this node's copy of the metadata log stands: offsets and epochs, without the bytes.

Knows what is durable here; the leader knows which replicas have it (`leading`). Changed only from
continuations of finished writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spindle.core.raft.raft_values import FetchVerdict
from spindle.core.raft.voter_history import VoterHistory
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.offsets import EpochHistory, EpochStart, OffsetAndEpoch
from spindle.model.quorum_voters import QuorumAt, VoterKey


class LogLock:
    """One writer of the log at a time, the leader's side of a node or the follower's.

    Held from the beginning of a write until it is durable.
    """

    def __init__(self) -> None:
        self.is_held = False
        self._waiting: list[Callable[[], None]] = []

    def acquire(self) -> None:
        """A write begins."""
        assert not self.is_held
        self.is_held = True

    def release(self) -> None:
        """The write is over; what waited for that runs now."""
        self.is_held = False
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    def when_free(self, then: Callable[[], None]) -> None:
        """Run `then` when nothing is being written (now, if so)."""
        if self.is_held:
            self._waiting.append(then)
        else:
            then()


class RaftLog:
    """Start, durable end, epochs, newest snapshot and high watermark of the log."""

    def __init__(
        self,
        start: int = 0,
        end: int = 0,
        epochs: Iterable[EpochStart] = (),
        snapshot: OffsetAndEpoch | None = None,
        voters: VoterHistory | None = None,
    ) -> None:
        assert 0 <= start <= end
        self.start = start
        self.end = end
        self.epochs = EpochHistory(epochs)
        self.snapshot = snapshot
        """The newest snapshot."""
        self.earliest = snapshot
        """The oldest snapshot still kept: a log that does not start at 0 starts where it ends."""
        self.high_watermark = snapshot.offset if snapshot else 0
        self.leader_mark = -1
        """The leader's high watermark, which may be beyond our end; -1 while it is unknown."""
        self.lock = LogLock()
        self.voters = voters or VoterHistory()
        """What the log says of the quorum itself."""

    @property
    def last_epoch(self) -> int:
        """Epoch of the last record; a snapshot's where no record follows it; else 0."""
        latest = self.epochs.latest
        if latest >= 0:
            return latest
        return self.snapshot.epoch if self.snapshot else 0

    @property
    def last(self) -> OffsetAndEpoch:
        """What a candidate shows: the end, and the epoch of the last record."""
        return OffsetAndEpoch(self.end, self.last_epoch)

    def may_need(self, key: VoterKey) -> bool:
        """Whether an election may need this node: also one whose removal may not be committed."""
        return self.voters.is_needed(key, self.high_watermark)

    def on_appended(self, batches: Iterable[RecordBatch]) -> None:
        """These batches are durable at the end of the log."""
        for batch in batches:
            assert batch.base_offset == self.end, (
                f"metadata log: a batch at {batch.base_offset} does not continue {self.end}"
            )
            self.epochs.assign(batch.leader_epoch, batch.base_offset)
            self.end = batch.next_offset
            self.voters.on_appended(batch)

    def on_truncated(self, offset: int) -> None:
        """The log has been cut back to `offset`."""
        assert self.high_watermark <= offset <= self.end
        self.end = offset
        self.epochs.truncate_end(offset)
        self.voters.on_truncated(offset)

    def on_snapshot(self, snapshot: OffsetAndEpoch) -> None:
        """A snapshot of what lies below the high watermark has been written."""
        assert snapshot.offset <= self.high_watermark
        self.snapshot = snapshot
        if self.earliest is None:
            self.earliest = snapshot

    def on_reset(self, snapshot: OffsetAndEpoch, quorum: QuorumAt) -> None:
        """A snapshot, which says `quorum`, has taken the place of the whole log."""
        assert snapshot.offset >= self.high_watermark
        self.start = self.end = self.high_watermark = snapshot.offset
        self.epochs = EpochHistory()
        self.snapshot = self.earliest = snapshot
        self.voters.restart(snapshot.offset, quorum)

    def on_start_moved(self, earliest: OffsetAndEpoch) -> None:
        """Records below that snapshot are gone, and so are older snapshots."""
        assert self.snapshot is not None
        assert self.start <= earliest.offset <= self.snapshot.offset
        self.start = earliest.offset
        self.earliest = earliest
        self.epochs.truncate_start(earliest.offset)
        self.voters.on_start_moved(earliest.offset)

    def end_of(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch <= `epoch` here and where it ends."""
        found = self.epochs.end_of(epoch, self.end)
        return found if found.offset >= 0 else self.last

    def judge(self, offset: int, epoch: int) -> FetchVerdict:
        """Whether a log that ends at `offset`, with its last record of `epoch`, continues here."""
        if offset < 0 or epoch < 0:
            return FetchVerdict(error=Error.INVALID_REQUEST)
        if offset == 0 and self.snapshot is not None:
            return FetchVerdict(snapshot=self.snapshot)
        if self.start > 0 and self.earliest is not None:
            foreign = offset == self.start and epoch != self.earliest.epoch
            if offset < self.start or foreign or epoch < self.earliest.epoch:
                return FetchVerdict(snapshot=self.snapshot)
        if offset == 0:
            return FetchVerdict()
        ours = self.end_of(epoch)
        if ours.epoch != epoch or ours.offset < offset:
            return FetchVerdict(diverging=ours)
        return FetchVerdict()

    def cut_for(self, theirs: OffsetAndEpoch) -> int:
        """Where to truncate when a leader says that its `epoch` ends at `offset` (KIP-595)."""
        ours = self.end_of(theirs.epoch)
        if ours.epoch == theirs.epoch:
            return min(ours.offset, theirs.offset)
        return min(ours.offset, self.end)
