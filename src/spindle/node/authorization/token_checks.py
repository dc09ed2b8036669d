"""Checks of the APIs of delegation tokens (KIP-48, KIP-373).

Their handlers call `check_secured`, too: a node without an authorizer checks that much.
"""

from __future__ import annotations

from typing import TypeVar

from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.security_protocol import SecurityProtocol
from spindle.node.request_context import R, RequestContext
from spindle.wire.codec import Whole
from spindle.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest

W = TypeVar("W", bound=Whole)


def check_secured(context: RequestContext[R]) -> None:
    """Refusal DELEGATION_TOKEN_REQUEST_NOT_ALLOWED where the sender has not proved its name, or has
    by a delegation token alone. What a broker hands on was checked there."""
    sender, protocol = context.principal, context.security_protocol
    is_open = protocol is SecurityProtocol.PLAINTEXT or (
        protocol is SecurityProtocol.SSL and sender.is_anonymous
    )
    if sender.by_token or (is_open and not context.forwarded):
        raise Refusal(
            Error.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
            "delegation tokens are for connections by SASL, or by TLS with a client's certificate,"
            " that were not themselves authenticated by a token",
        )


def owner_of(request: CreateDelegationTokenRequest, context: RequestContext[R]) -> KafkaPrincipal:
    """For whom a token is asked: the sender, where the request names no owner."""
    if not request.owner_principal_name:
        return context.principal
    return KafkaPrincipal(request.owner_principal_type or "", request.owner_principal_name)


def create(
    target: object, request: CreateDelegationTokenRequest, context: RequestContext[R]
) -> CreateDelegationTokenRequest:
    """CREATE_TOKENS on the user where that is not the sender."""
    check_secured(context)
    owner = owner_of(request, context)
    if owner != context.principal and not context.permits.may(
        AclOperation.CREATE_TOKENS, AclResourceType.USER, str(owner)
    ):
        raise Refusal(
            Error.DELEGATION_TOKEN_AUTHORIZATION_FAILED, "Delegation Token authorization failed."
        )
    return request


def secured(target: object, request: W, context: RequestContext[R]) -> W:
    """That the sender has proved its name; the handler looks at its name."""
    check_secured(context)
    return request
