"""What a listener of OAUTHBEARER believes: signed tokens, and the keys that sign them (KIP-768).

The rules are those of Apache Kafka's BrokerJwtValidator. Pure: the keys and the time are given, and
`runtime/signing_keys` reads the former. Only keys of which the public half is published count; a
token that is unsigned, or signed with a shared secret, proves nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import jwt
from jwt.types import Options

from spindle.model.errors import Unusable

_FAMILIES: Final = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""The kind of key that an algorithm needs, by how the algorithm's name begins."""
_SIGNED_ALONE: Final[Options] = {
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_sub": False,
    "verify_jti": False,
    "require": ["exp", "iat"],
}
"""The library checks signature, audience and issuer; times are checked here, by the given time."""


class InvalidToken(Exception):
    """A token is not believed. Its text is for the log."""


class UnknownKey(InvalidToken):
    """No key that is known has signed the token: it may be newer than the keys."""


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token must say."""

    keys_url: str
    """Where the keys are: https:// or file:."""
    audiences: tuple[str, ...] = ()
    """The token names one of these; () where it names none."""
    issuer: str | None = None
    scope_claim: str = "scope"
    subject_claim: str = "sub"
    skew: int = 30
    """s by which the provider's clock may differ."""


class Bearer(NamedTuple):
    """What a token that is believed says."""

    user: str
    ends: float
    """s since 1970."""


class SigningKeys:
    """The keys that a provider has published, as a listener knows them now."""

    def __init__(self, keys: tuple[jwt.PyJWK, ...] = ()) -> None:
        self._keys = keys
        self.missed = 0
        """Tokens that named a key which is not among them."""

    def replace(self, other: SigningKeys) -> None:
        """The provider has published others."""
        self._keys = other._keys

    def find(self, header: Mapping[str, object]) -> jwt.PyJWK:
        """The key that has signed a token, by the token's header."""
        family = _FAMILIES.get(str(header.get("alg"))[:2])
        if family is None:
            raise InvalidToken(f"the token's algorithm is {header.get('alg')!r}")
        named = header.get("kid")
        for key in self._keys:
            fits = key.key_type == family and key.public_key_use in (None, "sig")
            if fits and named in (None, key.key_id):
                return key
        self.missed += 1
        raise UnknownKey(f"no key of the provider's is {named!r} and fits {header.get('alg')}")


def parse_keys(text: str | bytes, source: str) -> SigningKeys:
    """A JSON Web Key Set; Unusable names its source where it is none."""
    try:
        return SigningKeys(tuple(jwt.PyJWKSet.from_json(_text(text)).keys))
    except (jwt.PyJWTError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(
            f"{source} has no JSON Web Key Set: {error}; give the address of the keys that the"
            " OAuth provider publishes (its jwks_uri)"
        ) from None


def _text(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode()


def believed(token: str, keys: SigningKeys, rules: TokenRules, now: float) -> Bearer:
    """What a token says; InvalidToken where it is not believed. `now`: s since 1970."""
    try:
        header = jwt.get_unverified_header(token)
        key = keys.find(header)
        claims = jwt.decode(
            token,
            key,
            algorithms=[str(header["alg"])],
            audience=list(rules.audiences) or None,
            issuer=rules.issuer,
            options=_SIGNED_ALONE,
        )
    except jwt.PyJWTError as error:
        raise InvalidToken(str(error)) from None
    ends = _time(claims, "exp")
    if now - rules.skew >= ends:
        raise InvalidToken("the token has expired")
    begins = _time(claims, "nbf") if "nbf" in claims else 0.0
    if now + rules.skew < begins:
        raise InvalidToken("the token is not valid yet")
    if ends < max(begins, _time(claims, "iat")):
        raise InvalidToken("the token ends before it begins")
    _check_scope(claims.get(rules.scope_claim), rules.scope_claim)
    user = claims.get(rules.subject_claim)
    if not isinstance(user, str) or not user.strip():
        raise InvalidToken(f"the token's claim {rules.subject_claim} names no one")
    return Bearer(user.strip(), ends)


def _time(claims: Mapping[str, object], name: str) -> float:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise InvalidToken(f"the token's claim {name} is no time")
    return float(value)


def _check_scope(scope: object, claim: str) -> None:
    """Apache Kafka takes a text, a list of texts, or none; blanks and repetitions are errors."""
    words = scope if isinstance(scope, list) else [] if scope is None else [scope]
    shown = [word.strip() for word in words if isinstance(word, str)]
    if len(shown) != len(words) or "" in shown or len(set(shown)) != len(shown):
        raise InvalidToken(f"the token's claim {claim} is no list of different scopes")
