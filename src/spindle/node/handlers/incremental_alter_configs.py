"""IncrementalAlterConfigs (44), versions 0-1, both listeners.

Behaviour: single settings of topics and brokers are set, deleted, appended to or subtracted from;
each resource as a whole or not at all (KIP-339). Settings of brokers are recorded; the brokers
apply them when they see the record. On the broker listener the request is forwarded, but for the
levels of the node's own loggers (`_loggers`) and settings of another broker, which are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import configs
from spindle.model.errors import Error
from spindle.node.authorization.sifting import Sifted
from spindle.node.handlers._configs import AlterApi, asked, hand_on, told
from spindle.node.handlers._loggers import LOGGER_RESOURCE, TOO_LARGE, alter
from spindle.node.handlers._own_part import answer_own_part
from spindle.node.handlers._repeats import RepeatedResources
from spindle.node.request_context import LATER, Later, RequestContext
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
    """Hand on to the controller what this broker can live with; answer what is its own."""
    api = AlterApi(IncrementalAlterConfigsResponse, AlterConfigsResourceResponse, refuse)
    if not answer_own_part(broker, request, context, api):
        hand_on(broker, request, context, api, iter(request.resources))
    return LATER


def on_controller(
    controller: Controller,
    request: IncrementalAlterConfigsRequest,
    context: RequestContext[IncrementalAlterConfigsResponse],
) -> Later:
    """Change settings, and the levels of loggers."""
    others = Sifted(request.resources, lambda r: r.resource_type != LOGGER_RESOURCE)
    wanted = [asked(resource) for resource in others.kept]
    named = context.survey.named if isinstance(context.survey, RepeatedResources) else None

    def respond(outcomes: Iterable[tuple[Error, str | None]]) -> IncrementalAlterConfigsResponse:
        answers = told(AlterConfigsResourceResponse, others.kept, outcomes)
        return IncrementalAlterConfigsResponse(
            responses=others.woven(answers, altered, context.version)
        )

    def altered(resource: AlterConfigsResource) -> AlterConfigsResourceResponse:
        outcome: tuple[Error, str | None] = (Error.INVALID_REQUEST, TOO_LARGE)
        if not context.forwarded:
            own = controller.config.node_id
            outcome = alter(controller.out, own, resource, request.validate_only)
        return told(AlterConfigsResourceResponse, (resource,), (outcome,))[0]

    if others.is_empty:
        context.answer(respond(()))
        return LATER
    return controller.serve(
        context,
        lambda state: configs.alter_incrementally(
            state, wanted, request.validate_only, direct=not context.forwarded, named=named
        ),
        lambda outcomes: respond([(o.error, o.message) for _, o in outcomes]),
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
