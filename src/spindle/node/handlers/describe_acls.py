"""DescribeAcls (29), versions 1-3, both listeners.

Behaviour: the ACLs that a filter means, by the patterns that they are for, as the committed
metadata of this node has them; none where the filter has a code that Kafka has not, INVALID_REQUEST
where one is UNKNOWN (0). SECURITY_DISABLED without an authorizer.

Version notes: 1 has types of patterns (KIP-290), 2 is flexible, 3 has resources of type USER.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.model.acl import AclBinding, AclFilter, AclResourceType, PatternType
from spindle.model.acl_table import AclTable
from spindle.model.errors import Error
from spindle.node.handlers._acl_filters import check_authorizer, check_known, filter_of
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause, Slices
from spindle.wire.messages.describe_acls_request import DescribeAclsRequest
from spindle.wire.messages.describe_acls_response import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker, request: DescribeAclsRequest, context: RequestContext[DescribeAclsResponse]
) -> Later:
    """Tell the ACLs that this broker knows."""
    check_authorizer(broker.settings)
    return _answer(broker.slices, broker.image.acls, request, context)


def on_controller(
    controller: Controller,
    request: DescribeAclsRequest,
    context: RequestContext[DescribeAclsResponse],
) -> Later:
    """Tell the ACLs that this controller knows."""
    check_authorizer(controller.config.settings)
    return _answer(controller.slices, controller.image.acls, request, context)


def _answer(
    slices: Slices,
    table: AclTable,
    request: DescribeAclsRequest,
    context: RequestContext[DescribeAclsResponse],
) -> Later:
    check_known(request)
    wanted = filter_of(request)
    return slices.answer(
        request,
        context,
        _found(table, wanted),
        lambda found: DescribeAclsResponse(error_message="", resources=found),  # As Apache Kafka.
    )


def _found(table: AclTable, wanted: AclFilter) -> Iterator[DescribeAclsResource | Pause]:
    by_pattern: dict[tuple[AclResourceType, str, PatternType], list[AclBinding]] = {}
    for _, acl in list(table.found(wanted)):
        pattern = (acl.resource_type, acl.resource_name, acl.pattern_type)
        by_pattern.setdefault(pattern, []).append(acl)
        yield ONE
    for (kind, name, pattern_type), acls in by_pattern.items():
        yield DescribeAclsResource(
            resource_type=kind,
            resource_name=name,
            pattern_type=pattern_type,
            acls=tuple(
                AclDescription(
                    principal=acl.principal,
                    host=acl.host,
                    operation=acl.operation,
                    permission_type=acl.permission,
                )
                for acl in acls
            ),
        )


def refuse(
    request: DescribeAclsRequest,
    context: RequestContext[DescribeAclsResponse],
    error: Error,
    message: str,
) -> DescribeAclsResponse:
    """Nothing but the reason."""
    return DescribeAclsResponse(error_code=error, error_message=message)
