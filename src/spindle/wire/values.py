"""Single values of the protocol: varints, ids, durations, error codes.

The generated writers and readers call these for what `struct` cannot do. Knows no entity.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error

ERRORS: Final[Mapping[int, Error]] = MappingProxyType({int(e): e for e in Error})

ZERO_UUID: Final = bytes(16)

_MILLISECOND: Final = timedelta(milliseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UVARINTS: Final = tuple(
    bytes((i,)) if i < 128 else bytes((i & 127 | 128, i >> 7)) for i in range(16384)
)


def put_uvarint(value: int) -> bytes:
    """An unsigned varint (KIP-482): seven bits a byte, low ones first."""
    if 0 <= value < 16384:
        return _UVARINTS[value]
    assert value >= 0
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def take_uvarint(data: Buffer, offset: int) -> tuple[int, int]:
    """(value, offset after it); Corrupt where it is longer than 5 bytes or cut short."""
    try:
        first = data[offset]
    except IndexError:
        raise Corrupt(f"a varint at byte {offset} is cut short") from None
    if first < 128:
        return first, offset + 1
    return long_uvarint(data, offset + 1, first)


def long_uvarint(data: Buffer, offset: int, first: int) -> tuple[int, int]:
    """Go on with an unsigned varint whose first byte had its high bit set."""
    result = first & 127
    for shift in (7, 14, 21, 28):
        if offset >= len(data):
            raise Corrupt(f"a varint at byte {offset} is cut short")
        byte = data[offset]
        offset += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, offset
    raise Corrupt(f"a varint at byte {offset} is longer than 5 bytes")


@lru_cache(maxsize=65536)
def uuid_of(raw: bytes) -> uuid.UUID | None:
    """16 bytes as an id, None for the zero id. Cached: the same topics come again and again."""
    return None if raw == ZERO_UUID else uuid.UUID(bytes=raw)


@lru_cache(maxsize=65536)
def id_of(raw: bytes) -> uuid.UUID:
    """16 bytes as an id, the zero id included."""
    return uuid.UUID(bytes=raw)


@lru_cache(maxsize=4096)
def duration(milliseconds: int) -> timedelta:
    """Milliseconds as a timedelta; Corrupt where Python cannot hold it."""
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise Corrupt(f"a duration of {milliseconds} ms is out of range") from None


def milliseconds(value: timedelta | int) -> int:
    """A duration as whole milliseconds; plain numbers are milliseconds already."""
    if isinstance(value, int):
        return value
    return value.days * 86_400_000 + value.seconds * 1000 + round(value.microseconds / 1000)


def instant(milliseconds: int) -> datetime | None:
    """Milliseconds since 1970 as a datetime, None for -1; Corrupt where Python cannot hold it."""
    if milliseconds == -1:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise Corrupt(f"a timestamp of {milliseconds} ms is out of range") from None


def timestamp(value: datetime | int | None) -> int:
    """A point in time as milliseconds since 1970, None as -1; plain numbers stay as they are."""
    if value is None:
        return -1
    if isinstance(value, int):
        return value
    return round((value - _EPOCH) / _MILLISECOND)


def short(what: str, needed: int, left: int) -> Corrupt:
    """The error for a length that exceeds what is there."""
    return Corrupt(f"{what} claims {needed} bytes but only {left} are left")
