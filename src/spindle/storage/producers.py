"""Idempotent producers of a log: their last appends, kept from batch headers, and snapshot files.

A snapshot `<offset>.snapshot` holds the state before that offset. Format version 1: int16 version,
uint32 CRC32C over all that follows, int32 count, then 46 bytes an entry. Apache Kafka writes one
entry a producer; we write its last appends, oldest first, so that what was in flight when a broker
stopped is recognised when it comes again. A reader that keeps one keeps the last, as Kafka does.
Called by `log` and `recovery`. Opens nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Final

from crc32c import crc32c

from spindle.model.batches import NO_PRODUCER, TRANSACTIONAL, Batch
from spindle.model.errors import Corrupt
from spindle.model.logs import ProducerEntry
from spindle.storage.scan import Header

PRODUCER_EXPIRES_MS: Final = 24 * 3600 * 1000
"""A producer without an append for so long is forgotten at the next snapshot."""

KEPT: Final = 5
"""Appends remembered of each producer: it has so many batches in flight at most."""

_VERSION: Final = 1
_HEAD: Final = Struct(">hI")
_COUNT: Final = Struct(">i")
_ENTRY: Final = Struct(">qhiqiqiq")
_SEQUENCES: Final = 1 << 31
"""Sequence numbers wrap to 0 after the largest int32."""


class Producers:
    """The last appends of each producer of a log."""

    __slots__ = ("_known",)

    def __init__(self, entries: Iterable[ProducerEntry] = ()) -> None:
        self._known: dict[int, tuple[ProducerEntry, ...]] = {}
        for entry in entries:
            self._add(entry)

    @property
    def entries(self) -> tuple[ProducerEntry, ...]:
        """The last append of each, in the order in which they first came."""
        return tuple(appends[-1] for appends in self._known.values())

    @property
    def recent(self) -> tuple[ProducerEntry, ...]:
        """The last appends of each, oldest first: what takes up where this leaves off."""
        return tuple(entry for appends in self._known.values() for entry in appends)

    def note(self, batch: Batch | Header) -> None:
        """Take in a batch that was appended, by its header alone."""
        producer_id = batch.producer_id
        if producer_id == NO_PRODUCER:
            return
        appends = self._known.get(producer_id)
        before = appends[-1] if appends else None
        transactional = bool(batch.attributes & TRANSACTIONAL)
        if batch.base_sequence < 0:
            # A transaction's marker: no sequence of its own; it ends what was open.
            if appends and before is not None:
                ended = before._replace(
                    epoch=batch.producer_epoch, timestamp=batch.max_timestamp, first_txn_offset=-1
                )
                same = before.epoch == batch.producer_epoch
                self._known[producer_id] = (*(appends[:-1] if same else ()), ended)
            return
        delta = batch.last_offset - batch.base_offset
        first = before.first_txn_offset if before is not None else -1
        self._add(
            ProducerEntry(
                producer_id,
                batch.producer_epoch,
                (batch.base_sequence + delta) % _SEQUENCES,
                batch.last_offset,
                delta,
                batch.max_timestamp,
                before.coordinator_epoch if before is not None else -1,
                batch.base_offset if transactional and first < 0 else first,
            )
        )

    def _add(self, entry: ProducerEntry) -> None:
        before = self._known.get(entry.producer_id, ())
        if before and before[-1].epoch != entry.epoch:
            before = ()
        elif before and before[-1].first_txn_offset >= 0:
            # Only the last one says where the open transaction began.
            before = (*before[:-1], before[-1]._replace(first_txn_offset=-1))
        self._known[entry.producer_id] = (*before[1 - KEPT :], entry)

    def expire(self, now_ms: int) -> None:
        """Forget producers that have been silent for a day and have no transaction open."""
        oldest = now_ms - PRODUCER_EXPIRES_MS
        gone = [
            entry.producer_id
            for entry in self.entries
            if entry.timestamp < oldest and entry.first_txn_offset < 0
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
