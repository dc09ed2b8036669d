"""Checks of the APIs about the settings of topics, groups, brokers and the cluster."""

from __future__ import annotations

from typing import Final

from spindle.model.acl import CLUSTER_NAME
from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error
from spindle.node.authorization.permits import Permits
from spindle.node.authorization.sifting import Sifted, left
from spindle.node.request_context import RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages import alter_configs_request as whole
from spindle.wire.messages import incremental_alter_configs_request as incremental
from spindle.wire.messages.alter_configs_response import AlterConfigsResourceResponse as WholeAnswer
from spindle.wire.messages.alter_configs_response import AlterConfigsResponse
from spindle.wire.messages.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from spindle.wire.messages.describe_configs_response import (
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from spindle.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse as IncrementalAnswer,
)
from spindle.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

_TOPIC, _BROKER, _LOGGER, _CLIENT_METRICS, _GROUP = 2, 4, 8, 16, 32
"""Kafka's ConfigResource types."""
_RESOURCES: Final = {
    _TOPIC: _T.TOPIC, _GROUP: _T.GROUP, _BROKER: _T.CLUSTER, _LOGGER: _T.CLUSTER,
    _CLIENT_METRICS: _T.CLUSTER,
}  # fmt: skip
_ERRORS: Final = {
    _T.TOPIC: (Error.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed."),
    _T.GROUP: (Error.GROUP_AUTHORIZATION_FAILED, "Group authorization failed."),
    _T.CLUSTER: (Error.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."),
}


def _may(permits: Permits, operation: _O, kind: int, name: str) -> bool:
    """Whether settings may be described or altered; a kind without ACLs is left to the handler."""
    resource = _RESOURCES.get(kind)
    if resource is None:
        return True
    if kind == _LOGGER and operation is _O.ALTER_CONFIGS:
        operation = _O.CLUSTER_ACTION
    return permits.may(operation, resource, CLUSTER_NAME if resource is _T.CLUSTER else name)


def describe_configs(
    target: object,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
) -> DescribeConfigsRequest | DescribeConfigsResponse:
    """DESCRIBE_CONFIGS on topics, groups or the cluster."""
    permits = context.permits
    sifted = Sifted(
        request.resources,
        lambda r: _may(permits, _O.DESCRIBE_CONFIGS, r.resource_type, r.resource_name),
    )

    def refused(resource: DescribeConfigsResource) -> DescribeConfigsResult:
        error, message = _ERRORS[_RESOURCES[resource.resource_type]]
        return DescribeConfigsResult(
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )

    return left(
        request,
        changed(request, resources=sifted.kept),
        context,
        sifted,
        DescribeConfigsResponse,
        lambda told: changed(told, results=sifted.woven(told.results, refused, context.version)),
    )


def alter_configs(
    target: object,
    request: whole.AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
) -> whole.AlterConfigsRequest | AlterConfigsResponse:
    """ALTER_CONFIGS on topics, groups or the cluster; the handler refuses loggers."""
    permits = context.permits
    sifted = Sifted(
        request.resources,
        lambda r: (
            r.resource_type == _LOGGER
            or _may(permits, _O.ALTER_CONFIGS, r.resource_type, r.resource_name)
        ),
    )

    def refused(resource: whole.AlterConfigsResource) -> WholeAnswer:
        error, message = _ERRORS[_RESOURCES[resource.resource_type]]
        return WholeAnswer(
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )

    return left(
        request,
        changed(request, resources=sifted.kept),
        context,
        sifted,
        AlterConfigsResponse,
        lambda told: changed(
            told, responses=sifted.woven(told.responses, refused, context.version)
        ),
    )


def incremental_alter_configs(
    target: object,
    request: incremental.IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
) -> incremental.IncrementalAlterConfigsRequest | IncrementalAlterConfigsResponse:
    """ALTER_CONFIGS on topics, groups or the cluster; CLUSTER_ACTION for levels of loggers."""
    permits = context.permits
    sifted = Sifted(
        request.resources,
        lambda r: _may(permits, _O.ALTER_CONFIGS, r.resource_type, r.resource_name),
    )

    def refused(resource: incremental.AlterConfigsResource) -> IncrementalAnswer:
        error, message = _ERRORS[_RESOURCES[resource.resource_type]]
        return IncrementalAnswer(
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )

    return left(
        request,
        changed(request, resources=sifted.kept),
        context,
        sifted,
        IncrementalAlterConfigsResponse,
        lambda told: changed(
            told, responses=sifted.woven(told.responses, refused, context.version)
        ),
    )
