"""Idempotent producers of one partition: which sequence numbers were appended, and where.

Pure bookkeeping of KIP-98's idempotence: a batch that was appended before is answered with its
old offset, a gap is refused; so is a transaction's marker of an older producer or coordinator.
The partition's leader asks before it assigns offsets; leader and follower alike report every
batch. `ongoing_transactions` knows which transactions are open.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from spindle.model.batches import EndTransactionMarker, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.log_values import ProducerEntry

BATCHES_KEPT: Final = 5
"""Batches of one producer that are recognised as duplicates: a producer has five in flight."""

SEQUENCES: Final = 1 << 31
"""Sequence numbers wrap around to 0 after 2**31 - 1."""

EPOCH_MAX: Final = (1 << 15) - 1
"""No producer has a higher epoch."""

PRODUCERS_MAX: Final = 100_000
"""Producers remembered in one partition; the one idle for longest gives way."""


class AppendedBatch(NamedTuple):
    """Where a batch stands in the log: its sequences, its offsets, its time (ms since 1970)."""

    first_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp: int


class VerificationEntry(NamedTuple):
    """A transaction that may begin here once its coordinator says so; the batches that wait for it.

    `least`: the lowest sequence number among them; `bumps`: each transaction has an epoch of its
    own; `asked_ms`: when the first one came, ms since 1970.
    """

    epoch: int
    least: int
    bumps: bool
    asked_ms: int


@dataclass(slots=True)
class ProducerStateEntry:
    """What is known of one producer id. `batches`: its last appends, oldest first.

    `last_timestamp`: of its last batch or marker, ms since 1970; `coordinator_epoch`: of the
    coordinator that wrote the last marker.
    """

    epoch: int
    coordinator_epoch: int = -1
    last_timestamp: int = -1
    batches: deque[AppendedBatch] = field(default_factory=lambda: deque(maxlen=BATCHES_KEPT))

    @property
    def last_sequence(self) -> int:
        """The sequence number of its last record, -1 before the first."""
        return self.batches[-1].last_sequence if self.batches else -1


class ProducerStateManager:
    """The producers of one partition, by id; the one that appended last stands last."""

    __slots__ = ("_asked", "_known")

    def __init__(self, entries: Iterable[ProducerEntry] = ()) -> None:
        self._asked: dict[int, VerificationEntry] = {}
        self._known: dict[int, ProducerStateEntry] = {}
        for entry in entries:
            producer = self._known.get(entry.producer_id)
            if producer is None or producer.epoch != entry.epoch:
                producer = ProducerStateEntry(entry.epoch)
            producer.coordinator_epoch = entry.coordinator_epoch
            producer.last_timestamp = entry.timestamp
            if entry.last_sequence >= 0:
                producer.batches.append(
                    AppendedBatch(
                        sequence_before(entry.last_sequence, entry.offset_delta),
                        entry.last_sequence,
                        entry.last_offset - entry.offset_delta,
                        entry.last_offset,
                        entry.timestamp,
                    )
                )
            self._known[entry.producer_id] = producer

    def __len__(self) -> int:
        return len(self._known)

    def items(self) -> Iterable[tuple[int, ProducerStateEntry]]:
        """All (producer id, producer)."""
        return self._known.items()

    def check(self, batch: RecordBatch) -> AppendedBatch | None:
        """May this batch be appended? None: yes. Else where it was appended before.

        Refusal: INVALID_PRODUCER_EPOCH for an epoch older than the last one seen,
        OUT_OF_ORDER_SEQUENCE_NUMBER for a gap, or a new epoch that does not begin at 0.
        A producer that is not known may begin anywhere: retention may have forgotten it. The first
        batch of a transaction may not where the coordinator has its epoch changed after each one
        (sequences begin at 0 then), nor where a batch before it has asked, too (KIP-890).
        """
        known = self._known.get(batch.producer_id)
        asked = self._asked.get(batch.producer_id)
        if asked is not None:
            self._check_asked(batch, asked, known)
        if known is None:
            return None
        if batch.producer_epoch < known.epoch:
            raise Refusal(
                Error.INVALID_PRODUCER_EPOCH,
                f"producer {batch.producer_id} has epoch {known.epoch} by now, "
                f"the batch is of epoch {batch.producer_epoch}",
            )
        if batch.producer_epoch > known.epoch:
            if batch.base_sequence != 0:
                raise Refusal(
                    Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"epoch {batch.producer_epoch} of producer {batch.producer_id} must begin "
                    f"at sequence 0, not {batch.base_sequence}",
                )
            return None
        last_sequence = sequence_after(batch.base_sequence, batch.last_offset_delta)
        for appended in known.batches:
            if (
                appended.first_sequence == batch.base_sequence
                and appended.last_sequence == last_sequence
            ):
                return appended
        expected = sequence_after(known.last_sequence, 1)
        if batch.base_sequence != expected:
            raise Refusal(
                Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {batch.producer_id}: sequence {batch.base_sequence} came where "
                f"{expected} was due",
            )
        return None

    @staticmethod
    def _check_asked(
        batch: RecordBatch, asked: VerificationEntry, known: ProducerStateEntry | None
    ) -> None:
        is_empty = known is None or not known.batches
        least = 0 if asked.bumps and is_empty else asked.least
        if batch.base_sequence > least:
            raise Refusal(
                Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"the transaction of producer {batch.producer_id} must begin at sequence {least} "
                f"here, not {batch.base_sequence}",
            )

    def on_asked(self, batch: RecordBatch, bumps: bool, now_ms: int) -> None:
        """The coordinator is asked whether a transaction that begins with this batch may.

        Remembered until it has begun or ended here. `bumps`: each transaction has an epoch of its
        own (KIP-890).
        """
        asked = VerificationEntry(batch.producer_epoch, batch.base_sequence, bumps, now_ms)
        before = self._asked.pop(batch.producer_id, None)
        if before is not None and before.epoch == asked.epoch:
            asked = before._replace(least=min(before.least, asked.least))
        elif before is not None and before.epoch > asked.epoch:
            asked = before
        self._asked[batch.producer_id] = asked
        if len(self._asked) > PRODUCERS_MAX:
            del self._asked[next(iter(self._asked))]

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, *, bumped: bool, is_open: bool
    ) -> Error:
        """May a marker of this producer and coordinator epoch be appended?

        `bumped`: each transaction ends in an epoch of its own (KIP-890), above that of its records.
        `is_open`: the producer has a transaction open here. One that is open in the marker's own
        epoch is the next one, unless no epoch was left. Where none is open the marker came before.
        """
        known = self._known.get(producer_id)
        if known is None:
            return Error.NONE
        is_next = bumped and is_open and epoch == known.epoch and epoch < EPOCH_MAX
        if epoch < known.epoch or is_next:
            return Error.INVALID_PRODUCER_EPOCH
        if coordinator_epoch < known.coordinator_epoch:
            return Error.TRANSACTION_COORDINATOR_FENCED
        return Error.NONE

    def due(self, producer_id: int, epoch: int) -> int | None:
        """The sequence number that comes next in a producer's epoch; None: it is not known."""
        known = self._known.get(producer_id)
        if known is None:
            return None
        return sequence_after(known.last_sequence, 1) if known.epoch == epoch else 0

    def epoch_of(self, producer_id: int) -> int:
        """The producer's epoch as last seen here, or -1."""
        known = self._known.get(producer_id)
        return -1 if known is None else known.epoch

    def coordinator_of(self, producer_id: int) -> int:
        """The epoch of the coordinator that wrote the producer's last marker here, or -1."""
        known = self._known.get(producer_id)
        return -1 if known is None else known.coordinator_epoch

    def note(self, batch: RecordBatch, marker: EndTransactionMarker | None = None) -> None:
        """A batch with a producer id has its place in the log; with its marker if it has one."""
        known = self._known.pop(batch.producer_id, None)
        if known is None or known.epoch != batch.producer_epoch:
            before = known.coordinator_epoch if known is not None else -1
            known = ProducerStateEntry(batch.producer_epoch, before)
        known.last_timestamp = batch.max_timestamp
        if marker is not None:
            known.coordinator_epoch = marker.coordinator_epoch
        elif batch.base_sequence >= 0:
            known.batches.append(
                AppendedBatch(
                    batch.base_sequence,
                    sequence_after(batch.base_sequence, batch.last_offset_delta),
                    batch.base_offset,
                    batch.last_offset,
                    batch.max_timestamp,
                )
            )
        self._known[batch.producer_id] = known
        if batch.is_transactional or marker is not None:
            self._asked.pop(batch.producer_id, None)

    def make_room(self, keep: Container[int]) -> None:
        """Forget those that have been idle for longest where there are too many, but for these."""
        for id in tuple(islice(self._known, max(len(self._known) - PRODUCERS_MAX, 0))):
            known = self._known.pop(id)
            if id in keep:
                self._known[id] = known

    def expire(self, before_ms: int, keep: Container[int] = ()) -> int:
        """Forget producers whose last append is as old as this, but for these; how many."""
        old = [
            id for id, p in self._known.items() if p.last_timestamp <= before_ms and id not in keep
        ]
        for id in old:
            del self._known[id]
        for id in [id for id, asked in self._asked.items() if asked.asked_ms <= before_ms]:
            del self._asked[id]
        return len(old)


def sequence_after(sequence: int, delta: int) -> int:
    """The sequence number `delta` records later."""
    return (sequence + delta) % SEQUENCES


def sequence_before(sequence: int, delta: int) -> int:
    """The sequence number `delta` records earlier."""
    return (sequence - delta) % SEQUENCES
