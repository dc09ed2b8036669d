"""ACLs and filters of ACLs as the requests about them carry them.

A code that Kafka has not is read as UNKNOWN: no ACL is made with it and none removed by it, and a
filter that describes finds none.
"""

from __future__ import annotations

from typing import Final

from spindle.core.authorizer import AUTHORIZER
from spindle.model.acl import (
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
    of_code,
)
from spindle.model.errors import Error, Refusal
from spindle.model.settings.typed_settings import Settings
from spindle.wire.messages.create_acls_request import AclCreation
from spindle.wire.messages.delete_acls_request import DeleteAclsFilter
from spindle.wire.messages.describe_acls_request import DescribeAclsRequest

_NAME: Final = "authorizer.class.name"


def check_authorizer(settings: Settings) -> None:
    """Refusal SECURITY_DISABLED where a node has no authorizer."""
    if settings.text(_NAME) != AUTHORIZER:
        raise Refusal(Error.SECURITY_DISABLED, "No Authorizer is configured.")


def binding(asked: AclCreation) -> AclBinding:
    """The ACL that a request wants to be made."""
    return AclBinding(
        of_code(AclResourceType, asked.resource_type),
        asked.resource_name,
        of_code(PatternType, asked.resource_pattern_type),
        asked.principal,
        asked.host,
        of_code(AclOperation, asked.operation),
        of_code(AclPermissionType, asked.permission_type),
    )


def check_known(asked: DescribeAclsRequest) -> None:
    """Refusal INVALID_REQUEST where a filter that describes has UNKNOWN itself in it."""
    if not asked.resource_type_filter or not asked.pattern_type_filter:
        raise Refusal(Error.INVALID_REQUEST, "Unknown patternFilter.")
    if not asked.operation or not asked.permission_type:
        raise Refusal(Error.INVALID_REQUEST, "Unknown entryFilter.")


def filter_of(asked: DescribeAclsRequest | DeleteAclsFilter) -> AclFilter:
    """The filter in a request."""
    return AclFilter(
        resource_type=of_code(AclResourceType, asked.resource_type_filter),
        resource_name=asked.resource_name_filter,
        pattern_type=of_code(PatternType, asked.pattern_type_filter),
        principal=asked.principal_filter,
        host=asked.host_filter,
        operation=of_code(AclOperation, asked.operation),
        permission=of_code(AclPermissionType, asked.permission_type),
    )
