"""Idempotent producers of a log: their last appends, kept from batch headers, and snapshot files.

A snapshot `<offset>.snapshot` holds the state before that offset. Format version 1: int16 version,
uint32 CRC32C over all that follows, int32 count, then 46 bytes a producer. Called by `log` and
`recovery`. Opens nothing.
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

_VERSION: Final = 1
_HEAD: Final = Struct(">hI")
_COUNT: Final = Struct(">i")
_ENTRY: Final = Struct(">qhiqiqiq")
_SEQUENCES: Final = 1 << 31
"""Sequence numbers wrap to 0 after the largest int32."""


class Producers:
    """The last append of each producer of a log."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[ProducerEntry] = ()) -> None:
        self._entries = {entry.producer_id: entry for entry in entries}

    @property
    def entries(self) -> tuple[ProducerEntry, ...]:
        """All, in the order in which they first came."""
        return tuple(self._entries.values())

    def note(self, batch: Batch | Header) -> None:
        """Take in a batch that was appended, by its header alone."""
        producer_id = batch.producer_id
        if producer_id == NO_PRODUCER:
            return
        before = self._entries.get(producer_id)
        transactional = bool(batch.attributes & TRANSACTIONAL)
        if batch.base_sequence < 0:
            # A transaction's marker: no sequence of its own; it ends what was open.
            if before is not None:
                self._entries[producer_id] = before._replace(
                    epoch=batch.producer_epoch, timestamp=batch.max_timestamp, first_txn_offset=-1
                )
            return
        delta = batch.last_offset - batch.base_offset
        first = before.first_txn_offset if before is not None else -1
        self._entries[producer_id] = ProducerEntry(
            producer_id,
            batch.producer_epoch,
            (batch.base_sequence + delta) % _SEQUENCES,
            batch.last_offset,
            delta,
            batch.max_timestamp,
            before.coordinator_epoch if before is not None else -1,
            batch.base_offset if transactional and first < 0 else first,
        )

    def expire(self, now_ms: int) -> None:
        """Forget producers that have been silent for a day and have no transaction open."""
        oldest = now_ms - PRODUCER_EXPIRES_MS
        gone = [
            entry.producer_id
            for entry in self._entries.values()
            if entry.timestamp < oldest and entry.first_txn_offset < 0
        ]
        for producer_id in gone:
            del self._entries[producer_id]


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
