"""What a client may do with a resource, as the bits that Kafka's answers have for it (KIP-430).

Without an authorizer that is all that the kind of resource knows. Used by the handlers whose
requests ask for authorized operations.
"""

from __future__ import annotations

from typing import Final

from spindle.model.acl import NOT_ASKED, bits
from spindle.model.acl import AclOperation as _O

CLUSTER: Final = bits(
    (
        _O.CREATE, _O.ALTER, _O.DESCRIBE, _O.CLUSTER_ACTION, _O.DESCRIBE_CONFIGS,
        _O.ALTER_CONFIGS, _O.IDEMPOTENT_WRITE,
    )
)  # fmt: skip
TOPIC: Final = bits(
    (
        _O.READ, _O.WRITE, _O.CREATE, _O.DELETE, _O.ALTER, _O.DESCRIBE, _O.DESCRIBE_CONFIGS,
        _O.ALTER_CONFIGS,
    )
)  # fmt: skip
GROUP: Final = bits(
    (_O.READ, _O.DELETE, _O.DESCRIBE, _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS)
)  # fmt: skip


def if_asked(operations: int, asked: bool) -> int:
    """The bits of a resource, where the request asks for them."""
    return operations if asked else NOT_ASKED
