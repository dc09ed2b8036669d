"""RenewDelegationToken (39), versions 1-2, both listeners.

Behaviour: has a token last longer (KIP-48), for its owner and those that may renew it; never beyond
its greatest lifetime. DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_EXPIRED,
DELEGATION_TOKEN_OWNER_MISMATCH. On the broker listener the request is forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import delegation_tokens
from spindle.model.errors import Error
from spindle.node.authorization.token_checks import check_secured
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from spindle.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: RenewDelegationTokenRequest,
    context: RequestContext[RenewDelegationTokenResponse],
) -> Later:
    """Hand on to the controller what may be asked."""
    check_secured(context)
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: RenewDelegationTokenRequest,
    context: RequestContext[RenewDelegationTokenResponse],
) -> Later:
    """Have a token last longer."""
    check_secured(context)
    principal, proof, now = str(context.principal), bytes(request.hmac), controller.out.wall_ms
    period = request.renew_period_ms
    return controller.serve(
        context,
        lambda state: delegation_tokens.renew(state, principal, proof, period, now),
        lambda ends: RenewDelegationTokenResponse(expiry_timestamp_ms=ends),
        partial(refuse, request, context),
    )


def refuse(
    request: RenewDelegationTokenRequest,
    context: RequestContext[RenewDelegationTokenResponse],
    error: Error,
    message: str,
) -> RenewDelegationTokenResponse:
    """The error and no time, as Apache Kafka's brokers and controllers say that."""
    ends = -1 if error is Error.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED else 0
    return RenewDelegationTokenResponse(error_code=error, expiry_timestamp_ms=ends)
