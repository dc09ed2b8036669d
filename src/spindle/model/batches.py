"""A record batch as a value: its header's fields beside its untouched bytes.

The wire room makes these (`wire.batch.split`); machines read the fields and pass the bytes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

NO_PRODUCER: Final = -1
NO_TIMESTAMP: Final = -1

OFFSET_MAX: Final = (1 << 63) - 1
"""A log can end here at most (int64)."""

COMPRESSION_MASK: Final = 0x07
LOG_APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40
"""The base timestamp tells when compaction may drop the tombstones in here (KIP-534)."""


@dataclass(slots=True)
class RecordBatch:
    """One record batch of format v2: header fields decoded, records left as they came.

    `data` holds the whole batch, header included, as received. `base_offset` and `leader_epoch`
    may differ from what `data` says: a leader assigns them, and the writer of the batch puts
    them into its first 16 bytes (which the CRC does not cover). Timestamps in ms since 1970.
    """

    base_offset: int
    last_offset_delta: int
    leader_epoch: int
    attributes: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int
    data: Buffer

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return len(self.data)

    @property
    def last_offset(self) -> int:
        """Offset of the last record."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The offset after this batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def is_control(self) -> bool:
        """Whether it carries control records (leader change, transaction markers)."""
        return bool(self.attributes & CONTROL)

    @property
    def is_transactional(self) -> bool:
        """Whether it belongs to a transaction."""
        return bool(self.attributes & TRANSACTIONAL)


@dataclass(slots=True, frozen=True)
class EndTransactionMarker:
    """A transaction of the batch's producer ends here (KIP-98)."""

    committed: bool
    coordinator_epoch: int


@dataclass(slots=True, frozen=True)
class Record:
    """One record, decoded. `timestamp` in ms since 1970."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
