"""Compressed record data: the four codecs of the Kafka protocol, with a limit on what comes out.

Only `batch` calls this. A few hostile bytes can claim to unpack to gigabytes, so the room for the
output grows with what really comes out, up to the caller's limit, and no further.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final

import cramjam

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt

_XERIAL: Final = b"\x82SNAPPY\x00" + b"\x00\x00\x00\x01" * 2
_XERIAL_MAGIC: Final = _XERIAL[:8]
_XERIAL_BLOCK: Final = 32 << 10

# An LZ4 frame header: version 1, independent blocks of at most 64 KiB, and the header's checksum.
# Java's reader refuses frames with dependent blocks, which cramjam's frame writer makes.
_LZ4_FRAME: Final = bytes.fromhex("04224d18604082")
_LZ4_BLOCK: Final = 64 << 10
_LZ4_AS_IS: Final = 1 << 31
_LZ4_HEADER: Final = len(_LZ4_FRAME)
_LZ4_LEVELS: Final = (3, 12)
"""Of the thorough compressor. Java's library counts to 17 and takes more for the most."""
_LZ4_END: Final = bytes(4)

_GZIP_DEFAULT: Final = 6
"""The level that zlib means by -1."""


class Compression(IntEnum):
    """Codecs, by their number in a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


DEFAULT_LEVELS: Final = {Compression.GZIP: -1, Compression.LZ4: 9, Compression.ZSTD: 3}
"""The levels of those that have some, by their names in Kafka's settings."""


def compress(codec: Compression, data: bytes, level: int | None = None) -> bytes:
    """Compress record data in the form that Java's clients write. `level`: as Kafka counts."""
    if codec is Compression.GZIP:
        own = _GZIP_DEFAULT if level in (None, -1) else level
        return bytes(cramjam.gzip.compress(data, level=own))
    if codec is Compression.SNAPPY:
        return _put_snappy(data)
    if codec is Compression.LZ4:
        return _put_lz4(data, level)
    if codec is Compression.ZSTD:
        own = DEFAULT_LEVELS[codec] if level is None else level
        return bytes(cramjam.zstd.compress(data, level=own))
    return data


def decompress(codec: int, data: Buffer, limit: int) -> Buffer:
    """Undo `compress`; Corrupt for broken data, an unknown codec, or more than `limit` bytes."""
    try:
        if codec == Compression.NONE:
            return data
        if codec == Compression.GZIP:
            return _bounded(cramjam.gzip.decompress_into, data, limit)
        if codec == Compression.SNAPPY:
            return _take_snappy(data, limit)
        if codec == Compression.LZ4:
            return _bounded(cramjam.lz4.decompress_into, data, limit)
        if codec == Compression.ZSTD:
            return _bounded(cramjam.zstd.decompress_into, data, limit)
    except cramjam.DecompressionError as error:
        raise Corrupt(f"{Compression(codec).name} data: {error}") from None
    raise Corrupt(f"compression {codec} is unknown")


def _bounded(into: Callable[[Buffer, bytearray], int], data: Buffer, limit: int) -> Buffer:
    room = min(limit, max(64 << 10, 4 * len(data)))
    while True:
        out = bytearray(room)
        try:
            del out[into(data, out) :]
            return out
        except cramjam.DecompressionError as error:
            # The one error that more room can help.
            if "whole buffer" not in str(error):
                raise
        if room == limit:
            raise Corrupt(f"{len(data)} compressed bytes hold more than {limit}")
        room = min(limit, 4 * room)


def _put_snappy(data: bytes) -> bytes:
    out = [_XERIAL]
    for start in range(0, len(data), _XERIAL_BLOCK):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _XERIAL_BLOCK]))
        out += (len(block).to_bytes(4, "big"), block)
    return b"".join(out)


def _take_snappy(data: Buffer, limit: int) -> Buffer:
    """Both forms in use: bare (librdkafka) and in the blocks of Java's stream."""
    if bytes(data[:8]) != _XERIAL_MAGIC:
        return _snappy_block(data, limit)
    out: list[Buffer] = []
    position, end = len(_XERIAL), len(data)
    while position < end:
        size = int.from_bytes(data[position : position + 4], "big")
        position += 4
        if size > end - position:
            raise Corrupt(
                f"a SNAPPY block claims {size} bytes but {max(0, end - position)} are left"
            )
        block = _snappy_block(data[position : position + size], limit)
        limit -= len(block)
        out.append(block)
        position += size
    return b"".join(out)


def _snappy_block(block: Buffer, limit: int) -> bytes:
    size = cramjam.snappy.decompress_raw_len(block) if block else 0
    # No snappy element makes more than 64 bytes of 2: a larger claim cannot be met.
    if size > limit or size > 64 * len(block):
        raise Corrupt(f"{len(block)} compressed bytes claim to hold {size}, limit {limit}")
    return bytes(cramjam.snappy.decompress_raw(block)) if block else b""


def _put_lz4(data: bytes, level: int | None) -> bytes:
    out = [_LZ4_FRAME]
    for start in range(0, len(data), _LZ4_BLOCK):
        raw = data[start : start + _LZ4_BLOCK]
        block = _lz4_block(raw, level)
        if len(block) < len(raw):
            out += (len(block).to_bytes(4, "little"), block)
        else:
            out += ((len(raw) | _LZ4_AS_IS).to_bytes(4, "little"), raw)
    out.append(_LZ4_END)
    return b"".join(out)


def _lz4_block(raw: bytes, level: int | None) -> bytes:
    """Kafka's default level is the fast compressor, each other level one of the thorough."""
    if level in (None, DEFAULT_LEVELS[Compression.LZ4]):
        return bytes(cramjam.lz4.compress_block(raw, store_size=False))
    least, most = _LZ4_LEVELS
    # cramjam's writer of blocks knows no levels; that of frames makes one block of so much.
    frame = bytes(cramjam.lz4.compress(raw, level=min(max(level, least), most)))
    start = _LZ4_HEADER + 4
    size = int.from_bytes(frame[_LZ4_HEADER:start], "little") & ~_LZ4_AS_IS
    return frame[start : start + size]
