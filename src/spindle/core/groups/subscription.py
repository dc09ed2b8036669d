"""Which topics a consumer subscribes to, as its metadata tells; and where a group's data lives.

The metadata is the consumer protocol's: version int16, then an array of topic names (int32 count,
int16 lengths). What follows the names is not read.
"""

from __future__ import annotations

from functools import lru_cache

REMEMBERED = 1024
"""Groups and transactions whose partition is remembered: each of their requests asks for it."""


def subscribed_topics(metadata: bytes) -> tuple[str, ...] | None:
    """The topics of a consumer's subscription, or None where the bytes are something else."""
    if len(metadata) < 6 or int.from_bytes(metadata[:2], "big", signed=True) < 0:
        return None
    count = int.from_bytes(metadata[2:6], "big", signed=True)
    at, topics = 6, []
    for _ in range(count):
        size = int.from_bytes(metadata[at : at + 2], "big", signed=True)
        text = metadata[at + 2 : at + 2 + size]
        if size < 0 or len(text) < size or at + 2 > len(metadata):
            return None
        try:
            topics.append(text.decode())
        except UnicodeDecodeError:
            return None
        at += 2 + size
    return tuple(topics)


@lru_cache(maxsize=REMEMBERED)
def partition_for(group_id: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` that holds a group: Java's string hash, made positive.

    Java hashes UTF-16 units, so characters outside the basic plane count as two.
    """
    assert partitions > 0
    units = group_id.encode("utf-16-be", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[at : at + 2], "big")) & 0xFFFFFFFF
    if value >= 1 << 31:
        value -= 1 << 32
    # The one number whose absolute value Java cannot hold counts as 0.
    return (0 if value == -(1 << 31) else abs(value)) % partitions
