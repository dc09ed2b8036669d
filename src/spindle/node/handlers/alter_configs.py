"""AlterConfigs (33), versions 0-2, both listeners.

Behaviour: replaces all settings of each resource: what the request does not name goes back to its
default. Kept for old clients; IncrementalAlterConfigs is the better way. On the broker listener the
request is forwarded.
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
from spindle.wire.messages.alter_configs_request import AlterConfigsRequest, AlterConfigsResource
from spindle.wire.messages.alter_configs_response import (
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
) -> Later:
    """Hand on to the controller what this broker can live with."""
    asked = (_asked([r] if r.resource_type == BROKER_RESOURCE else []) for r in request.resources)
    return hand_on(broker, context, asked, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
) -> Later:
    """Replace settings."""
    asked = [
        (resource, {alteration.name: alteration.value for alteration in alterations})
        for resource, alterations in _asked(request.resources)
    ]
    named = context.survey.named if isinstance(context.survey, RepeatedResources) else None
    return controller.serve(
        context,
        lambda state: configs.alter_wholly(
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
                configs.Alteration(c.name, configs.ConfigOperation.SET, c.value)
                for c in some(resource.configs)
            ],
        )
        for resource in resources
    ]


def _respond(
    request: AlterConfigsRequest, outcomes: Iterable[tuple[Error, str | None]]
) -> AlterConfigsResponse:
    """The outcomes stand in the order of the request's resources."""
    return AlterConfigsResponse(
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
    request: AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
    error: Error,
    message: str,
) -> AlterConfigsResponse:
    """The same error for each resource."""
    return _respond(request, [(error, message)] * len(request.resources))
