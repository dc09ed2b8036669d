"""Batches, records and damage as Arrow tables: only the columns that are wanted are made.

The columns are those of the schemas LOG_BATCH and LOG_RECORD; a column is a function of what was
read. Called by `source`, and by other readers of logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from spindle.model.batches import (
    COMPRESSION_MASK,
    CONTROL,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    Buffer,
)
from spindle.model.errors import Corrupt
from spindle.pipeline.segments.batch_columns import Longs, Records, Unpacked
from spindle.pipeline.segments.finding import SegmentFilter
from spindle.pipeline.segments.walking import Batches, Damage
from spindle.storage.scan import HEADER_SIZE, OVERHEAD
from spindle.wire.batch import MAX_DECOMPRESSED
from spindle.wire.compression import decompress

CHUNK_BYTES: Final = 16 << 20
CHUNK_RECORDS: Final = 200_000
"""Unpacked bytes, and records, that are decoded together and make one Arrow batch."""

_CODECS: Final = pa.array(["none", "gzip", "snappy", "lz4", "zstd", "unknown"])
_TIME_TYPES: Final = pa.array(["create", "append"])
_EARLIEST_MS, _LATEST_MS = -62_135_596_800_000, 253_402_300_799_999
_SEQUENCES: Final = 1 << 31

N = TypeVar("N", np.int16, np.int32, np.int64)

Ranges = dict[int, npt.NDArray[np.int64]]
"""Producer id -> (first, last) offsets of its aborted transactions, one a row."""
Constants = Mapping[str, object]
"""Columns that have one value for all: disk, topic, ..."""


class Table:
    """Makes the Arrow batches of one schema, within bounds."""

    def __init__(self, schema: pa.Schema, bounds: SegmentFilter) -> None:
        self._schema = schema
        self._bounds = bounds
        self._names = set(schema.names)

    def damages(self, constants: Constants, found: list[Damage]) -> pa.RecordBatch:
        """A row for each damage, unless it is known to lie outside the bounds."""
        rows = [
            {
                **constants,
                "position": damage.position,
                "size": min(damage.length, (1 << 31) - 1),
                "error": damage.error,
                "base_offset": damage.first_offset,
                "last_offset": damage.last_offset,
                "offset": damage.first_offset,
            }
            for damage in found
            if _may_hold(damage, self._bounds)
        ]
        narrow = [{name: row.get(name) for name in self._schema.names} for row in rows]
        return pa.RecordBatch.from_pylist(narrow, schema=self._schema)

    def batches(
        self, constants: Constants, batches: Batches, aborted: Callable[[], Ranges]
    ) -> pa.RecordBatch:
        """A row for each batch of those that may have something within bounds."""
        wanted = _reaching(batches.headers, self._bounds)
        heads, positions = batches.headers[wanted], batches.positions[wanted]
        makers: dict[str, Callable[[], pa.Array]] = {
            **_header_columns(heads, positions, aborted),
            "base_offset": lambda: _long(heads["base_offset"]),
            "last_offset": lambda: _long(_last(heads)),
            "records": lambda: pa.array(heads["count"].astype(np.int32)),
            "sequence": lambda: _known(heads["base_sequence"].astype(np.int32)),
            "base_timestamp": lambda: _times(heads["base_timestamp"].astype(np.int64)),
            "max_timestamp": lambda: _times(heads["max_timestamp"].astype(np.int64)),
            "crc": lambda: _long(heads["crc"]),
        }
        return self._made(constants, makers, len(heads))

    def records(
        self, constants: Constants, batches: Batches, aborted: Callable[[], Ranges]
    ) -> Iterator[pa.RecordBatch | Damage]:
        """A row for each record within bounds, in several Arrow batches; what is nonsense apart."""
        taken, numbers = Unpacked(), []
        for number in np.flatnonzero(_reaching(batches.headers, self._bounds)).tolist():
            try:
                taken.add(_unpacked(batches, number), int(batches.headers[number]["count"]))
            except Corrupt as corrupt:
                yield _nonsense(batches, number, str(corrupt))
                continue
            numbers.append(number)
            if taken.size >= CHUNK_BYTES or taken.records >= CHUNK_RECORDS:
                yield from self._decoded(constants, batches, numbers, taken, aborted)
                taken, numbers = Unpacked(), []
        if numbers:
            yield from self._decoded(constants, batches, numbers, taken, aborted)

    def _decoded(
        self, constants: Constants, batches: Batches, numbers: list[int], taken: Unpacked,
        aborted: Callable[[], Ranges],
    ) -> Iterator[pa.RecordBatch | Damage]:  # fmt: skip
        found, bad = taken.decode()
        for number, text in bad.items():
            yield _nonsense(batches, numbers[number], text)
        headers = batches.headers[np.array(numbers)]
        rows = _Rows(found, headers, batches.positions[np.array(numbers)], aborted)
        kept = rows.within(self._bounds)
        if len(kept):
            yield self._made(constants, rows.columns(kept), len(kept))

    def _made(
        self, constants: Constants, makers: dict[str, Callable[[], pa.Array]], count: int
    ) -> pa.RecordBatch:
        columns = []
        for field in self._schema:
            if field.name in makers:
                column = makers[field.name]()
                columns.append(column if column.type == field.type else column.cast(field.type))
            elif constants.get(field.name) is None:
                columns.append(pa.nulls(count, field.type))
            else:
                columns.append(pa.repeat(pa.scalar(constants[field.name], field.type), count))
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Decoded records with the headers of their batches."""

    found: Records
    headers: npt.NDArray[np.void]
    positions: npt.NDArray[np.int64]
    aborted: Callable[[], Ranges]

    def within(self, bounds: SegmentFilter) -> Longs:
        """The numbers of the records that lie within bounds."""
        good = np.ones(len(self.found.batch), bool)
        if bounds.first_offset is not None or bounds.end_offset is not None:
            offsets = self._offsets()
            good &= _between(offsets, bounds.first_offset, bounds.end_offset)
        if bounds.first_time is not None or bounds.end_time is not None:
            good &= _between(self._times(), bounds.first_time, bounds.end_time)
        return np.flatnonzero(good)

    def columns(self, kept: Longs) -> dict[str, Callable[[], pa.Array]]:
        """How to make each column."""
        found, all_kept = self.found, len(kept) == len(self.found.batch)

        def of(values: Longs) -> Longs:
            return values if all_kept else values[kept]

        def heads() -> npt.NDArray[np.void]:
            return self.headers[of(found.batch)]

        def field(name: str, kind: type[N]) -> npt.NDArray[N]:
            return self.headers[name].astype(kind)[of(found.batch)]

        def sequences() -> pa.Array:
            base = field("base_sequence", np.int64)
            value = (base + of(found.offset_delta)) % _SEQUENCES
            return pa.array(value.astype(np.int32), mask=base < 0)

        return {
            "position": lambda: pa.array(self.positions[of(found.batch)]),
            "size": lambda: pa.array(field("length", np.int32) + OVERHEAD),
            "offset": lambda: pa.array(of(self._offsets())),
            "timestamp": lambda: _times(of(self._times())),
            "key": lambda: _binary(found.data, of(found.key_at), of(found.key_size)),
            "value": lambda: _binary(found.data, of(found.value_at), of(found.value_size)),
            "headers": lambda: _headers(found, kept),
            "leader_epoch": lambda: pa.array(field("leader_epoch", np.int32)),
            "timestamp_type": lambda: _time_types(field("attributes", np.int16)),
            "compression": lambda: _compressions(field("attributes", np.int16)),
            "producer_id": lambda: _known(field("producer_id", np.int64)),
            "producer_epoch": lambda: _known(field("producer_epoch", np.int32)),
            "sequence": sequences,
            "is_transactional": lambda: _flag(field("attributes", np.int16), TRANSACTIONAL),
            "is_control": lambda: _flag(field("attributes", np.int16), CONTROL),
            "is_aborted": lambda: _aborted(heads(), of(self._offsets()), self.aborted),
        }

    def _offsets(self) -> Longs:
        base = self.headers["base_offset"].astype(np.int64)
        return np.asarray(base[self.found.batch] + self.found.offset_delta)

    def _times(self) -> Longs:
        base = self.headers["base_timestamp"].astype(np.int64)[self.found.batch]
        append = (self.headers["attributes"] & LOG_APPEND_TIME) != 0
        if not np.any(append):
            return np.asarray(base + self.found.time_delta)
        newest = self.headers["max_timestamp"].astype(np.int64)[self.found.batch]
        return np.where(append[self.found.batch], newest, base + self.found.time_delta)


def _header_columns(
    heads: npt.NDArray[np.void], positions: npt.NDArray[np.int64], aborted: Callable[[], Ranges]
) -> dict[str, Callable[[], pa.Array]]:
    flags = heads["attributes"].astype(np.int16)
    return {
        "position": lambda: pa.array(positions),
        "size": lambda: pa.array(heads["length"].astype(np.int32) + OVERHEAD),
        "leader_epoch": lambda: pa.array(heads["leader_epoch"].astype(np.int32)),
        "timestamp_type": lambda: _time_types(flags),
        "compression": lambda: _compressions(flags),
        "producer_id": lambda: _known(heads["producer_id"].astype(np.int64)),
        "producer_epoch": lambda: _known(heads["producer_epoch"].astype(np.int32)),
        "is_transactional": lambda: _flag(flags, TRANSACTIONAL),
        "is_control": lambda: _flag(flags, CONTROL),
        "is_aborted": lambda: _aborted(heads, heads["base_offset"].astype(np.int64), aborted),
    }


def _may_hold(damage: Damage, bounds: SegmentFilter) -> bool:
    first, end = bounds.first_offset, bounds.end_offset
    if first is not None and damage.last_offset is not None and damage.last_offset < first:
        return False
    return end is None or damage.first_offset is None or damage.first_offset < end


def _unpacked(batches: Batches, number: int) -> Buffer:
    """The records of a batch, as bytes of format 2. Corrupt where they cannot be unpacked."""
    if batches.bodies is not None:
        return batches.bodies[number]
    assert batches.data is not None
    head, start = batches.headers[number], int(batches.starts[number])
    end = start + int(head["length"]) + OVERHEAD
    data = memoryview(batches.data)[start + HEADER_SIZE : end]
    codec = int(head["attributes"]) & COMPRESSION_MASK
    return decompress(codec, data, MAX_DECOMPRESSED) if codec else data


def _nonsense(batches: Batches, number: int, text: str) -> Damage:
    head = batches.headers[number]
    base = int(head["base_offset"])
    size, delta = int(head["length"]) + OVERHEAD, int(head["last_delta"])
    return Damage(int(batches.positions[number]), size, base, base + delta, text)


def _reaching(heads: npt.NDArray[np.void], bounds: SegmentFilter) -> npt.NDArray[np.bool_]:
    """The batches that may have records within bounds."""
    good = np.ones(len(heads), bool)
    if bounds.first_offset is not None:
        good &= _last(heads) >= bounds.first_offset
    if bounds.end_offset is not None:
        good &= heads["base_offset"] < bounds.end_offset
    if bounds.first_time is not None:
        good &= heads["max_timestamp"] >= bounds.first_time
    return good


def _between(values: Longs, first: int | None, end: int | None) -> npt.NDArray[np.bool_]:
    good = np.ones(len(values), bool)
    if first is not None:
        good &= values >= first
    if end is not None:
        good &= values < end
    return good


def _last(heads: npt.NDArray[np.void]) -> Longs:
    return np.asarray(heads["base_offset"].astype(np.int64) + heads["last_delta"])


def _long(values: npt.NDArray[np.generic]) -> pa.Array:
    return pa.array(values.astype(np.int64))


def _known(values: npt.NDArray[N]) -> pa.Array:
    return pa.array(values, mask=values < 0)


def _flag(attributes: npt.NDArray[np.int16], bit: int) -> pa.Array:
    return pa.array((attributes & bit) != 0)


def _compressions(attributes: npt.NDArray[np.int16]) -> pa.Array:
    return _CODECS.take(pa.array(np.minimum(attributes & COMPRESSION_MASK, len(_CODECS) - 1)))


def _time_types(attributes: npt.NDArray[np.int16]) -> pa.Array:
    return _TIME_TYPES.take(pa.array(((attributes & LOG_APPEND_TIME) != 0).astype(np.int8)))


def _times(milliseconds: Longs) -> pa.Array:
    absent = milliseconds == -1
    absent |= (milliseconds < _EARLIEST_MS) | (milliseconds > _LATEST_MS)
    microseconds = np.where(absent, 0, milliseconds) * 1000
    return pa.array(microseconds, mask=absent).cast(pa.timestamp("us", tz="UTC"))


def _aborted(heads: npt.NDArray[np.void], offsets: Longs, ranges: Callable[[], Ranges]) -> pa.Array:
    transactional = (heads["attributes"] & (TRANSACTIONAL | CONTROL)) == TRANSACTIONAL
    result = np.zeros(len(heads), bool)
    if np.any(transactional):
        for producer, spans in ranges().items():
            own = transactional & (heads["producer_id"] == producer)
            if np.any(own):
                at = np.searchsorted(spans[:, 0], offsets, "right") - 1
                result |= own & (at >= 0) & (offsets <= spans[np.maximum(at, 0), 1])
    return pa.array(result)


def _binary(data: bytes, at: Longs, sizes: Longs) -> pa.Array:
    """Pieces of `data` as a column, null where the size is negative, without a loop.

    The pieces and the gaps between them are one Arrow array; every other element is taken.
    """
    count = len(at)
    ends = np.empty(2 * count + 1, np.int32)
    ends[0] = 0
    ends[1::2] = at
    ends[2::2] = at + np.maximum(sizes, 0)
    both = pa.Array.from_buffers(
        pa.binary(), 2 * count, [None, pa.py_buffer(ends), pa.py_buffer(data)]
    )
    wanted = pa.array(np.arange(1, 2 * count, 2, dtype=np.int32), mask=sizes < 0)
    return both.take(wanted)


def _headers(found: Records, kept: Longs) -> pa.Array:
    """Lists of (key, value); null for records that have none."""
    first = found.header_first
    counts = (first[1:] - first[:-1])[kept]
    total = int(counts.sum())
    starts = np.zeros(len(kept) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    flat = np.repeat(first[:-1][kept] - starts[:-1], counts) + np.arange(total)
    keys = _text(_binary(found.data, found.header_key_at[flat], found.header_key_size[flat]))
    values = _binary(found.data, found.header_value_at[flat], found.header_value_size[flat])
    pairs = pa.StructArray.from_arrays([keys, values], names=["key", "value"])
    absent = np.append(counts == 0, False)
    return pa.ListArray.from_arrays(pa.array(starts, mask=absent), pairs)


def _text(names: pa.Array) -> pa.Array:
    try:
        return names.cast(pa.string())
    except pa.ArrowInvalid:  # No UTF-8: rare, so slowly.
        return pa.array([name.decode("utf-8", "replace") for name in names.to_pylist()])
