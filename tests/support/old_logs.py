"""Log files in the message formats 0 and 1, byte by byte, since Spindle does not write them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from spindle.model.batches import LOG_APPEND_TIME
from spindle.wire.compression import Compression, compress

BROKEN_CHECKSUM = 0x1A
"""In place of an LZ4 header's checksum: any but the right one, as writers of format 0 have it."""


def message(
    magic: int,
    offset: int,
    key: bytes | None,
    value: bytes | None,
    timestamp: int = -1,
    attributes: int = 0,
) -> bytes:
    """A single message."""
    body = struct.pack(">bb", magic, attributes)
    if magic:
        body += struct.pack(">q", timestamp)
    for blob in (key, value):
        body += struct.pack(">i", -1 if blob is None else len(blob)) + (blob or b"")
    return struct.pack(">qiI", offset, len(body) + 4, zlib.crc32(body)) + body


def packed(
    magic: int, offsets: Sequence[int], inner: Sequence[bytes], codec: Compression,
    timestamp: int = -1, append: bool = False,
) -> bytes:  # fmt: skip
    """Messages, made with `message` at offset 0, packed into one."""
    base = offsets[0] if magic else 0
    placed = [
        struct.pack(">q", offset - base) + one[8:]
        for offset, one in zip(offsets, inner, strict=True)
    ]
    data = compress(codec, b"".join(placed))
    if codec == Compression.LZ4 and not magic:
        data = data[:6] + bytes((BROKEN_CHECKSUM,)) + data[7:]
    return message(
        magic, offsets[-1], None, data, timestamp, codec | (LOG_APPEND_TIME if append else 0)
    )
