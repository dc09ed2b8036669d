"""What a broker knows of a replica's log without reading it: offsets, epochs, producers.

`start` <= `high_watermark` <= `end` (written) <= `next` (assigned to batches under way). Kafka's
UnifiedLog without its segments, which are storage's. Pure. Belongs to a `Partition`, whose role
decides what is appended; many read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.core.replica.ongoing_transactions import OngoingTransactions
from spindle.core.replica.producer_state_manager import ProducerStateManager
from spindle.model.batches import NO_PRODUCER, TRANSACTIONAL, EndTransactionMarker, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.log_values import LoadedLog
from spindle.model.offsets import EpochHistory, OffsetAndEpoch

NO_EPOCH: Final = -1


@dataclass(slots=True)
class ReplicaLog:
    """Made of what was found on disk, then kept up to date by what is written."""

    start: int
    end: int
    next: int
    high_watermark: int
    epochs: EpochHistory
    producers: ProducerStateManager
    transactions: OngoingTransactions

    @classmethod
    def load(cls, log: LoadedLog) -> ReplicaLog:
        """A log as it was found, or made."""
        return cls(
            log.start,
            log.end,
            log.end,
            min(max(log.stable, log.start), log.end),
            EpochHistory(log.epochs),
            ProducerStateManager(log.producers),
            OngoingTransactions(log.producers, log.end),
        )

    @property
    def stable(self) -> int:
        """The last stable offset: below it no transaction is undecided, and all is committed."""
        return self.transactions.stable(self.high_watermark)

    @property
    def last_epoch(self) -> int:
        """The leader epoch of the last record, or -1."""
        return self.epochs.epoch_at(self.next - 1) if self.next > self.start else NO_EPOCH

    def has_begun(self, producer_id: int, epoch: int) -> bool:
        """Whether the transaction that a producer writes in this epoch is open here already.

        One of an earlier epoch still waits for its marker: a record of the next transaction that
        was let in before it would be taken for one of its own (KIP-890).
        """
        return producer_id in self.transactions.open and (
            self.producers.epoch_of(producer_id) >= epoch
        )

    def divergence(self, offset: int, last_epoch: int) -> OffsetAndEpoch | None:
        """Where a log that ends at `offset` with a record of `last_epoch` parts from this one.

        None: nowhere. Refusal OFFSET_OUT_OF_RANGE where that epoch is unknown here (KIP-595's
        rule for fetches, KIP-320).
        """
        mine = self.epochs.end_of(last_epoch, self.end)
        if mine.epoch == NO_EPOCH:
            raise Refusal(
                Error.OFFSET_OUT_OF_RANGE,
                f"leader epoch {last_epoch} is unknown here; the latest is {self.epochs.latest}",
            )
        if mine.epoch < last_epoch or mine.offset < offset:
            return mine
        return None

    def add(self, batch: RecordBatch, marker: EndTransactionMarker | None) -> None:
        """A batch that has its offsets is on its way to the log's end.

        `marker`: what a control batch of a producer says.
        """
        self.next = batch.next_offset
        if batch.producer_id == NO_PRODUCER:
            return
        self.producers.note(batch, marker)
        if marker is not None:
            self.transactions.end(batch.producer_id, batch.last_offset, marker.committed)
        elif batch.attributes & TRANSACTIONAL:
            self.transactions.begin(batch.producer_id, batch.base_offset)
        self.producers.make_room(self.transactions.open)

    def on_cut(self, log: LoadedLog) -> None:
        """The log was truncated, or began again: this is what is left."""
        self.start, self.end, self.next = log.start, log.end, log.end
        self.high_watermark = min(max(self.high_watermark, log.start), log.end)
        self.epochs = EpochHistory(log.epochs)
        self.producers = ProducerStateManager(log.producers)
        self.transactions = OngoingTransactions(log.producers, log.end)

    def on_start_moved(self, start: int) -> None:
        """The log begins at `start` now."""
        if start > self.start:
            self.start = start
            self.high_watermark = max(self.high_watermark, start)
            self.epochs.truncate_start(start)
