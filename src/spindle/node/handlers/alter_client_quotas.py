"""AlterClientQuotas (49), versions 0-1, both listeners.

Behaviour: quotas of users, client ids and addresses are set and removed (KIP-546), each entity's as
a whole; an entity that the request names twice is refused, and so is a request for very many. An
address is an address: names are not resolved. On the broker listener the request is forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import quota_changes
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.core.controller.quota_changes import AlteredQuotas, QuotaAlteration, QuotaOp
from spindle.model.client_quotas import QuotaEntity, quota_entity
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages import alter_client_quotas_response as told
from spindle.wire.messages.alter_client_quotas_request import (
    AlterClientQuotasRequest,
    EntryData,
)
from spindle.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: AlterClientQuotasRequest,
    context: RequestContext[AlterClientQuotasResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: AlterClientQuotasRequest,
    context: RequestContext[AlterClientQuotasResponse],
) -> Later:
    """Change quotas."""

    def decide(state: ControllerState) -> ControllerResult[list[AlteredQuotas]]:
        quota_changes.check_count(sum(1 + len(entry.ops) for entry in request.entries))
        alterations = [
            QuotaAlteration(
                _entity(entry),
                tuple(QuotaOp(op.key, None if op.remove else op.value) for op in entry.ops),
            )
            for entry in request.entries
        ]
        return quota_changes.alter(state, alterations, request.validate_only)

    return controller.serve(context, decide, _respond, partial(refuse, request, context))


def _entity(entry: EntryData) -> QuotaEntity:
    return quota_entity((part.entity_type, part.entity_name) for part in entry.entity)


def refuse(
    request: AlterClientQuotasRequest,
    context: RequestContext[AlterClientQuotasResponse],
    error: Error,
    message: str,
) -> AlterClientQuotasResponse:
    """The same error for each entity."""
    return _respond([AlteredQuotas(_entity(entry), error, message) for entry in request.entries])


def _respond(outcomes: list[AlteredQuotas]) -> AlterClientQuotasResponse:
    return AlterClientQuotasResponse(
        entries=tuple(
            told.EntryData(
                error_code=one.error,
                error_message=one.message,
                entity=tuple(
                    told.EntityData(entity_type=type, entity_name=name) for type, name in one.entity
                ),
            )
            for one in outcomes
        )
    )
