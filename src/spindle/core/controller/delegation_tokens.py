"""Delegation tokens are made, renewed and ended (KIP-48), with Apache Kafka's codes.

Called by the handlers of these APIs, and by the controller's timer for those that have run out.
Principals are texts such as `User:alice`, times ms since 1970.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar
from uuid import UUID

from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import DELEGATION_TOKENS
from spindle.model.ids import id_to_text
from spindle.model.kafka_principal import USER
from spindle.model.token_key import TokenKey

T = TypeVar("T")

TIME_MOST: Final = 2**63 - 1
RENEWERS_MOST, RENEWERS_BYTES = 1_000, 64 << 10
"""So many may renew one token, with names of so many bytes: each node keeps each token in memory,
and all other requests wait while the controller looks at them (S-08)."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made, and its proof."""

    token: r.DelegationToken
    proof: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenAsked:
    """What a client asks for. `lifetime`: ms, 0 or less: as long as may be."""

    owner: str
    requester: str
    renewers: Sequence[str]
    lifetime: int


def check_count(renewers: int) -> None:
    """Refusal POLICY_VIOLATION where too many may renew a token."""
    if renewers > RENEWERS_MOST:
        raise Refusal(
            Error.POLICY_VIOLATION,
            f"{renewers} principals that may renew a token are too many: {RENEWERS_MOST} may",
        )


def create(
    state: ControllerState,
    asked: TokenAsked,
    new_id: Callable[[], UUID],
    now: int,
) -> ControllerResult[NewToken]:
    """Make a token."""
    key = _enabled(state)
    _check_users((asked.owner, *asked.renewers))
    if sum(len(name.encode()) for name in asked.renewers) > RENEWERS_BYTES:
        raise Refusal(
            Error.POLICY_VIOLATION,
            f"the names of those that may renew a token have {RENEWERS_BYTES} bytes at most",
        )
    lifetime = state.token_rules.max_lifetime
    if asked.lifetime > 0:
        lifetime = min(lifetime, asked.lifetime)
    ends = _later(now, lifetime)
    token = r.DelegationToken(
        owner=asked.owner,
        requester=asked.requester,
        renewers=tuple(asked.renewers),
        issue_timestamp=now,
        max_timestamp=ends,
        expiration_timestamp=min(ends, _later(now, state.token_rules.renewal)),
        token_id=id_to_text(new_id()),
    )
    return _written(state, token, NewToken(token, key.proof(token.token_id)))


def renew(
    state: ControllerState, principal: str, proof: bytes, period: int, now: int
) -> ControllerResult[int]:
    """Have a token last longer; until when. `period`: ms, 0 or less: as long as may be."""
    token = _found(state, proof)
    _check_current(token, now)
    _check_renewer(token, principal)
    lasts = min(state.token_rules.renewal, period) if period > 0 else state.token_rules.renewal
    return _until(state, token, _later(now, lasts))


def expire(
    state: ControllerState, principal: str, proof: bytes, period: int, now: int
) -> ControllerResult[int]:
    """Have a token end so many ms from now, below 0 at once; when it ends."""
    token = _found(state, proof)
    _check_renewer(token, principal)
    if period < 0:
        draft = Draft(state)
        draft.add(r.RemoveDelegationToken(token_id=token.token_id))
        return draft.decision(now)
    _check_current(token, now)
    return _until(state, token, _later(now, period))


def sweep(state: ControllerState, now: int) -> ControllerResult[list[r.DelegationToken]]:
    """Remove the tokens that have run out; which these are."""
    draft = Draft(state)
    gone = [token for token in state.image.access.tokens.values() if _has_ended(token, now)]
    for token in gone:
        draft.add(r.RemoveDelegationToken(token_id=token.token_id))
    return draft.decision(gone, atomic=False)


def _check_users(principals: Iterable[str]) -> None:
    for principal in principals:
        if not principal.startswith(f"{USER}:"):
            raise Refusal(
                Error.INVALID_PRINCIPAL_TYPE,
                f"{principal} is no principal of type {USER}, as delegation tokens need",
            )


def _enabled(state: ControllerState) -> TokenKey:
    key = state.token_rules.key
    if key is None:
        raise Refusal(
            Error.DELEGATION_TOKEN_AUTH_DISABLED,
            "delegation.token.secret.key is not set: there are no delegation tokens",
        )
    if state.metadata_version < DELEGATION_TOKENS:
        raise Refusal(
            Error.UNSUPPORTED_VERSION,
            "The current metadata.version does not support delegation tokens",
        )
    return key


def _found(state: ControllerState, proof: bytes) -> r.DelegationToken:
    token = _enabled(state).find(state.image.access.tokens, proof)
    if token is None:
        raise Refusal(Error.DELEGATION_TOKEN_NOT_FOUND, "no delegation token has this HMAC")
    return token


def _has_ended(token: r.DelegationToken, now: int) -> bool:
    return token.max_timestamp < now or token.expiration_timestamp < now


def _check_current(token: r.DelegationToken, now: int) -> None:
    if _has_ended(token, now):
        raise Refusal(Error.DELEGATION_TOKEN_EXPIRED, "the delegation token has run out")


def _check_renewer(token: r.DelegationToken, principal: str) -> None:
    if principal != token.owner and principal not in token.renewers:
        raise Refusal(
            Error.DELEGATION_TOKEN_OWNER_MISMATCH,
            f"{principal} neither owns the delegation token nor may renew it",
        )


def _until(state: ControllerState, token: r.DelegationToken, time: int) -> ControllerResult[int]:
    ends = min(token.max_timestamp, time)
    return _written(state, replace(token, expiration_timestamp=ends), ends)


def _written(state: ControllerState, token: r.DelegationToken, answer: T) -> ControllerResult[T]:
    draft = Draft(state)
    draft.add(token)
    return draft.decision(answer)


def _later(now: int, duration: int) -> int:
    return min(TIME_MOST, now + duration)
