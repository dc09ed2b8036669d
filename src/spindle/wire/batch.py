"""Record batches of format v2 (KIP-98): split, checked, stamped, built, and read.

Code that passes records on uses `split`, `check` and `stamped`, which look at the 61 bytes of a
header and leave the records alone. `build` and `records` are for writers and readers of records:
metadata, group offsets, clients. Knows no files and no offsets beyond the batch.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from crc32c import crc32c

from spindle.model.batches import (
    COMPRESSION_MASK,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    NO_PRODUCER,
    NO_TIMESTAMP,
    OFFSET_MAX,
    Buffer,
    Record,
    RecordBatch,
)
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.compression import Compression as Compression
from spindle.wire.compression import compress, decompress
from spindle.wire.records import (
    Slice,
    check_room,
    find_unfit,
    put_record,
    retimed,
    take_records,
    take_slices,
)
from spindle.wire.records import (
    Unfit as Unfit,
)

HEADER_SIZE: Final = 61
OVERHEAD: Final = 12
"""Bytes of base offset and length, which the length does not count."""

MAX_DECOMPRESSED: Final = 128 << 20
"""Default limit, in bytes, on what one batch may unpack to."""

NEXT: Final = -1
"""`Record.offset` of a record which goes behind the one before it, wherever that is."""

_MAGIC: Final = 2
_CODEC_MAX: Final = max(Compression)
_MAGIC_AT: Final = 16
_CRC_FROM: Final = 21
_HEADER: Final = struct.Struct(">qiibIhiqqqhii")
_STAMP: Final = struct.Struct(">qii")
_CRC: Final = struct.Struct(">I")
_COVERED: Final = struct.Struct(">hiqqqhii")

assert _HEADER.size == HEADER_SIZE


def split(data: Buffer, *, partial: bool = False) -> list[RecordBatch]:
    """Cut record bytes into batches, without a copy and without a look at the records.

    With `partial`, an unfinished batch at the end is left out, as fetches may cut one off; else it
    is Corrupt. Refusal(UNSUPPORTED_FOR_MESSAGE_FORMAT) for the message formats 0 and 1.
    """
    batches = []
    view = memoryview(data)
    offset, end = 0, len(view)
    while offset < end:
        size = _size_at(view, offset, partial)
        if size > end - offset:
            if partial:
                break
            raise Corrupt(f"a batch claims {size} bytes but {end - offset} are left")
        batches.append(_batch(data if size == end else view[offset : offset + size]))
        offset += size
    return batches


def check(batch: RecordBatch) -> None:
    """Corrupt unless the CRC matches and the header's counts make sense."""
    check_crc(batch)
    if batch.base_offset < 0 or batch.next_offset > OFFSET_MAX:
        raise Corrupt(
            f"no batch can begin at offset {batch.base_offset} and have {batch.last_offset_delta}"
            " as the delta of its last"
        )
    if batch.record_count < 0 or batch.last_offset_delta < 0:
        raise Corrupt(
            f"the batch at offset {batch.base_offset} claims {batch.record_count} records"
            f" up to delta {batch.last_offset_delta}"
        )


def check_crc(batch: RecordBatch) -> None:
    """Corrupt unless it is of format 2 and its CRC matches."""
    data = memoryview(batch.data)
    if len(data) < HEADER_SIZE or data[_MAGIC_AT] != _MAGIC:
        raise Corrupt(f"the batch at offset {batch.base_offset} is no batch of format 2")
    (stored,) = _CRC.unpack_from(data, 17)
    actual = crc32c(data[_CRC_FROM:])
    if stored != actual:
        raise Corrupt(
            f"the batch at offset {batch.base_offset} has CRC {actual:08x}, not {stored:08x}"
        )


def check_from_client(batch: RecordBatch) -> None:
    """Refusal(INVALID_RECORD) for what a broker accepts from other brokers but not from clients:
    a base offset, gaps in the offsets, no records, control records, a producer id without a
    sequence. UNKNOWN_SERVER_ERROR for a codec that Apache Kafka does not know either.
    """
    if batch.base_offset != 0:
        raise Refusal(
            Error.INVALID_RECORD, f"a client's batch begins at 0, not {batch.base_offset}"
        )
    if batch.record_count < 1 or batch.record_count != batch.last_offset_delta + 1:
        raise Refusal(
            Error.INVALID_RECORD,
            f"{batch.record_count} records cannot fill {batch.last_offset_delta + 1} offsets",
        )
    if batch.is_control:
        raise Refusal(Error.INVALID_RECORD, "clients may not write control records")
    if batch.producer_id != NO_PRODUCER and batch.base_sequence < 0:
        raise Refusal(
            Error.INVALID_RECORD, f"sequence {batch.base_sequence} of an idempotent producer"
        )
    if batch.attributes & COMPRESSION_MASK > _CODEC_MAX:
        raise Refusal(
            Error.UNKNOWN_SERVER_ERROR, f"no codec has {batch.attributes & COMPRESSION_MASK}"
        )


def stamped(batch: RecordBatch) -> list[Buffer]:
    """The batch's bytes as they are to be written: with its base offset and leader epoch."""
    head = _STAMP.pack(batch.base_offset, len(batch.data) - OVERHEAD, batch.leader_epoch)
    view = memoryview(batch.data)
    if view[:16] == head:
        return [batch.data]
    return [head, view[16:]]


def with_append_time(batch: RecordBatch, timestamp: int) -> RecordBatch:
    """The batch with the log's time (ms) for its records'; copies it, since the CRC changes."""
    data = bytearray(batch.data)
    attributes = batch.attributes | LOG_APPEND_TIME
    struct.pack_into(">h", data, 21, attributes)
    struct.pack_into(">q", data, 35, timestamp)
    _CRC.pack_into(data, 17, crc32c(memoryview(data)[_CRC_FROM:]))
    return replace(batch, data=bytes(data), attributes=attributes, max_timestamp=timestamp)


def build(
    records: Iterable[Record],
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
    attributes: int = 0,
    compression: Compression = Compression.NONE,
    producer_id: int = NO_PRODUCER,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    base_timestamp: int | None = None,
    last_offset_delta: int | None = None,
) -> RecordBatch:
    """A batch of records, whose offsets ascend from `base_offset` on; `NEXT` is the next one.

    `attributes` holds flags (CONTROL, TRANSACTIONAL, ...); `compression` is added to them. The last
    two are for copies of compacted batches: by default they follow from the records.
    """
    out = bytearray()
    count, delta, newest = 0, -1, NO_TIMESTAMP
    for record in records:
        if base_timestamp is None:
            base_timestamp = record.timestamp
        step = 1 if record.offset == NEXT else record.offset - base_offset - delta
        assert step > 0, "offsets must ascend from base_offset"
        delta += step
        newest = max(newest, record.timestamp)
        put_record(out, record, delta, record.timestamp - base_timestamp)
        count += 1
    if base_timestamp is None:
        base_timestamp = NO_TIMESTAMP
    if last_offset_delta is None:
        last_offset_delta = delta
    assert last_offset_delta >= max(delta, 0), "a batch without records needs last_offset_delta"
    attributes |= compression
    packed = compress(compression, bytes(out)) if compression else bytes(out)
    data = _sealed(
        base_offset, leader_epoch, packed, attributes, last_offset_delta, base_timestamp,
        newest, producer_id, producer_epoch, base_sequence, count,
    )  # fmt: skip
    return RecordBatch(
        base_offset, last_offset_delta, leader_epoch, attributes, base_timestamp, newest,
        producer_id, producer_epoch, base_sequence, count, data,
    )  # fmt: skip


def records(batch: RecordBatch, *, limit: int = MAX_DECOMPRESSED) -> Iterator[Record]:
    """The records of a batch, decompressed; Corrupt for anything wrong with them.

    The CRC is not looked at: call `check` first where the bytes come from outside.
    """
    data = _unpacked(batch, limit)
    append_time = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else None
    return take_records(
        data, batch.record_count, batch.base_offset, batch.base_timestamp, append_time
    )


class RecordSurvey:
    """A client's records, stepped over some at a time in search of those that are unfit."""

    def __init__(self, batch: RecordBatch, oldest: int, newest: int) -> None:
        """Unfit: without a key, or a timestamp (ms) out of bounds. Unpacks nothing yet."""
        self._batch = batch
        self._bounds = oldest - batch.base_timestamp, newest - batch.base_timestamp
        self._data: Buffer = b""
        self._at = 0
        self.seen = 0
        """How many records lie behind it."""

    def step(self, most: int) -> list[tuple[int, Unfit]]:
        """Go on by so many; the unfit ones with their numbers. Corrupt as `records`."""
        count = self._batch.record_count
        if not self.seen:
            self._data = _opened(self._batch, MAX_DECOMPRESSED)
            check_room(self._data, count)
        most = min(most, count - self.seen)
        self._at, unfit = find_unfit(self._data, self._at, most, *self._bounds)
        before, self.seen = self.seen, self.seen + most
        if self.seen == count and self._at != len(self._data):
            left = len(self._data) - self._at
            raise Corrupt(f"{left} bytes are left behind the last of {count} records")
        return [(before + each.number, each) for each in unfit]


def slices(batch: RecordBatch, *, limit: int = MAX_DECOMPRESSED) -> Iterator[Slice]:
    """Its records by their places; Corrupt as `records`."""
    return take_slices(_unpacked(batch, limit), batch.record_count)


def compacted(
    batch: RecordBatch,
    keep: Callable[[Slice], bool],
    horizon: int | None = None,
    *,
    limit: int = MAX_DECOMPRESSED,
) -> RecordBatch:
    """The batch with only the records that `keep` wants, in its old offsets, maybe none.

    `horizon` (ms): when the tombstones in it may go, for a batch that has no such time yet.
    """
    data = _unpacked(batch, limit)
    kept = [record for record in take_slices(data, batch.record_count) if keep(record)]
    if len(kept) == batch.record_count and horizon is None:
        return batch
    attributes, base_timestamp, shift = batch.attributes, batch.base_timestamp, 0
    if horizon is not None:
        attributes |= DELETE_HORIZON
        base_timestamp, shift = horizon, batch.base_timestamp - horizon
    newest = batch.max_timestamp
    if kept and not attributes & LOG_APPEND_TIME:
        newest = batch.base_timestamp + max(record.timestamp_delta for record in kept)
    body = b"".join(
        retimed(data, r, r.timestamp_delta + shift) if shift else data[r.start : r.stop]
        for r in kept
    )
    codec = Compression(attributes & COMPRESSION_MASK)
    packed = compress(codec, body) if codec else body
    whole = _sealed(
        batch.base_offset, batch.leader_epoch, packed, attributes, batch.last_offset_delta,
        base_timestamp, newest, batch.producer_id, batch.producer_epoch, batch.base_sequence,
        len(kept),
    )  # fmt: skip
    return _batch(whole)


def unpacked_slices(
    batch: RecordBatch, *, limit: int = MAX_DECOMPRESSED
) -> tuple[bytes, Iterator[Slice]]:
    """Its records' bytes, decompressed, and where each lies in them."""
    body = _unpacked(batch, limit)
    return body, take_slices(body, batch.record_count)


def packed_anew(
    batch: RecordBatch, body: bytes, newest: int, codec: Compression, level: int | None = None
) -> RecordBatch:
    """The batch with the same records (`body`, unpacked) in another compression.

    `newest`: the largest timestamp of its records. All else of the batch is as it was.
    """
    attributes = batch.attributes & ~COMPRESSION_MASK | codec
    whole = _sealed(
        batch.base_offset, batch.leader_epoch, compress(codec, body, level), attributes,
        batch.last_offset_delta, batch.base_timestamp, newest, batch.producer_id,
        batch.producer_epoch, batch.base_sequence, batch.record_count,
    )  # fmt: skip
    return _batch(whole)


def _unpacked(batch: RecordBatch, limit: int) -> bytes:
    return bytes(_opened(batch, limit))


def _opened(batch: RecordBatch, limit: int) -> Buffer:
    data = memoryview(batch.data)[HEADER_SIZE:]
    codec = batch.attributes & COMPRESSION_MASK
    return decompress(codec, data, limit) if codec else bytes(data)


def _sealed(base_offset: int, leader_epoch: int, packed: bytes, *covered: int) -> bytes:
    """A batch's bytes, from its records' as they are stored and the fields that the CRC covers."""
    head = _COVERED.pack(*covered)
    crc = _CRC.pack(crc32c(packed, crc32c(head)))
    stamp = _STAMP.pack(base_offset, HEADER_SIZE - OVERHEAD + len(packed), leader_epoch)
    return b"".join((stamp, bytes((_MAGIC,)), crc, head, packed))


def _size_at(view: memoryview, offset: int, partial: bool) -> int:
    """The whole size of the batch at an offset, after a look at its format."""
    left = len(view) - offset
    if left <= _MAGIC_AT:
        if partial:
            return left + 1
        raise Corrupt(f"{left} bytes are too few for a batch")
    magic = view[offset + _MAGIC_AT]
    (length,) = struct.unpack_from(">i", view, offset + 8)
    if magic in (0, 1):
        raise Refusal(
            Error.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"message format {magic} is not supported"
        )
    if magic != _MAGIC:
        raise Corrupt(f"message format {magic} is unknown")
    if length < HEADER_SIZE - OVERHEAD:
        raise Corrupt(f"a batch of {length} bytes is smaller than its header")
    return int(length) + OVERHEAD


def _batch(data: Buffer) -> RecordBatch:
    base, _, epoch, _, _, attributes, delta, first, newest, pid, pepoch, sequence, count = (
        _HEADER.unpack_from(data)
    )
    return RecordBatch(
        base, delta, epoch, attributes, first, newest, pid, pepoch, sequence, count, data
    )
