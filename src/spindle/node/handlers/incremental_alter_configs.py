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
from spindle.node.handlers._configs import asked, hand_on, told
from spindle.node.handlers._repeats import RepeatedResources
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
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
    hand_on(broker, context, iter(request.resources), partial(refuse, request, context))
    return LATER


def on_controller(
    controller: Controller,
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
) -> Later:
    """Change settings."""
    wanted = [asked(resource) for resource in request.resources]
    named = context.survey.named if isinstance(context.survey, RepeatedResources) else None
    return controller.serve(
        context,
        lambda state: configs.alter_incrementally(
            state, wanted, request.validate_only, direct=not context.forwarded, named=named
        ),
        lambda outcomes: _respond(request, [(o.error, o.message) for _, o in outcomes]),
        partial(refuse, request, context),
    )


def refuse(
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
    error: Error,
    message: str,
) -> IncrementalAlterConfigsResponse:
    """The same error for each resource."""
    return _respond(request, [(error, message)] * len(request.resources))


def _respond(
    request: IncrementalAlterConfigsRequest, outcomes: Iterable[tuple[Error, str | None]]
) -> IncrementalAlterConfigsResponse:
    return IncrementalAlterConfigsResponse(
        responses=told(AlterConfigsResourceResponse, request.resources, outcomes)
    )
