"""Idempotent producers of a log: their last appends, kept from batch headers, and snapshot files.

A snapshot `<offset>.snapshot` holds the state before that offset. Format version 1: int16 version,
uint32 CRC32C over all that follows, int32 count, then 46 bytes an entry. Apache Kafka writes one
entry a producer; Spindle its last appends, oldest first, so that what was in flight when a broker
stopped is recognised when it comes again. A reader that keeps one keeps the last, as Kafka does.
Called by `producer_snapshots`. Opens nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Final

from crc32c import crc32c

from spindle.model.batches import (
    CONTROL,
    NO_PRODUCER,
    TRANSACTIONAL,
    EndTransactionMarker,
    RecordBatch,
)
from spindle.model.errors import Corrupt
from spindle.model.log_values import AbortedTransaction, ProducerEntry
from spindle.storage.scan import Header

KEPT: Final = 5
"""Appends remembered of each producer: it has so many batches in flight at most."""

_VERSION: Final = 1
_HEAD: Final = Struct(">hI")
_COUNT: Final = Struct(">i")
_ENTRY: Final = Struct(">qhiqiqiq")
_NO_SEQUENCE: Final = -1
_SEQUENCES: Final = 1 << 31
"""Sequence numbers wrap to 0 after the largest int32."""


class LoggedProducers:
    """The last appends of each producer of a log, and the transactions that are open in it."""

    __slots__ = ("_known", "_open")

    def __init__(self, entries: Iterable[ProducerEntry] = ()) -> None:
        self._known: dict[int, tuple[ProducerEntry, ...]] = {}
        for entry in entries:
            self._add(entry)
        began = [(e.first_txn_offset, e.producer_id) for e in self.entries]
        self._open = {id: first for first, id in sorted(began) if first >= 0}
        """Where the open transaction of a producer began, in that order."""

    @property
    def entries(self) -> tuple[ProducerEntry, ...]:
        """The last append of each, in the order in which they first came."""
        return tuple(appends[-1] for appends in self._known.values())

    @property
    def recent(self) -> tuple[ProducerEntry, ...]:
        """The last appends of each, oldest first: what takes up where this leaves off."""
        return tuple(entry for appends in self._known.values() for entry in appends)

    def note(
        self, batch: RecordBatch | Header, marker: EndTransactionMarker | None = None
    ) -> AbortedTransaction | None:
        """Take in a batch that was appended, by its header, and its marker if it is a control one.

        The transaction that a marker has aborted, if it had records here.
        """
        producer_id = batch.producer_id
        if producer_id == NO_PRODUCER:
            return None
        if batch.attributes & CONTROL:
            return None if marker is None else self._end(batch, marker)
        appends = self._known.get(producer_id)
        before = appends[-1] if appends else None
        delta = batch.last_offset - batch.base_offset
        first = before.first_txn_offset if before is not None else -1
        if first < 0 and batch.attributes & TRANSACTIONAL:
            first = self._open[producer_id] = batch.base_offset
        # What coordinators write in transactions has no sequence.
        sequenced = batch.base_sequence >= 0
        self._add(
            ProducerEntry(
                producer_id,
                batch.producer_epoch,
                (batch.base_sequence + delta) % _SEQUENCES if sequenced else _NO_SEQUENCE,
                batch.last_offset,
                delta,
                batch.max_timestamp,
                before.coordinator_epoch if before is not None else -1,
                first,
            )
        )
        return None

    def _end(
        self, batch: RecordBatch | Header, marker: EndTransactionMarker
    ) -> AbortedTransaction | None:
        producer_id, epoch = batch.producer_id, batch.producer_epoch
        appends = self._known.get(producer_id, ())
        if appends and appends[-1].epoch == epoch:
            last = appends[-1]
        else:
            # A new epoch begins with it, in which nothing has been appended.
            appends, last = (), ProducerEntry(producer_id, epoch, _NO_SEQUENCE, -1, 0, -1)
        ended = last._replace(
            timestamp=batch.max_timestamp,
            coordinator_epoch=marker.coordinator_epoch,
            first_txn_offset=-1,
        )
        self._known[producer_id] = (*appends[:-1], ended)
        first = self._open.pop(producer_id, -1)
        if first < 0 or marker.committed:
            return None
        stable = next(iter(self._open.values()), batch.last_offset + 1)
        return AbortedTransaction(producer_id, first, batch.last_offset, stable)

    def _add(self, entry: ProducerEntry) -> None:
        before = self._known.get(entry.producer_id, ())
        if before and before[-1].epoch != entry.epoch:
            before = ()
        elif before and before[-1].first_txn_offset >= 0:
            # Only the last one says where the open transaction began.
            before = (*before[:-1], before[-1]._replace(first_txn_offset=-1))
        self._known[entry.producer_id] = (*before[1 - KEPT :], entry)

    def expire(self, before_ms: int) -> None:
        """Forget producers whose last append is as old as this, but for those in a transaction."""
        gone = [
            entry.producer_id
            for entry in self.entries
            if entry.timestamp <= before_ms and entry.first_txn_offset < 0
        ]
        for producer_id in gone:
            del self._known[producer_id]


def encode(entries: Iterable[ProducerEntry]) -> bytes:
    """A snapshot file's bytes."""
    body = [_ENTRY.pack(*entry) for entry in entries]
    covered = b"".join([_COUNT.pack(len(body)), *body])
    return _HEAD.pack(_VERSION, crc32c(covered)) + covered


def decode(data: bytes) -> tuple[ProducerEntry, ...]:
    """Read a snapshot file's bytes."""
    if len(data) < _HEAD.size + _COUNT.size:
        raise Corrupt(f"{len(data)} bytes are too few for a producer snapshot")
    version, said = _HEAD.unpack_from(data)
    if version != _VERSION:
        raise Corrupt(f"its version is {version} and not {_VERSION}")
    covered = memoryview(data)[_HEAD.size :]
    if crc32c(covered) != said:
        raise Corrupt("its CRC is wrong")
    (count,) = _COUNT.unpack_from(covered)
    entries = covered[_COUNT.size :]
    if count < 0 or len(entries) != count * _ENTRY.size:
        raise Corrupt(f"it says {count} producers and has {len(entries)} bytes of them")
    return tuple(map(ProducerEntry._make, _ENTRY.iter_unpack(entries)))
