"""Delegation tokens (KIP-48): how long they last, and what proves that a client has one.

A token's proof is an HMAC of its id under a key that all brokers and controllers have, and a client
that has it logs in by SCRAM with it. No record and no log has it. Pure arithmetic; used by the
controller, which makes tokens, and by brokers.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from spindle.model.metadata_records import DelegationToken
from spindle.model.settings.typed_settings import Settings


class TokenKey:
    """The key that signs the tokens of a cluster, and which token a proof is of."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._ids: dict[bytes, str] = {}
        """Of all tokens that were there when one was sought, by their proofs."""
        self._known: frozenset[str] = frozenset()

    def proof(self, token_id: str) -> bytes:
        """The HMAC of a token."""
        return hmac.digest(self._secret, token_id.encode(), "sha512")

    def find(self, tokens: Mapping[str, DelegationToken], proof: bytes) -> DelegationToken | None:
        """The token that a proof is of; None: there is no such token."""
        if tokens.keys() != self._known:
            known = {token_id: proof for proof, token_id in self._ids.items()}
            self._ids = {known.get(each) or self.proof(each): each for each in tokens}
            self._known = frozenset(tokens)
        token_id = self._ids.get(proof)
        return None if token_id is None else tokens[token_id]


def password_of(proof: bytes) -> str:
    """What a client that has a token logs in with, in the place of a password."""
    return base64.b64encode(proof).decode()


@dataclass(frozen=True, slots=True)
class DelegationTokenRules:
    """What a node's settings say of tokens. Times in ms."""

    key: TokenKey | None = field(repr=False)
    """None: there are no tokens."""
    max_lifetime: int
    """No token lasts longer, however often it is renewed."""
    renewal: int
    """For so long a token is valid unless it is renewed."""


def delegation_token_rules(settings: Settings) -> DelegationTokenRules:
    """What `delegation.token.*` says."""
    secret = settings.text("delegation.token.secret.key")
    return DelegationTokenRules(
        key=TokenKey(secret) if secret else None,
        max_lifetime=settings.whole("delegation.token.max.lifetime.ms"),
        renewal=settings.whole("delegation.token.expiry.time.ms"),
    )
