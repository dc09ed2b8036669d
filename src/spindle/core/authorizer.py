"""Which principal may do what: the rules of Apache Kafka's StandardAuthorizer (S-05).

A super user may do everything. Else a DENY rule that matches wins, then an ALLOW rule; where rules
speak of the resource and none matches, the answer is no; where none speaks of it, what
`allow.everyone.if.no.acl.found` says. Decisions are remembered until the ACLs change.

Pure: knows the table of ACLs, no requests and no log.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from spindle.model.acl import (
    ALL_USERS,
    WILDCARD,
    AclBinding,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
)
from spindle.model.acl_table import AclTable, Rules

AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
"""The class of Apache Kafka whose rules these are: what `authorizer.class.name` may be."""
REMEMBERED: Final = 10_000
"""Decisions that are remembered."""

_O = AclOperation
_IMPLYING: Final = {
    _O.DESCRIBE: frozenset((_O.DESCRIBE, _O.READ, _O.WRITE, _O.DELETE, _O.ALTER, _O.ALL)),
    _O.DESCRIBE_CONFIGS: frozenset((_O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS, _O.ALL)),
}
"""ALLOW rules for these operations allow the key, too."""


class Action(NamedTuple):
    """An operation on one resource."""

    operation: AclOperation
    resource_type: AclResourceType
    name: str


class AclDecision(NamedTuple):
    """Whether an action is allowed, and the rule that says so, as Kafka's log has it."""

    allowed: bool
    rule: str


_SUPER: Final = AclDecision(True, "SuperUser")
_DENIED: Final = AclDecision(False, "DefaultDeny")
_ALLOWED: Final = AclDecision(True, "DefaultAllow")


class Authorizer:
    """Decides by the ACLs that `table` gives now."""

    def __init__(
        self, table: Callable[[], AclTable], super_users: frozenset[str], if_no_acl: bool
    ) -> None:
        """`if_no_acl`: what no rule speaks of is allowed."""
        self._table = table
        self._super_users = super_users
        self._unruled = _ALLOWED if if_no_acl else _DENIED
        self._known: tuple[AclTable, int] | None = None
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._decide)
        self._remembered_by_type = lru_cache(maxsize=REMEMBERED)(self._decide_by_type)

    def is_super_user(self, principal: str) -> bool:
        """Whether no rule binds this principal, and none is asked."""
        return principal in self._super_users

    def decide(self, principal: str, host: str, action: Action) -> AclDecision:
        """Whether a principal on a host may do something."""
        if principal in self._super_users:
            return _SUPER
        self._look_for_changes()
        return self._remembered(principal, host, action)

    def allows_some(
        self, principal: str, host: str, operation: AclOperation, kind: AclResourceType
    ) -> bool:
        """Whether there may be a resource of a type with which a principal may do this (KIP-679).

        As Apache Kafka finds it: rules for operations that imply this one do not count.
        """
        if self.decide(principal, host, Action(operation, kind, "hardcode")).allowed:
            return True
        return self._remembered_by_type(principal, host, operation, kind)

    def _look_for_changes(self) -> None:
        table = self._table()
        now = (table, table.changes)
        if now != self._known:
            self._known = now
            self._remembered.cache_clear()
            self._remembered_by_type.cache_clear()

    def _decide(self, principal: str, host: str, action: Action) -> AclDecision:
        found: AclBinding | None = None
        ruled, address = False, host_address(host)
        for rules in self._table().about(action.resource_type, action.name):
            ruled = True
            for acl in _of(rules, principal, address):
                if not _covers(acl, action.operation):
                    continue
                if acl.permission is not AclPermissionType.ALLOW:
                    return AclDecision(False, f"MatchingAcl(acl={_written(acl)})")
                found = acl
        if found is not None:
            return AclDecision(True, f"MatchingAcl(acl={_written(found)})")
        return _DENIED if ruled else self._unruled

    def _decide_by_type(
        self, principal: str, host: str, operation: AclOperation, kind: AclResourceType
    ) -> bool:
        address = host_address(host)
        allowed: list[AclBinding] = []
        denied: set[tuple[PatternType, str]] = set()
        for rules in self._table().of_type(kind):
            for acl in _of(rules, principal, address):
                if acl.operation not in (operation, _O.ALL):
                    continue
                if acl.permission is AclPermissionType.DENY:
                    denied.add((acl.pattern_type, acl.resource_name))
                elif acl.permission is AclPermissionType.ALLOW:
                    allowed.append(acl)
        if (PatternType.LITERAL, WILDCARD) in denied:
            return False
        return any(not _is_dominated(acl, denied) for acl in allowed)


def _is_dominated(acl: AclBinding, denied: set[tuple[PatternType, str]]) -> bool:
    """Whether a DENY rule covers all that an ALLOW rule covers."""
    name = acl.resource_name
    if acl.pattern_type is PatternType.LITERAL:
        if name == WILDCARD:
            return False
        if (PatternType.LITERAL, name) in denied:
            return True
    return any((PatternType.PREFIXED, name[:n]) in denied for n in range(1, len(name) + 1))


def _of(rules: Rules, principal: str, address: str) -> Iterator[AclBinding]:
    """The rules for a principal at an address."""
    for named in (principal, ALL_USERS):
        for acl in rules.get(named, ()):
            if acl.host in (WILDCARD, address):
                yield acl


def _covers(acl: AclBinding, operation: AclOperation) -> bool:
    """Whether a rule speaks of an operation; what is denied implies nothing."""
    if acl.operation in (operation, _O.ALL):
        return True
    if acl.permission is not AclPermissionType.ALLOW:
        return False
    return acl.operation in _IMPLYING.get(operation, ())


def host_address(host: str) -> str:
    """An address as Java writes it, and as the hosts of ACLs are written: IPv6 without `::`."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return ":".join(f"{int(group, 16):x}" for group in address.exploded.split(":"))


def _written(acl: AclBinding) -> str:
    return (
        f"StandardAcl(resourceType={acl.resource_type.name}, resourceName={acl.resource_name},"
        f" patternType={acl.pattern_type.name}, principal={acl.principal}, host={acl.host},"
        f" operation={acl.operation.name}, permissionType={acl.permission.name})"
    )
