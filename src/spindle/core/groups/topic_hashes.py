"""Hashes of the topics that a consumer group depends on, as Apache Kafka 4.3 computes them.

A group keeps the hash of all its topics: where it is another one, a new assignment is due. That
another broker computes the same number keeps a change of coordinator from rebalancing.
XXH3 with 64 bits, over little-endian numbers and UTF-16 units.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import xxhash

from spindle.model.ids import TopicId

_LAYOUT: Final = b"\0"
_LONG: Final = struct.Struct("<q")
_INT: Final = struct.Struct("<i")


def topic_hash(name: str, topic_id: TopicId, racks: Sequence[Iterable[str]]) -> int:
    """The hash of a topic, of which `racks` has the racks of each partition's replicas."""
    data = bytearray(_LAYOUT)
    # Java writes both halves of an id as numbers.
    for half in (topic_id.bytes[:8], topic_id.bytes[8:]):
        data += half[::-1]
    data += _text(name) + _INT.pack(len(racks))
    for number, names in enumerate(racks):
        data += _INT.pack(number)
        for rack in sorted(names):
            units = _text(rack)
            data += units[-_INT.size :] + units
    return _hash(bytes(data))


def group_hash(topics: Mapping[str, int]) -> int:
    """The hash of topics by their names; those with hash 0 do not exist, and do not count."""
    there = sorted(item for item in topics.items() if item[1])
    return _hash(b"".join(_LONG.pack(value) for _, value in there)) if there else 0


def _text(text: str) -> bytes:
    units = text.encode("utf-16-le", "surrogatepass")
    return units + _INT.pack(len(units) // 2)


def _hash(data: bytes) -> int:
    value = xxhash.xxh3_64_intdigest(data)
    return value - (1 << 64) if value >> 63 else value
