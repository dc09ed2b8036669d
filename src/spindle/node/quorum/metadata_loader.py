"""Applies what is committed to this node's image, publishes it, and counts it for the snapshots.

Kafka's MetadataLoader. Batches come from memory, or from the disk where others wrote them long
before; many records are decoded in turns. Knows no elections; belongs to `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.raft.log_retention import Kept
from spindle.core.raft.raft_log import RaftLog
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt
from spindle.model.metadata_records import MetadataRecord
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata
from spindle.node.quorum.metadata_log import READ_BYTES, Cached, MetadataLog
from spindle.node.quorum.quorum_loader import LoadedQuorum
from spindle.node.quorum.record_decoding import Decoding, records_of
from spindle.node.quorum.snapshotting import Snapshotting


class MetadataLoader:
    """Keeps the image of one node up to the high watermark."""

    def __init__(
        self, config: NodeConfig, out: Outbox, log: MetadataLog, metadata: Metadata
    ) -> None:
        self.metadata = metadata
        self.snapshots = Snapshotting(config, out, log, metadata)
        self.decoding = Decoding(out)
        self.applied = 0
        """All below this offset is in the image."""
        self._directory = config.metadata_dir
        self._out = out
        self._log = log
        self._raft_log = RaftLog()
        self._reading = False
        self._is_caught_up = False

    def begin(self, found: LoadedQuorum) -> None:
        """The log has been opened: its newest snapshot is in the image."""
        self._raft_log = found.log
        self.applied = found.log.high_watermark

    def on_snapshot(self, kept: Kept, records: list[MetadataRecord]) -> None:
        """A leader's snapshot has replaced the log."""
        self.metadata.on_snapshot(kept.id, records)
        self.applied = kept.id.offset
        self.snapshots.on_loaded(kept)

    def advance(self, then: Callable[[], None]) -> None:
        """Apply all that is committed, at once or in turns; `then` when that is done."""
        if self._reading:
            return
        raft_log = self._raft_log
        while self.applied < raft_log.high_watermark:
            found = self._log.cached(self.applied, raft_log.high_watermark)
            if not found:
                self._reading = True
                self._read_on(then)
                return
            if not self._take(found, then):
                return
        self.metadata.kraft_version = raft_log.voters.level
        # A part of the image would look like a cluster without the rest of its topics: the first
        # look that a listener gets is one at all that is committed.
        self._is_caught_up = self._is_caught_up or 0 <= raft_log.leader_mark <= self.applied
        if self._is_caught_up:
            self.metadata.publish()
        then()

    def _read_on(self, then: Callable[[], None]) -> None:
        """Read what is next to be applied from the disk."""
        asked = self.applied

        def on_read(found: list[Cached]) -> None:
            self._reading = False
            # A snapshot may have replaced the log while the disk was read.
            fresh = [c for c in found if c.batch.base_offset >= self.applied]
            if not fresh and self.applied == asked:
                self._out.halt(
                    f"{self._directory}: the metadata log has no batch at {asked}, "
                    f"below its high watermark {self._raft_log.high_watermark}"
                )
            elif self._take(fresh, then):
                self.advance(then)

        self._log.read_disk(asked, self._raft_log.high_watermark, READ_BYTES, on_read)

    def _take(self, batches: list[Cached], then: Callable[[], None]) -> bool:
        """Apply committed batches, now or in the end of some turns; False: not now, or never."""

        def on_decoded(decoded: list[Cached]) -> None:
            self._reading = False
            # A snapshot may have replaced the log meanwhile.
            if self._apply([c for c in decoded if c.batch.base_offset >= self.applied]):
                self.advance(then)

        self._reading = True  # Before: they may be decoded on the spot.
        if self.decoding.in_turns(batches, on_decoded):
            return False
        self._reading = False
        return self._apply(batches)

    def _apply(self, batches: list[Cached]) -> bool:
        """Apply committed batches; False if the node must stop over one."""
        for batch, records in batches:
            try:
                if records is None:
                    records = tuple(records_of(batch))
                self.metadata.on_committed(
                    batch.base_offset, batch.last_offset, batch.leader_epoch, records
                )
            except Corrupt as error:
                self._out.halt(f"{self._directory}: {error}")
                return False
            self.applied = batch.next_offset
            self.snapshots.on_applied(batch.size, batch.max_timestamp)
        return True
