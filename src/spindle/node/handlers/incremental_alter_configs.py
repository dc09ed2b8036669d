"""IncrementalAlterConfigs (44), versions 0-1, both listeners.

Behaviour: single settings of topics and brokers are set, deleted, appended to or subtracted from;
each resource as a whole or not at all (KIP-339). Settings of brokers are recorded; the brokers
apply them when they see the record. On the broker listener the request is forwarded.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import configs
from spindle.model.errors import Error
from spindle.model.image import BROKER_RESOURCE
from spindle.node.handlers._configs import RepeatedResources, hand_on, some
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from spindle.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
) -> Later:
    """Hand on to the controller what this broker can live with."""
    asked = (_asked([r] if r.resource_type == BROKER_RESOURCE else []) for r in request.resources)
    return hand_on(broker, context, asked, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
) -> Later:
    """Change settings."""
    asked = _asked(request.resources)
    named = context.survey.named if isinstance(context.survey, RepeatedResources) else None
    return controller.serve(
        context,
        lambda state: configs.alter_incrementally(
            state, asked, request.validate_only, direct=not context.forwarded, named=named
        ),
        lambda outcomes: _respond(request, [(o.error, o.message) for _, o in outcomes]),
        partial(refuse, request, context),
    )


def _asked(
    resources: Iterable[AlterConfigsResource],
) -> list[tuple[configs.ConfigResource, list[configs.Alteration]]]:
    return [
        (
            configs.ConfigResource(resource.resource_type, resource.resource_name),
            [
                configs.Alteration(c.name, c.config_operation, c.value)
                for c in some(resource.configs)
            ],
        )
        for resource in resources
    ]


def _respond(
    request: IncrementalAlterConfigsRequest, outcomes: Iterable[tuple[Error, str | None]]
) -> IncrementalAlterConfigsResponse:
    """The outcomes stand in the order of the request's resources."""
    return IncrementalAlterConfigsResponse(
        responses=tuple(
            AlterConfigsResourceResponse(
                error_code=error,
                error_message=message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource, (error, message) in zip(request.resources, outcomes, strict=True)
        )
    )


def refuse(
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
    error: Error,
    message: str,
) -> IncrementalAlterConfigsResponse:
    """The same error for each resource."""
    return _respond(request, [(error, message)] * len(request.resources))
