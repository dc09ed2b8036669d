"""Messages of the formats 0 and 1: Kafka's before 0.11, and until 3.x where topics asked for them.

They are read only, for logs that still have them: a message becomes the records of format 2 that it
stands for. A message with a codec packs others in its value and has the offset of the last of them;
in format 1 those count from 0, in format 0 they have their own offsets and no timestamps. Called by
readers of logs; the broker serves format 2 alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from spindle.model.batches import COMPRESSION_MASK, LOG_APPEND_TIME, NO_TIMESTAMP, Buffer, Record
from spindle.model.errors import Corrupt
from spindle.wire.compression import Compression, decompress
from spindle.wire.records import put_record

FORMATS: Final = (0, 1)
OVERHEAD: Final = 12
"""Bytes of offset and length, which the length does not count."""
FRONT_SIZE: Final = 18
"""Bytes of a message up to its attributes, whatever its format."""
_FRONT: Final = Struct(">qiIbb")
_CRC_FROM: Final = 16
_TIMESTAMP: Final = Struct(">q")
_LENGTH: Final = Struct(">i")
_LEAST: Final = (26, 34)
"""Bytes of the smallest message of each format."""

_LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_WORD: Final = 0xFFFFFFFF
_PRIMES: Final = (2654435761, 2246822519, 3266489917, 668265263, 374761393)


class OldMessage(NamedTuple):
    """A stored message and what it stands for: `records` of format 2, unpacked, in `body`.

    Their deltas are those to `first_offset` and `first_timestamp` (ms). `attributes`: as stored.
    """

    magic: int
    size: int
    crc: int
    attributes: int
    first_offset: int
    last_offset: int
    first_timestamp: int
    newest: int
    records: int
    body: bytes


class _Single(NamedTuple):
    offset: int
    timestamp: int
    attributes: int
    key: bytes | None
    value: Buffer | None


def size_at(data: Buffer, at: int) -> int:
    """The size of the message that begins there, as it claims itself; 0 where none can begin."""
    if len(data) - at < FRONT_SIZE:
        return 0
    offset, length, _, magic, _ = _FRONT.unpack_from(data, at)
    plausible = magic in FORMATS and offset >= 0 and length + OVERHEAD >= _LEAST[magic]
    return int(length) + OVERHEAD if plausible else 0


def is_whole(message: Buffer) -> bool:
    """Whether a message has the CRC that it tells."""
    crc = _FRONT.unpack_from(message)[2]
    return bool(zlib.crc32(memoryview(message)[_CRC_FROM:]) == crc)


def take(message: Buffer, limit: int) -> OldMessage:
    """Read one stored message; Corrupt for anything wrong with it or in it, its CRC apart.

    `limit`: bytes that it may unpack to.
    """
    magic, crc = message[_CRC_FROM], _FRONT.unpack_from(message)[2]
    outer = _single(message)
    singles = [outer]
    if codec := outer.attributes & COMPRESSION_MASK:
        singles = list(_packed(outer, magic, codec, limit))
    first, last = singles[0], singles[-1]
    if [s.offset for s in singles] != sorted({s.offset for s in singles}) or first.offset < 0:
        raise Corrupt(f"the offsets in the message at offset {outer.offset} do not ascend")
    body = bytearray()
    for single in singles:
        value = None if single.value is None else bytes(single.value)
        record = Record(single.offset, single.timestamp, single.key, value)
        put_record(body, record, single.offset - first.offset, single.timestamp - first.timestamp)
    newest = max(single.timestamp for single in singles)
    if outer.attributes & LOG_APPEND_TIME:
        newest = outer.timestamp
    return OldMessage(
        magic, len(message), crc, outer.attributes, first.offset, last.offset, first.timestamp,
        newest, len(singles), bytes(body),
    )  # fmt: skip


def _packed(outer: _Single, magic: int, codec: int, limit: int) -> Iterator[_Single]:
    """The messages in the value of another."""
    if outer.value is None:
        raise Corrupt(f"the packed message at offset {outer.offset} has no value")
    data = outer.value
    if codec == Compression.LZ4 and magic == 0:
        data = _mended_lz4(data)
    inner = list(_singles(decompress(codec, data, limit), magic))
    if not inner:
        raise Corrupt(f"the packed message at offset {outer.offset} is empty")
    base = outer.offset - inner[-1].offset if magic else 0
    if base < 0 or base + inner[-1].offset != outer.offset:
        raise Corrupt(f"the packed message at offset {outer.offset} ends with another offset")
    for single in inner:
        yield single._replace(offset=base + single.offset)


def _singles(data: Buffer, magic: int) -> Iterator[_Single]:
    at = 0
    while at < len(data):
        size = size_at(data, at)
        if not size or size > len(data) - at or data[at + _CRC_FROM] != magic:
            raise Corrupt(f"no message of format {magic} begins at {at} of {len(data)} bytes")
        single = _single(data[at : at + size])
        if single.attributes & COMPRESSION_MASK:
            raise Corrupt("a packed message is in another one")
        yield single
        at += size


def _single(message: Buffer) -> _Single:
    offset, _, _, magic, attributes = _FRONT.unpack_from(message)
    at, timestamp = FRONT_SIZE, NO_TIMESTAMP
    if magic:
        (timestamp,) = _TIMESTAMP.unpack_from(message, at)
        at += _TIMESTAMP.size
    key, at = _blob(message, at)
    value, at = _blob(message, at)
    if at != len(message):
        raise Corrupt(f"the message at offset {offset} has {len(message) - at} bytes too many")
    return _Single(offset, timestamp, attributes, None if key is None else bytes(key), value)


def _blob(message: Buffer, at: int) -> tuple[Buffer | None, int]:
    if at + _LENGTH.size > len(message):
        raise Corrupt("a message ends before its key or value")
    (size,) = _LENGTH.unpack_from(message, at)
    at += _LENGTH.size
    if size < -1 or size > len(message) - at:
        raise Corrupt(f"a message's key or value claims {size} of {len(message) - at} bytes")
    return (None, at) if size < 0 else (message[at : at + size], at + size)


def _mended_lz4(frame: Buffer) -> Buffer:
    """An LZ4 frame with the right checksum of its header.

    Writers of format 0 count the magic number in, which the format does not (KAFKA-3160).
    """
    head = bytes(frame[:7])
    if len(head) < 7 or not head.startswith(_LZ4_MAGIC):
        return frame
    end = 6 + 8 * bool(head[4] & 8) + 4 * bool(head[4] & 1)  # A content size, a dictionary's id.
    if end >= len(frame):
        return frame
    mended = bytearray(frame)
    mended[end] = _xxh32(bytes(frame[4:end])) >> 8 & 0xFF
    return bytes(mended)


def _xxh32(data: bytes) -> int:
    """The checksum of LZ4's headers; of fewer than 16 bytes, as they have."""
    assert len(data) < 16
    a, b, c, d, e = _PRIMES
    value = (e + len(data)) & _WORD
    words = len(data) // 4 * 4
    for at in range(0, words, 4):
        value = value + int.from_bytes(data[at : at + 4], "little") * c & _WORD
        value = _turned(value, 17) * d & _WORD
    for byte in data[words:]:
        value = value + byte * e & _WORD
        value = _turned(value, 11) * a & _WORD
    for shift, prime in ((15, b), (13, c)):
        value = (value ^ value >> shift) * prime & _WORD
    return value ^ value >> 16


def _turned(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _WORD
