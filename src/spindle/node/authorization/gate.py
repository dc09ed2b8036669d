"""Where requests are checked before their handlers see them: things that are refused are taken out,
and what is answered has them again.

A check is a function of the request: it returns what the handler is to serve, or the answer, or
raises a Refusal of the whole. Called by the router; `check_table` has the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from spindle.core.authorizer import AUTHORIZER, Authorizer
from spindle.model.acl import AclOperation
from spindle.model.acl_table import AclTable
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings
from spindle.node.authorization.permits import AuditLog, RuledPermits
from spindle.node.metadata import Metadata
from spindle.node.request_context import Q, R, RequestContext
from spindle.wire.apis import Key
from spindle.wire.codec import Response, Whole

T = TypeVar("T")
H = TypeVar("H", contravariant=True)
"""What the requests are for: a broker or a controller."""


class Check(ABC, Generic[H]):
    """What one API checks."""

    @abstractmethod
    def admit(self, target: H, request: Whole, context: RequestContext[Response]) -> Whole | None:
        """What the handler is to serve; None where all of it is answered. Refusals of the whole."""


class Checked(Check[H], Generic[H, Q, R]):
    """A check of requests of one class."""

    def __init__(self, request: type[Q], check: Callable[[H, Q, RequestContext[R]], Q | R]) -> None:
        self.request = request
        self._check = check

    def admit(self, target: H, request: Whole, context: RequestContext[Response]) -> Whole | None:
        """What the handler is to serve; None where all of it is answered. Refusals of the whole."""
        assert isinstance(request, self.request)
        found = self._check(target, request, context)
        if isinstance(found, self.request):
            return found
        assert isinstance(found, Response)
        context.answer(found)
        return None


class ClusterCheck(Check[object]):
    """An operation on the cluster, without which the request as a whole is refused."""

    def __init__(self, *operations: AclOperation) -> None:
        """`operations`: one of these."""
        self._operations = operations

    def admit(
        self, target: object, request: Whole, context: RequestContext[Response]
    ) -> Whole | None:
        """What the handler is to serve; None where all of it is answered. Refusals of the whole."""
        permits = context.permits
        if not any(permits.may_cluster(each, log=False) for each in self._operations[:-1]):
            permits.check_cluster(self._operations[-1])
        return request


class NoCheck(Check[object]):
    """Anyone may ask: `why`."""

    def __init__(self, why: str) -> None:
        self.why = why

    def admit(
        self, target: object, request: Whole, context: RequestContext[Response]
    ) -> Whole | None:
        """What the handler is to serve; None where all of it is answered. Refusals of the whole."""
        return request


class Gate(Generic[H]):
    """The checks of one kind of listener, by an authorizer."""

    def __init__(
        self,
        checks: Mapping[int, Check[H]],
        authorizer: Authorizer,
        is_ready: Callable[[], bool],
        audit: AuditLog,
    ) -> None:
        """`is_ready`: whether all ACLs are known."""
        self._checks = checks
        self._authorizer = authorizer
        self._is_ready = is_ready
        self._audit = audit

    def admit(self, target: H, request: Whole, context: RequestContext[Response]) -> Whole | None:
        """What the handler is to serve; None where all is answered. Refusals of the whole."""
        context.admission.permits = RuledPermits(
            self._authorizer,
            self._is_ready,
            self._audit,
            str(context.principal),
            context.host,
            Key(context.key).name.title().replace("_", ""),
        )
        return self._checks[context.key].admit(target, request, context)


class Gates:
    """The gates of one node."""

    def __init__(self, settings: Settings, metadata: Metadata, out: Outbox) -> None:
        self._metadata = metadata
        self._audit = AuditLog(out)
        self._authorizer = authorizer_of(settings, lambda: metadata.image.acls)

    def of(self, checks: Mapping[int, Check[T]]) -> Gate[T] | None:
        """The gate of a kind of listener; None where the node has no authorizer."""
        if self._authorizer is None:
            return None
        return Gate(checks, self._authorizer, lambda: self._metadata.told >= 0, self._audit)


def authorizer_of(settings: Settings, table: Callable[[], AclTable]) -> Authorizer | None:
    """The authorizer that a node's settings ask for; None: everything is allowed."""
    if settings.text("authorizer.class.name") != AUTHORIZER:
        return None
    named = (settings.text("super.users") or "").split(";")
    return Authorizer(
        table,
        frozenset(name.strip() for name in named if name.strip()),
        settings.flag("allow.everyone.if.no.acl.found"),
    )
