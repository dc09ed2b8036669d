"""DescribeDelegationToken (41), versions 1-3.

Behaviour: the tokens of owners, or all of them, that the sender owns, asked for or may renew, that
it may DESCRIBE, or whose owner's tokens it may see (DESCRIBE_TOKENS on the user, KIP-373); with
their HMACs, as this broker knows them. DELEGATION_TOKEN_AUTH_DISABLED where it has no key.

Version notes: 2 is flexible, 3 tells the requester.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.metadata_records import DelegationToken
from spindle.model.token_key import TokenKey, delegation_token_rules
from spindle.node.authorization.permits import Permits
from spindle.node.authorization.token_checks import check_secured
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause
from spindle.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from spindle.wire.messages.describe_delegation_token_response import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeDelegationTokenRequest,
    context: RequestContext[DescribeDelegationTokenResponse],
) -> Later:
    """Tell of tokens."""
    check_secured(context)
    key = delegation_token_rules(broker.settings).key
    if key is None:
        raise Refusal(
            Error.DELEGATION_TOKEN_AUTH_DISABLED,
            "delegation.token.secret.key is not set: there are no delegation tokens",
        )
    return broker.slices.answer(
        request,
        context,
        _told(request, str(context.principal), context.permits, broker.image.access.tokens, key),
        lambda found: DescribeDelegationTokenResponse(tokens=found),
    )


def _told(
    request: DescribeDelegationTokenRequest,
    sender: str,
    permits: Permits,
    tokens: dict[str, DelegationToken],
    key: TokenKey,
) -> Iterator[DescribedDelegationToken | Pause]:
    owners: set[str] = set()
    for owner in request.owners or ():
        owners.add(str(KafkaPrincipal(owner.principal_type, owner.principal_name)))
        yield ONE
    for token in list(tokens.values()):
        concerned = {token.owner, token.requester, *token.renewers}
        if request.owners is not None and concerned.isdisjoint(owners):
            yield ONE
        elif sender in concerned or _may_see(permits, token):
            yield _described(token, key)
        else:
            yield ONE


def _may_see(permits: Permits, token: DelegationToken) -> bool:
    return permits.may(
        AclOperation.DESCRIBE, AclResourceType.DELEGATION_TOKEN, token.token_id
    ) or permits.may(AclOperation.DESCRIBE_TOKENS, AclResourceType.USER, token.owner)


def _described(token: DelegationToken, key: TokenKey) -> DescribedDelegationToken:
    owner, requester = KafkaPrincipal.parse(token.owner), KafkaPrincipal.parse(token.requester)
    renewers = map(KafkaPrincipal.parse, token.renewers)
    return DescribedDelegationToken(
        principal_type=owner.kind,
        principal_name=owner.name,
        token_requester_principal_type=requester.kind,
        token_requester_principal_name=requester.name,
        issue_timestamp=token.issue_timestamp,
        expiry_timestamp=token.expiration_timestamp,
        max_timestamp=token.max_timestamp,
        token_id=token.token_id,
        hmac=key.proof(token.token_id),
        renewers=tuple(
            DescribedDelegationTokenRenewer(principal_type=one.kind, principal_name=one.name)
            for one in renewers
        ),
    )


def refuse(
    request: DescribeDelegationTokenRequest,
    context: RequestContext[DescribeDelegationTokenResponse],
    error: Error,
    message: str,
) -> DescribeDelegationTokenResponse:
    """Nothing but the error."""
    return DescribeDelegationTokenResponse(error_code=error)
