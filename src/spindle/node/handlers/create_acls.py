"""CreateAcls (30), versions 1-3, both listeners.

Behaviour: each ACL is made or gets an error of its own: INVALID_REQUEST for what no ACL can be. One
that is there already is made once. SECURITY_DISABLED without an authorizer; more than 10,000 new
ones in one request are POLICY_VIOLATION. On the broker listener the request is forwarded.

Version notes: 1 has types of patterns (KIP-290), 2 is flexible, 3 has resources of type USER.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import acls
from spindle.model.errors import Error
from spindle.node.handlers._acl_filters import binding, check_authorizer
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.create_acls_request import CreateAclsRequest
from spindle.wire.messages.create_acls_response import AclCreationResult, CreateAclsResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker, request: CreateAclsRequest, context: RequestContext[CreateAclsResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: CreateAclsRequest,
    context: RequestContext[CreateAclsResponse],
) -> Later:
    """Add ACLs."""
    check_authorizer(controller.config.settings)
    wanted = [binding(each) for each in request.creations]
    new_id = controller.out.new_id
    return controller.serve(
        context,
        lambda state: acls.create_acls(state, wanted, new_id),
        _respond,
        partial(refuse, request, context),
    )


def _respond(outcomes: Iterable[acls.AclOutcome]) -> CreateAclsResponse:
    return CreateAclsResponse(
        results=tuple(
            AclCreationResult(error_code=each.error, error_message=each.message or "")
            for each in outcomes
        )
    )


def refuse(
    request: CreateAclsRequest,
    context: RequestContext[CreateAclsResponse],
    error: Error,
    message: str,
) -> CreateAclsResponse:
    """The same error for each ACL."""
    return _respond([acls.AclOutcome(error, message)] * len(request.creations))
