"""ACLs: which user may do what with which resource, and sets of operations as bits (KIP-430).

The terms and numbers are Kafka's: an AclBinding is one rule, an AclFilter finds rules. A bit field
on the wire has the bit 1 << operation for each operation that is allowed. Decides nothing: that is
`core.authorizer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

NOT_ASKED: Final = -(1 << 31)
"""The bit field of an answer whose request did not ask for authorized operations."""
WILDCARD: Final = "*"
"""Any host; as the name of a LITERAL pattern: any resource of the type."""
ALL_USERS: Final = "User:*"
"""The principal of rules for all users."""
CLUSTER_NAME: Final = "kafka-cluster"
"""The only resource of type CLUSTER."""


class AclOperation(IntEnum):
    """Kafka's AclOperation."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
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
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15

    def __str__(self) -> str:
        """As Kafka's tools and documentation write it: "DescribeConfigs"."""
        return self.name.title().replace("_", "")


class AclResourceType(IntEnum):
    """Kafka's ResourceType of ACLs."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7

    def __str__(self) -> str:
        """As Kafka's log of its authorizer writes it: "TransactionalId"."""
        return self.name.title().replace("_", "")


class PatternType(IntEnum):
    """How a pattern names resources; ANY and MATCH stand in filters alone."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class AclPermissionType(IntEnum):
    """What a rule says about the operation."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


E = TypeVar("E", bound=IntEnum)


def of_code(kind: type[E], code: int) -> E:
    """A number of the wire; UNKNOWN (0) where Kafka has no such number."""
    try:
        return kind(code)
    except ValueError:
        return kind(0)


class AclBinding(NamedTuple):
    """One rule: whether a principal on a host may do something with the resources of a pattern."""

    resource_type: AclResourceType
    resource_name: str
    pattern_type: PatternType
    principal: str
    """`User:alice`, compared as text."""
    host: str
    """An address in text, or `WILDCARD`."""
    operation: AclOperation
    permission: AclPermissionType


@dataclass(frozen=True, slots=True, kw_only=True)
class AclFilter:
    """Which rules are meant; None and ANY mean every."""

    resource_type: AclResourceType = AclResourceType.ANY
    resource_name: str | None = None
    pattern_type: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: AclOperation = AclOperation.ANY
    permission: AclPermissionType = AclPermissionType.ANY

    def matches(self, acl: AclBinding) -> bool:
        """Whether a rule is meant."""
        return (
            self.resource_type in (AclResourceType.ANY, acl.resource_type)
            and self._matches_name(acl)
            and self.principal in (None, acl.principal)
            and self.host in (None, acl.host)
            and self.operation in (AclOperation.ANY, acl.operation)
            and self.permission in (AclPermissionType.ANY, acl.permission)
        )

    def _matches_name(self, acl: AclBinding) -> bool:
        """A name with MATCH means all patterns that the resource of this name falls under."""
        if self.pattern_type not in (PatternType.ANY, PatternType.MATCH, acl.pattern_type):
            return False
        name = self.resource_name
        if name is None or name == acl.resource_name:
            return True
        if self.pattern_type is not PatternType.MATCH:
            return False
        if acl.pattern_type is PatternType.PREFIXED:
            return name.startswith(acl.resource_name)
        return acl.resource_name == WILDCARD


def bits(operations: Iterable[AclOperation]) -> int:
    """A set of operations as a bit field."""
    return sum(1 << operation for operation in set(operations))


def operations(field: int) -> frozenset[AclOperation] | None:
    """The operations of a bit field; None where the answer does not say. Unknown bits are left."""
    if field == NOT_ASKED:
        return None
    return frozenset(operation for operation in AclOperation if field & 1 << operation)


_T, _O = AclResourceType, AclOperation
OPERATIONS: Final[Mapping[AclResourceType, tuple[AclOperation, ...]]] = MappingProxyType(
    {
        _T.TOPIC: (
            _O.READ, _O.WRITE, _O.CREATE, _O.DELETE, _O.ALTER, _O.DESCRIBE, _O.DESCRIBE_CONFIGS,
            _O.ALTER_CONFIGS,
        ),
        _T.GROUP: (_O.READ, _O.DELETE, _O.DESCRIBE, _O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS),
        _T.CLUSTER: (
            _O.CREATE, _O.ALTER, _O.DESCRIBE, _O.CLUSTER_ACTION, _O.DESCRIBE_CONFIGS,
            _O.ALTER_CONFIGS, _O.IDEMPOTENT_WRITE,
        ),
    }
)  # fmt: skip
"""What can be done with a resource at all, where answers tell of it (KIP-430)."""
