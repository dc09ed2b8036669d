"""CreateDelegationToken (38), versions 1-3, both listeners.

Behaviour: makes a token by which clients log in as its owner (KIP-48); the answer alone has what
proves it. DELEGATION_TOKEN_REQUEST_NOT_ALLOWED without authentication, or with a token's;
DELEGATION_TOKEN_AUTHORIZATION_FAILED for another owner without CREATE_TOKENS on that user
(KIP-373). On the broker listener the request is forwarded.

Version notes: 2 is flexible, 3 has an owner and tells the requester. An owner that is no user is
refused: it would log in as the user of that name.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import delegation_tokens
from spindle.core.controller.delegation_tokens import NewToken, TokenAsked
from spindle.model.errors import Error
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.node.authorization.token_checks import check_secured, owner_of
from spindle.node.request_context import Later, RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from spindle.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: CreateDelegationTokenRequest,
    context: RequestContext[CreateDelegationTokenResponse],
) -> Later:
    """Hand on to the controller."""
    check_secured(context)
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: CreateDelegationTokenRequest,
    context: RequestContext[CreateDelegationTokenResponse],
) -> Later:
    """Make a token."""
    check_secured(context)
    delegation_tokens.check_count(len(request.renewers))
    renewers = [KafkaPrincipal(one.principal_type, one.principal_name) for one in request.renewers]
    asked = TokenAsked(
        owner=str(owner_of(request, context)),
        requester=str(context.principal),
        renewers=[str(renewer) for renewer in renewers],
        lifetime=request.max_lifetime_ms,
    )
    out = controller.out
    return controller.serve(
        context,
        lambda state: delegation_tokens.create(state, asked, out.new_id, out.wall_ms),
        partial(_respond, request, context),
        partial(refuse, request, context),
    )


def _respond(
    request: CreateDelegationTokenRequest,
    context: RequestContext[CreateDelegationTokenResponse],
    made: NewToken,
) -> CreateDelegationTokenResponse:
    token = made.token
    return changed(
        refuse(request, context, Error.NONE, ""),
        issue_timestamp_ms=token.issue_timestamp,
        expiry_timestamp_ms=token.expiration_timestamp,
        max_timestamp_ms=token.max_timestamp,
        token_id=token.token_id,
        hmac=made.proof,
    )


def refuse(
    request: CreateDelegationTokenRequest,
    context: RequestContext[CreateDelegationTokenResponse],
    error: Error,
    message: str,
) -> CreateDelegationTokenResponse:
    """The error, and for whom a token was asked; there is no room for words."""
    owner = owner_of(request, context)
    return CreateDelegationTokenResponse(
        error_code=error,
        principal_type=owner.kind,
        principal_name=owner.name,
        token_requester_principal_type=context.principal.kind,
        token_requester_principal_name=context.principal.name,
        issue_timestamp_ms=-1,
        expiry_timestamp_ms=-1,
        max_timestamp_ms=-1,
    )
