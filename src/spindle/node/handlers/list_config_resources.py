"""ListConfigResources (74), versions 0-1 (KIP-1142).

Behaviour: names of resources that have, or may have, settings of their own: topics, brokers,
loggers of brokers, client metrics, groups. Other types are UNSUPPORTED_VERSION.

Version notes: 0 lists client metrics only; from 1 on types may be chosen, none meaning all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
    ClusterImage,
)
from spindle.node.handlers._loggers import LOGGER_RESOURCE
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from spindle.wire.messages.list_config_resources_response import (
    ConfigResource,
    ListConfigResourcesResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

ALL: Final = (
    TOPIC_RESOURCE, BROKER_RESOURCE, LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE,
)  # fmt: skip


def on_broker(
    broker: Broker,
    request: ListConfigResourcesRequest,
    context: RequestContext[ListConfigResourcesResponse],
) -> Later:
    """List resources."""
    asked = request.resource_types if context.version >= 1 else (CLIENT_METRICS_RESOURCE,)
    unknown = [kind for kind in asked if kind not in ALL]
    if unknown:
        raise Refusal(Error.UNSUPPORTED_VERSION, f"no resources of type {unknown[0]}")
    listed = (
        ConfigResource(resource_name=name, resource_type=kind)
        for kind in dict.fromkeys(asked or ALL)
        for name in tuple(_names(broker.image, kind))
    )
    return broker.slices.answer(
        request, context, listed, lambda found: ListConfigResourcesResponse(config_resources=found)
    )


def refuse(
    request: ListConfigResourcesRequest,
    context: RequestContext[ListConfigResourcesResponse],
    error: Error,
    message: str,
) -> ListConfigResourcesResponse:
    """Nothing is listed."""
    return ListConfigResourcesResponse(error_code=error)


def _names(image: ClusterImage, kind: int) -> Iterable[str]:
    if kind == TOPIC_RESOURCE:
        return image.topic_ids
    if kind in (BROKER_RESOURCE, LOGGER_RESOURCE):
        return [str(broker) for broker in sorted(image.brokers)]
    return [name for resource, name in image.configs if resource == kind]
