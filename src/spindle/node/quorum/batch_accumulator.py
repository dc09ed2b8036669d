"""What the leader appends to the metadata log: batches in order, many of them in one write.

Kafka's BatchAccumulator. Holds the continuations of appends until they are committed and applied.
Belongs to `quorum`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from spindle.core.raft.machine import Raft
from spindle.model.batches import CONTROL, Record
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.metadata_records import FeatureLevel, MetadataRecord
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import QuorumRecord
from spindle.node.metadata import Metadata
from spindle.node.quorum.metadata_fetches import MetadataFetches
from spindle.node.quorum.metadata_log import Cached, MetadataLog
from spindle.node.quorum.metadata_snapshots import metadata_level
from spindle.wire import batch as codec
from spindle.wire import control
from spindle.wire.metadata import encode_record

WRITE_BYTES_MAX: Final = 8 << 20
"""Bytes of appended batches that go to the disk as one write."""

Committed = Callable[[int], None]


class BatchAccumulator:
    """Appends of one node, while it leads."""

    def __init__(
        self,
        raft: Raft,
        log: MetadataLog,
        fetches: MetadataFetches,
        metadata: Metadata,
        out: Outbox,
    ) -> None:
        self.next_offset = 0
        """The offset that the next append will have."""
        self._raft = raft
        self._log = log
        self._fetches = fetches
        self._metadata = metadata
        self._out = out
        self._queue: deque[Cached] = deque()
        self._writing = False
        self._waiting: deque[tuple[int, Committed]] = deque()
        self._level: int | None = None
        """The metadata.version that was appended in this epoch; None while that is the image's."""

    def open_epoch(self, epoch: int, opening: Sequence[QuorumRecord]) -> None:
        """We lead: begin the epoch with a LeaderChange."""
        base, state, now = self._raft.log.end, self._raft.state, self._out.wall_ms
        records = [control.leader_change(state.me, state.voters, state.voters, now)]
        records += [control.control_record(one, now) for one in opening]
        batch = codec.build(records, base_offset=base, leader_epoch=epoch, attributes=CONTROL)
        self._raft.leader_log.on_epoch_opened(base)
        self._out.say("info", "this controller leads", epoch=epoch, offset=base)
        self._enqueue(Cached(batch, ()))

    def append_quorum(self, said: tuple[QuorumRecord, ...]) -> int:
        """Append what the log says of the quorum, in one batch; the offset of the last record.

        It counts from the moment that it is durable here.
        """
        base, epoch, now = self.next_offset, self._raft.state.epoch, self._out.wall_ms
        records = [control.control_record(one, now) for one in said]
        batch = codec.build(records, base_offset=base, leader_epoch=epoch, attributes=CONTROL)
        self._enqueue(Cached(batch, ()))
        return batch.last_offset

    def append(self, records: Sequence[MetadataRecord], then: Committed | None = None) -> int:
        """Append records as one atomic batch; the offset of the first.

        `then(last_offset)` when they are committed and applied here; never, if leadership is lost
        before (the controller then hears `on_resigned`).
        """
        state = self._raft.state
        assert state.term is not None, "only the leader appends"
        assert records
        base, now = self.next_offset, self._out.wall_ms
        values = [
            Record(base + n, now, None, self._encoded(record)) for n, record in enumerate(records)
        ]
        batch = codec.build(values, base_offset=base, leader_epoch=state.epoch)
        self._enqueue(Cached(batch, tuple(records)))
        if then is not None:
            self._waiting.append((batch.last_offset, then))
        return base

    def on_applied(self, applied: int) -> None:
        """All below `applied` is committed and in our image: tell those that wait for it."""
        while self._waiting and self._waiting[0][0] < applied:
            offset, then = self._waiting.popleft()
            then(offset)

    def clear(self) -> None:
        """We lead no more: forget what is not yet being written, and whom to tell."""
        self._queue.clear()
        self._waiting.clear()
        self._level = None

    def _encoded(self, record: MetadataRecord) -> bytes:
        """A record's value in the form of the metadata.version that the log has up to here.

        What was decided on a new level may not wait for its commit, nor be written in another's
        form: a node of the cluster's version could not read it.
        """
        if isinstance(record, FeatureLevel) and record.name == METADATA_VERSION:
            self._level = record.level
        level = metadata_level(self._metadata.image) if self._level is None else self._level
        return encode_record(record, level)

    def _enqueue(self, cached: Cached) -> None:
        self.next_offset = cached.batch.next_offset
        self._queue.append(cached)
        self._write()

    def _write(self) -> None:
        """Write all that waits as one job; what comes meanwhile goes into the next."""
        if self._writing or not self._queue:
            return
        group: list[Cached] = []
        size = 0
        while self._queue and (not group or size < WRITE_BYTES_MAX):
            group.append(self._queue.popleft())
            size += group[-1].batch.size
        self._writing = True
        self._raft.log.lock.acquire()

        def durable() -> None:
            # What is appended on hearing of this write waits until the machine is through with it.
            self._raft.on_local_append([cached.batch for cached in group])
            self._writing = False
            self._fetches.on_progress()
            self._write()

        self._log.append(group, durable)
