"""What a user may do with a resource: Kafka's AclOperation, and sets of them as bits (KIP-430).

A bit field on the wire has the bit 1 << operation for each operation that is allowed. Knows
nothing of users and rules. Used by the handlers that answer with such bits, and by the client.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

NOT_ASKED: Final = -(1 << 31)
"""The bit field of an answer whose request did not ask for authorized operations."""


class AclOperation(IntEnum):
    """Kafka's AclOperation."""

    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12

    def __str__(self) -> str:
        """As Kafka's tools and documentation write it: "DescribeConfigs"."""
        return self.name.title().replace("_", "")


def bits(operations: Iterable[AclOperation]) -> int:
    """A set of operations as a bit field."""
    return sum(1 << operation for operation in set(operations))


def operations(field: int) -> frozenset[AclOperation] | None:
    """The operations of a bit field; None where the answer does not say. Unknown bits are left."""
    if field == NOT_ASKED:
        return None
    return frozenset(operation for operation in AclOperation if field & 1 << operation)
