"""What a client may do with a resource, as the bits that Kafka's answers have for it (KIP-430).

Without an authorizer that is all that the kind of resource knows. Bits are the numbers of Kafka's
AclOperation. Used by the handlers whose requests ask for authorized operations.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


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


def _bits(*operations: AclOperation) -> int:
    return sum(1 << operation for operation in operations)


NOT_ASKED: Final = -(1 << 31)
_O = AclOperation
CLUSTER: Final = _bits(
    _O.CREATE, _O.ALTER, _O.DESCRIBE, _O.CLUSTER_ACTION, _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS,
    _O.IDEMPOTENT_WRITE,
)  # fmt: skip
TOPIC: Final = _bits(
    _O.READ, _O.WRITE, _O.CREATE, _O.DELETE, _O.ALTER, _O.DESCRIBE, _O.DESCRIBE_CONFIGS,
    _O.ALTER_CONFIGS,
)  # fmt: skip
GROUP: Final = _bits(
    _O.READ, _O.DELETE, _O.DESCRIBE, _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS
)  # fmt: skip
