"""The topics of a directory in an answer to DescribeLogDirs, straight as bytes.

An answer has a partition for each replica of a broker, with figures that change all the time: to
make an object of each takes longer than all else. What is written is what `wire.messages` writes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from spindle.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse
from spindle.wire.values import put_uvarint

PutPartition: TypeAlias = Callable[[int, int, int, bool], bytes]
"""(partition, size in bytes, offset lag, whether it is a future log) -> its bytes."""

_PLAIN: Final = struct.Struct(">iqq?").pack
_WITH_TAGS: Final = struct.Struct(">iqq?x").pack
_INT16, _INT32 = struct.Struct(">h").pack, struct.Struct(">i").pack


def _is_flexible(version: int) -> bool:
    return version >= DescribeLogDirsResponse.FIRST_FLEXIBLE


def partition_writer(version: int) -> PutPartition:
    """What writes a partition in a version of the answer."""
    return _WITH_TAGS if _is_flexible(version) else _PLAIN


def put_topics(topics: Iterable[tuple[str, list[bytes]]], version: int) -> bytes:
    """Topics with their partitions, which are bytes already: what `Packed.add` takes."""
    is_flexible = _is_flexible(version)
    pieces: list[bytes] = []
    for name, partitions in topics:
        raw = name.encode()
        if is_flexible:
            pieces += (put_uvarint(len(raw) + 1), raw, put_uvarint(len(partitions) + 1))
            pieces += partitions
            pieces.append(b"\0")
        else:
            pieces += (_INT16(len(raw)), raw, _INT32(len(partitions)))
            pieces += partitions
    return b"".join(pieces)
