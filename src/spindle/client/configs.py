"""Settings of topics and brokers: the requests behind the AdminClient's methods.

Called by `admin` alone. What belongs to one broker is asked of that broker, since only it knows
its own file; all else is asked of any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.client.per_item import PerItem
from spindle.client.results import Config, ConfigChange, ConfigSource, Resource, ResourceType
from spindle.client.topics import not_answered, refused
from spindle.model.ids import NodeId
from spindle.wire.codec import Request, Response
from spindle.wire.messages.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from spindle.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResult,
)
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from spindle.wire.messages.incremental_alter_configs_response import AlterConfigsResourceResponse

R = TypeVar("R", bound=Response)
V = TypeVar("V")
Group = tuple[NodeId | None, tuple[Resource, ...]]


def grouped(resources: Sequence[Resource]) -> list[Group]:
    """Resources by whom to ask: a broker's id, or None for any."""
    groups: dict[NodeId | None, list[Resource]] = {}
    for resource in resources:
        groups.setdefault(_owner(resource), []).append(resource)
    return [(owner, tuple(found)) for owner, found in groups.items()]


async def describe(
    cluster: Cluster,
    items: PerItem[Resource, dict[str, Config]],
    group: Group,
    names: Sequence[str] | None,
    deadline: Deadline,
) -> None:
    """Settle the settings of one group's resources."""
    owner, resources = group

    request = DescribeConfigsRequest(
        resources=tuple(
            DescribeConfigsResource(
                resource_type=int(r.type),
                resource_name=r.name,
                configuration_keys=None if names is None else tuple(names),
            )
            for r in resources
        ),
        include_synonyms=False,
    )
    if owner is None and not cluster.controllers:
        answer = await cluster.ask_any(request, deadline)
    else:
        answer = await _ask(cluster, owner, request, deadline)
    for result in answer.results:
        resource = Resource(ResourceType(result.resource_type), result.resource_name)
        if result.error_code:
            items.fail(resource, _refused(result, "DescribeConfigs", resource))
        else:
            items.answer(resource, {c.name: _config(c) for c in result.configs})
    _rest(items, resources, "DescribeConfigs")


async def alter(
    cluster: Cluster,
    items: PerItem[Resource, None],
    group: Group,
    changes: Mapping[Resource, Sequence[ConfigChange]],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle the changes of one group's resources."""
    owner, resources = group

    request = IncrementalAlterConfigsRequest(
        resources=tuple(
            AlterConfigsResource(
                resource_type=int(r.type),
                resource_name=r.name,
                configs=tuple(
                    AlterableConfig(name=c.name, config_operation=int(c.change), value=c.value)
                    for c in changes[r]
                ),
            )
            for r in resources
        ),
        validate_only=validate_only,
    )
    answer = await _ask(cluster, owner, request, deadline)
    for result in answer.responses:
        resource = Resource(ResourceType(result.resource_type), result.resource_name)
        if result.error_code:
            items.fail(resource, _refused(result, "IncrementalAlterConfigs", resource))
        else:
            items.answer(resource, None)
    _rest(items, resources, "IncrementalAlterConfigs")


async def _ask(
    cluster: Cluster, owner: NodeId | None, request: Request[R], deadline: Deadline
) -> R:
    if owner is not None and not cluster.controllers:
        # It hands changes on to the controller.
        return await cluster.outlast(
            lambda limit: cluster.ask_node(owner, request, limit), deadline, (Refused,)
        )
    return await cluster.ask_controller(request, deadline)


def _owner(resource: Resource) -> NodeId | None:
    if resource.type in (ResourceType.BROKER, ResourceType.BROKER_LOGGER):
        return int(resource.name) if resource.name else None
    return None


def _config(entry: DescribeConfigsResourceResult) -> Config:
    try:
        source = ConfigSource(entry.config_source)
    except ValueError:
        source = ConfigSource.UNKNOWN
    return Config(
        name=entry.name,
        value=entry.value,
        source=source,
        read_only=entry.read_only,
        sensitive=entry.is_sensitive,
    )


def _refused(
    result: DescribeConfigsResult | AlterConfigsResourceResponse, api: str, resource: Resource
) -> Refused:
    return refused(result.error_code, api, resource, result.error_message or "")


def _rest(items: PerItem[Resource, V], resources: Sequence[Resource], api: str) -> None:
    for resource in resources:
        items.fail(resource, not_answered(api, resource))
