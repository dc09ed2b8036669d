"""AlterConfigs (33), versions 0-2, both listeners.

Behaviour: replaces all settings of each resource: what the request does not name goes back to its
default. Kept for old clients; IncrementalAlterConfigs is the better way. On the broker listener the
request is forwarded, but for settings of another broker, which are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import configs
from spindle.model.errors import Error
from spindle.node.handlers._configs import AlterApi, asked, hand_on, told
from spindle.node.handlers._own_part import answer_own_part
from spindle.node.handlers._repeats import RepeatedResources
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.alter_configs_request import AlterConfigsRequest
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
    """Hand on to the controller what this broker can live with; refuse what is another's."""
    api = AlterApi(AlterConfigsResponse, AlterConfigsResourceResponse, refuse)
    if not answer_own_part(broker, request, context, api):
        hand_on(broker, request, context, api, iter(request.resources))
    return LATER


def on_controller(
    controller: Controller,
    request: AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
) -> Later:
    """Replace settings."""
    wanted = [asked(resource) for resource in request.resources]
    named = context.survey.named if isinstance(context.survey, RepeatedResources) else None
    return controller.serve(
        context,
        lambda state: configs.alter_wholly(
            state, wanted, request.validate_only, direct=not context.forwarded, named=named
        ),
        lambda outcomes: _respond(request, [(o.error, o.message) for _, o in outcomes]),
        partial(refuse, request, context),
    )


def refuse(
    request: AlterConfigsRequest,
    context: RequestContext[AlterConfigsResponse],
    error: Error,
    message: str,
) -> AlterConfigsResponse:
    """The same error for each resource."""
    return _respond(request, [(error, message)] * len(request.resources))


def _respond(
    request: AlterConfigsRequest, outcomes: Iterable[tuple[Error, str | None]]
) -> AlterConfigsResponse:
    return AlterConfigsResponse(
        responses=told(AlterConfigsResourceResponse, request.resources, outcomes)
    )
