"""Records that a consumer got twice: did the brokers hold them twice, or did it read one twice?

One offset twice is the reader's doing: a member that was thrown out begins again where its group
has committed, and one whose offset is out of range at the earliest. A record at two offsets is the
brokers': they took a batch again that an idempotent producer had sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Got(NamedTuple):
    """A record as it came: where it stands, and its number by its producer."""

    partition: int
    offset: int
    sequence: int


def repetitions(got: Sequence[Got]) -> list[str]:
    """What came twice, each with its places in the log and in what was read."""
    read: dict[tuple[int, int], int] = {}
    held: dict[tuple[int, int], int] = {}
    found = []
    for nth, (partition, offset, sequence) in enumerate(got, 1):
        first = read.setdefault((partition, offset), nth)
        other = held.setdefault((partition, sequence), offset)
        record = f"partition {partition}, record {sequence} of its producer"
        if first != nth:
            found.append(
                f"{record}: the reader got offset {offset} twice, as its {first}. and {nth}. record"
                f" of {len(got)}"
            )
        elif other != offset:
            found.append(f"{record}: the brokers hold it at offsets {other} and {offset}")
    return found
