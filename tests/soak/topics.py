"""The two topics of a soak."""

from __future__ import annotations

from typing import Final, NamedTuple

INPUT: Final = "input"
"""What producers write."""
COPY: Final = "copy"
"""Each record of the input exactly once, by transactions; its key is the record's place."""
PARTITIONS: Final = 6
"""Of either topic."""


class Place(NamedTuple):
    """A partition."""

    topic: str
    partition: int


def origin(partition: int, offset: int) -> bytes:
    """The key of a record's copy."""
    return f"{partition}:{offset}".encode()
