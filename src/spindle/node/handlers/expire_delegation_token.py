"""ExpireDelegationToken (40), versions 1-2, both listeners.

Behaviour: has a token end at a time, or at once where the period is negative (KIP-48), for its
owner and those that may renew it. Connections that logged in with it last until it would have
ended. On the broker listener the request is forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import delegation_tokens
from spindle.model.errors import Error
from spindle.node.authorization.token_checks import check_secured
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from spindle.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: ExpireDelegationTokenRequest,
    context: RequestContext[ExpireDelegationTokenResponse],
) -> Later:
    """Hand on to the controller what may be asked."""
    check_secured(context)
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: ExpireDelegationTokenRequest,
    context: RequestContext[ExpireDelegationTokenResponse],
) -> Later:
    """Have a token end."""
    check_secured(context)
    principal, proof, now = str(context.principal), bytes(request.hmac), controller.out.wall_ms
    period = request.expiry_time_period_ms
    return controller.serve(
        context,
        lambda state: delegation_tokens.expire(state, principal, proof, period, now),
        lambda ends: ExpireDelegationTokenResponse(expiry_timestamp_ms=ends),
        partial(refuse, request, context),
    )


def refuse(
    request: ExpireDelegationTokenRequest,
    context: RequestContext[ExpireDelegationTokenResponse],
    error: Error,
    message: str,
) -> ExpireDelegationTokenResponse:
    """The error and no time, as Apache Kafka's brokers and controllers say that."""
    ends = -1 if error is Error.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED else 0
    return ExpireDelegationTokenResponse(error_code=error, expiry_timestamp_ms=ends)
