"""Single values of the protocol: varints, ids, error codes.

The generated writers and readers call these for what `struct` cannot do. Knows no entity.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error

ERRORS: Final[Mapping[int, Error]] = MappingProxyType({int(e): e for e in Error})

ZERO_UUID: Final = bytes(16)

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


def short(what: str, needed: int, left: int) -> Corrupt:
    """The error for a length that exceeds what is there."""
    return Corrupt(f"{what} claims {needed} bytes but only {left} are left")
