"""What the sender of one request may do, as the checks and the handlers ask it.

`EVERYTHING` is allowed where there is no authorizer. Refusals are logged as Apache Kafka's
authorizer does, so many a second at most. Knows no message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from spindle.core.authorizer import AclDecision, Action, Authorizer, host_address
from spindle.model.acl import CLUSTER_NAME, NOT_ASKED, OPERATIONS, AclOperation, bits
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error, Refusal
from spindle.model.outbox import Outbox

LOGGED_MAX: Final = 20
"""Refusals that are logged in a second."""
_ALL: Final = {kind: bits(operations) for kind, operations in OPERATIONS.items()}


class Permits:
    """May do everything."""

    __slots__ = ()

    @property
    def view(self) -> tuple[str, str] | None:
        """What sees the same and may do the same is equal here; None: everything."""
        return None

    def may(
        self, operation: AclOperation, kind: _T, name: str, count: int = 1, log: bool = True
    ) -> bool:
        """Whether something may be done with a resource, which `count` things are about."""
        return True

    def may_some(self, operation: AclOperation, kind: _T) -> bool:
        """Whether something may be done with some resource of a type, whatever its name."""
        return True

    def bits(self, kind: _T, name: str | None) -> int:
        """All that may be done with a resource, as Kafka's answers have it (KIP-430)."""
        return _ALL[kind]

    def topic_bits(self, name: str | None) -> int:
        """What may be done with a topic; an answer does not say it of one without a name."""
        return NOT_ASKED if name is None else self.bits(_T.TOPIC, name)

    def may_cluster(self, operation: AclOperation, log: bool = True) -> bool:
        """Whether something may be done with the cluster."""
        return self.may(operation, _T.CLUSTER, CLUSTER_NAME, log=log)

    def check_cluster(self, operation: AclOperation) -> None:
        """Refusal CLUSTER_AUTHORIZATION_FAILED where that may not be done with the cluster."""
        if not self.may_cluster(operation):
            raise Refusal(Error.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")

    def cluster_bits(self) -> int:
        """What may be done with the cluster; 0 where it may not even be described."""
        if not self.may_cluster(AclOperation.DESCRIBE):
            return 0
        return self.bits(_T.CLUSTER, CLUSTER_NAME)

    def allowed(
        self, operation: AclOperation, kind: _T, names: Iterable[str], log: bool = True
    ) -> set[str]:
        """Those of the names with which something may be done; each is asked for once."""
        counted = Counter(names)
        return {n for n, count in counted.items() if self.may(operation, kind, n, count, log)}


EVERYTHING: Final = Permits()


class AuditLog:
    """Tells of refusals, with what the authorizer of Apache Kafka tells."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._second = 0.0
        self._logged = 0
        self._left_out = 0

    def refused(
        self, principal: str, host: str, api: str, action: Action, count: int, rule: str
    ) -> None:
        """A request was refused something."""
        if self._out.now - self._second >= 1.0:
            self._second, self._logged = self._out.now, 0
        if self._logged >= LOGGED_MAX:
            self._left_out += 1
            return
        self._logged += 1
        left_out: dict[str, object] = {"left_out": self._left_out} if self._left_out else {}
        resource = f"{action.resource_type}:LITERAL:{_shown(action.name)}"
        self._out.say(
            "info",
            f"Principal = {_shown(principal)} is Denied operation = {action.operation.name} from"
            f" host = {host} on resource = {resource} for request = {api} with"
            f" resourceRefCount = {count} based on rule {_shown(rule)}",
            **left_out,
        )
        self._left_out = 0


class RuledPermits(Permits):
    """May do what the authorizer says."""

    __slots__ = ("_api", "_audit", "_authorizer", "_host", "_is_ready", "_principal")

    def __init__(
        self,
        authorizer: Authorizer,
        is_ready: Callable[[], bool],
        audit: AuditLog,
        principal: str,
        host: str,
        api: str,
    ) -> None:
        """`is_ready`: whether all ACLs are known; until then only super users may do anything."""
        self._authorizer = authorizer
        self._is_ready = is_ready
        self._audit = audit
        self._principal = principal
        self._host = host
        self._api = api

    @property
    def view(self) -> tuple[str, str]:
        """The principal and its address."""
        return self._principal, self._host

    def may(
        self, operation: AclOperation, kind: _T, name: str, count: int = 1, log: bool = True
    ) -> bool:
        """Whether the authorizer allows it; a refusal is logged, if `log`."""
        action = Action(operation, kind, name)
        decision = self._decide(action)
        if log and not decision.allowed:
            host = host_address(self._host)
            self._audit.refused(self._principal, host, self._api, action, count, decision.rule)
        return decision.allowed

    def may_some(self, operation: AclOperation, kind: _T) -> bool:
        """Whether the authorizer allows it with some resource of a type."""
        self._check_ready()
        return self._authorizer.allows_some(self._principal, self._host, operation, kind)

    def bits(self, kind: _T, name: str | None) -> int:
        """What the authorizer allows with a resource."""
        return bits(
            operation
            for operation in OPERATIONS[kind]
            if self._decide(Action(operation, kind, name or "")).allowed
        )

    def _decide(self, action: Action) -> AclDecision:
        self._check_ready()
        return self._authorizer.decide(self._principal, self._host, action)

    def _check_ready(self) -> None:
        if not (self._is_ready() or self._authorizer.is_super_user(self._principal)):
            raise Refusal(
                Error.UNKNOWN_SERVER_ERROR, "this node has not read all ACLs yet; try again"
            )


def _shown(text: str) -> str:
    """A client's text in one line of a log, whatever it has in it."""
    return text if text.isprintable() else repr(text)
