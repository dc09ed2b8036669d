"""DeleteAcls (31), versions 1-3, both listeners.

Behaviour: all ACLs that some filter means are removed in one batch; each filter is answered with
those that it means, or with INVALID_REQUEST where it has what no ACL can have or means more than
10,000. SECURITY_DISABLED without an authorizer. On the broker listener the request is forwarded.

Version notes: 1 has types of patterns (KIP-290), 2 is flexible, 3 has resources of type USER.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import acls
from spindle.model.errors import Error
from spindle.node.handlers._acl_filters import check_authorizer, filter_of
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.delete_acls_request import DeleteAclsRequest
from spindle.wire.messages.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker, request: DeleteAclsRequest, context: RequestContext[DeleteAclsResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: DeleteAclsRequest,
    context: RequestContext[DeleteAclsResponse],
) -> Later:
    """Remove ACLs."""
    check_authorizer(controller.config.settings)
    wanted = [filter_of(each) for each in request.filters]
    return controller.serve(
        context,
        lambda state: acls.delete_acls(state, wanted),
        _respond,
        partial(refuse, request, context),
    )


def _respond(outcomes: Iterable[acls.AclOutcome]) -> DeleteAclsResponse:
    return DeleteAclsResponse(
        filter_results=tuple(
            DeleteAclsFilterResult(
                error_code=each.error,
                error_message=each.message,
                matching_acls=tuple(
                    DeleteAclsMatchingAcl(
                        resource_type=acl.resource_type,
                        resource_name=acl.resource_name,
                        pattern_type=acl.pattern_type,
                        principal=acl.principal,
                        host=acl.host,
                        operation=acl.operation,
                        permission_type=acl.permission,
                    )
                    for acl in each.removed
                ),
            )
            for each in outcomes
        )
    )


def refuse(
    request: DeleteAclsRequest,
    context: RequestContext[DeleteAclsResponse],
    error: Error,
    message: str,
) -> DeleteAclsResponse:
    """The same error for each filter."""
    return _respond([acls.AclOutcome(error, message)] * len(request.filters))
