"""Single records of format v2, between bytes and values. Only `batch` calls this.

Lengths are zigzag varints; every one is compared with what is left before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from spindle.model.batches import Buffer, Record
from spindle.model.errors import Corrupt

_LEAST: Final = 7
"""Bytes of the smallest record: length, attributes, two deltas, no key, no value, no headers."""

_VARINTS: Final = tuple(
    bytes((z,)) if z < 128 else bytes((z & 127 | 128, z >> 7))
    for z in ((n << 1) ^ (n >> 63) for n in range(-8192, 8192))
)


class Slice(NamedTuple):
    """A record by its place in its batch's bytes; of its content only what compaction asks for.

    `rest`: where its offset delta begins, behind the timestamp's.
    """

    start: int
    rest: int
    stop: int
    timestamp_delta: int
    offset_delta: int
    key: bytes | None
    has_value: bool


def put_varint(value: int) -> bytes:
    """A signed varint: zigzag, seven bits a byte, low ones first. 64 bits at most."""
    if -8192 <= value < 8192:
        return _VARINTS[value + 8192]
    rest = (value << 1) ^ (value >> 63)
    out = bytearray()
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def put_record(out: bytearray, record: Record, offset_delta: int, timestamp_delta: int) -> None:
    """Append a record."""
    key, value = record.key, record.value
    parts = [b"\0", put_varint(timestamp_delta), put_varint(offset_delta)]
    parts += (b"\1",) if key is None else (put_varint(len(key)), key)
    parts += (b"\1",) if value is None else (put_varint(len(value)), value)
    parts.append(put_varint(len(record.headers)))
    for name, content in record.headers:
        raw = name.encode("utf-8", "surrogateescape")
        parts += (put_varint(len(raw)), raw)
        parts += (b"\1",) if content is None else (put_varint(len(content)), content)
    body = b"".join(parts)
    out += put_varint(len(body))
    out += body


def retimed(data: bytes, record: Slice, timestamp_delta: int) -> bytes:
    """A record's bytes with another timestamp delta."""
    body = b"\0" + put_varint(timestamp_delta) + data[record.rest : record.stop]
    return put_varint(len(body)) + body


def take_slices(data: bytes, count: int) -> Iterator[Slice]:
    """The places of `count` records, which must fill `data`. Lazy: errors come as they are met."""
    check_room(data, count)
    position, end = 0, len(data)
    try:
        for _ in range(count):
            start = position
            size, position = _varint(data, position)
            stop = position + size
            if size < _LEAST - 1 or stop > end:
                raise Corrupt(f"a record claims {size} bytes but {end - position} are left")
            time_delta, rest = _varlong(data, position + 1)
            delta, position = _varint(data, rest)
            key, position = _take_bytes(data, position, stop)
            value_size, position = _varint(data, position)
            yield Slice(start, rest, stop, time_delta, delta, key, value_size >= 0)
            position = stop
    except IndexError:
        raise Corrupt("a record is cut short") from None
    if position != end:
        raise Corrupt(f"{end - position} bytes are left behind the last of {count} records")


class Unfit(NamedTuple):
    """A record that may not be taken: which one of those looked at, and what it says."""

    number: int
    offset_delta: int
    timestamp_delta: int
    has_key: bool


def check_room(data: Buffer, count: int) -> None:
    """Corrupt where so many records cannot be in these bytes, however small they are."""
    if not 0 <= count * _LEAST <= len(data):
        raise Corrupt(f"{count} records cannot be in {len(data)} bytes")


def find_unfit(
    data: Buffer, at: int, count: int, oldest: int, newest: int
) -> tuple[int, list[Unfit]]:
    """Step over `count` records from `at`: where the next one begins, and those that are unfit.

    Unfit is what has no key, or a timestamp delta outside `oldest`..`newest`. Each record's form is
    checked as `take_records` does. Written out for speed: it makes no object for a record.
    """
    end, unfit = len(data), []
    try:
        for number in range(count):
            if (byte := data[at]) < 128:
                size, at = byte >> 1 ^ -(byte & 1), at + 1
            elif (high := data[at + 1]) < 128:
                size, at = (byte & 127 | high << 7) >> 1 ^ -(byte & 1), at + 2
            else:
                size, at = _long(data, at, 35)
            stop = at + size
            if size < _LEAST - 1 or stop > end:
                raise Corrupt(f"a record claims {size} bytes but {end - at} are left")
            if (byte := data[at + 1]) < 128:
                delta, at = byte >> 1 ^ -(byte & 1), at + 2
            else:
                delta, at = _long(data, at + 1, 70)
            offset_at = at
            if data[at] < 128:
                at += 1
            elif data[at + 1] < 128:
                at += 2
            elif data[at + 2] < 128:
                at += 3  # Beyond the first 8,192 records of a batch.
            else:
                at = _long(data, at, 35)[1]
            if (key := data[at]) & 129:
                key_size, at = _varint(data, at)
                at = _stepped(at, key_size, stop)
            else:
                at += 1 + (key >> 1)
            if key == 1 or not oldest <= delta <= newest:
                unfit.append(Unfit(number, _varint(data, offset_at)[0], delta, key != 1))
            if (byte := data[at]) & 129:
                size, at = _varint(data, at)
                at = _stepped(at, size, stop)
            else:
                at += 1 + (byte >> 1)
            if data[at]:
                at += _take_headers(bytes(data[at:stop]), 0, stop - at)[1]
            else:
                at += 1
            if at != stop:
                raise Corrupt(f"a record ends {at - stop} bytes from where it claims to end")
    except IndexError:
        raise Corrupt("a record is cut short") from None
    return at, unfit


def _stepped(at: int, size: int, stop: int) -> int:
    if not -1 <= size <= stop - at:
        raise Corrupt(f"a record's key or value claims {size} bytes of {stop - at}")
    return at + max(size, 0)


def take_records(
    data: bytes, count: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> Iterator[Record]:
    """Read exactly `count` records, which must fill `data`. Lazy: errors come as they are met."""
    check_room(data, count)
    return _take(data, count, base_offset, base_timestamp, append_time)


def _take(
    data: bytes, count: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> Iterator[Record]:
    position, end = 0, len(data)
    try:
        for _ in range(count):
            size, position = _varint(data, position)
            stop = position + size
            if size < _LEAST - 1 or stop > end:
                raise Corrupt(f"a record claims {size} bytes but {end - position} are left")
            position += 1  # attributes: unused since there are none
            time_delta, position = _varlong(data, position)
            delta, position = _varint(data, position)
            key, position = _take_bytes(data, position, stop)
            value, position = _take_bytes(data, position, stop)
            headers: tuple[tuple[str, bytes | None], ...] = ()
            if data[position]:
                headers, position = _take_headers(data, position, stop)
            else:
                position += 1
            if position != stop:
                raise Corrupt(f"a record claims {size} bytes but takes {size + position - stop}")
            timestamp = base_timestamp + time_delta if append_time is None else append_time
            yield Record(base_offset + delta, timestamp, key, value, headers)
    except IndexError:
        raise Corrupt("a record is cut short") from None
    if position != end:
        raise Corrupt(f"{end - position} bytes are left behind the last of {count} records")


def _take_bytes(data: bytes, position: int, stop: int) -> tuple[bytes | None, int]:
    size, position = _varint(data, position)
    if size < 0:
        if size < -1:
            raise Corrupt(f"a record's key or value has a length of {size}")
        return None, position
    if size > stop - position:
        raise Corrupt(f"a record's key or value claims {size} bytes of {stop - position}")
    return data[position : position + size], position + size


def _take_headers(
    data: bytes, position: int, stop: int
) -> tuple[tuple[tuple[str, bytes | None], ...], int]:
    count, position = _varint(data, position)
    if not 0 <= 2 * count <= stop - position:
        raise Corrupt(f"a record claims {count} headers in {stop - position} bytes")
    headers = []
    for _ in range(count):
        name, position = _take_bytes(data, position, stop)
        if name is None:
            raise Corrupt("a record's header has no name")
        content, position = _take_bytes(data, position, stop)
        # Names that are no UTF-8 exist in the wild; this way they survive being written again.
        headers.append((name.decode("utf-8", "surrogateescape"), content))
    return tuple(headers), position


def _varint(data: Buffer, position: int) -> tuple[int, int]:
    byte = data[position]
    if byte < 128:
        return (byte >> 1) ^ -(byte & 1), position + 1
    return _long(data, position, 35)


def _varlong(data: bytes, position: int) -> tuple[int, int]:
    byte = data[position]
    if byte < 128:
        return (byte >> 1) ^ -(byte & 1), position + 1
    return _long(data, position, 70)


def _long(data: Buffer, position: int, bits: int) -> tuple[int, int]:
    result = 0
    for shift in range(0, bits, 7):
        byte = data[position]
        position += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return (result >> 1) ^ -(result & 1), position
    raise Corrupt(f"a varint is longer than {bits // 7} bytes")
