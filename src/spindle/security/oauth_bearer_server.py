"""A server's side of OAUTHBEARER (RFC 7628, KIP-255): one message that carries a token.

A token that is not believed is answered with JSON, and the client's next message, one byte, ends
the login. Pure. Called by `node.sasl_authenticator`, as the machines of `sasl_server`.
"""

from __future__ import annotations

import re
from typing import Final

from spindle.model.errors import Error, Refusal
from spindle.security.json_web_tokens import InvalidToken, SigningKeys, TokenRules, believed
from spindle.security.sasl_server import InvalidCredentials

_FIRST: Final = re.compile(
    rb"n,(?:a=(?P<authzid>(?:[\x02-\x2B\x2D-\x3C\x3E-\x7F]|=2C|=3D)+))?,\x01"
    rb"(?P<pairs>(?:[A-Za-z]+=[\x21-\x7E \t\r\n]+\x01)*)\x01"
)
_AUTH: Final = re.compile(rb"(?P<scheme>\w+) +(?P<token>[-_.a-zA-Z0-9]+)")
_END: Final = b"\x01"
_INVALID: Final = '{"status":"invalid_token"}'


class OAuthBearerServer:
    """One login."""

    def __init__(self, keys: SigningKeys, rules: TokenRules, now: float) -> None:
        """`now`: s since 1970."""
        self.user: str | None = None
        self.ends: float | None = None
        self.by_token = False
        self._keys = keys
        self._rules = rules
        self._now = now
        self._is_refused = False

    def evaluate(self, message: bytes) -> bytes:
        """The answer to the token is empty, or says what is wrong with it."""
        if self._is_refused and message == _END:
            raise Refusal(Error.SASL_AUTHENTICATION_FAILED, _INVALID)
        token, authorized = _parsed(message)
        try:
            bearer = believed(token, self._keys, self._rules, self._now)
        except InvalidToken:
            self._is_refused = True
            return _INVALID.encode()
        if authorized not in ("", bearer.user):
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED,
                f"Authentication failed: Client requested an authorization id ({authorized}) that"
                f" is different from the token's principal name ({bearer.user})",
            )
        self.user, self.ends = bearer.user, bearer.ends
        return b""


def _parsed(message: bytes) -> tuple[str, str]:
    """The token, and the name that the client wants to act as."""
    found = _FIRST.fullmatch(message)
    if found is None:
        raise InvalidCredentials("the client's OAUTHBEARER message has another form")
    pairs = dict(pair.split(b"=", 1) for pair in found["pairs"].split(b"\x01") if pair)
    auth = _AUTH.fullmatch(pairs.get(b"auth", b""))
    if auth is None or auth["scheme"].lower() != b"bearer":
        raise InvalidCredentials("the client's OAUTHBEARER message has no bearer token")
    name = (found["authzid"] or b"").replace(b"=2C", b",").replace(b"=3D", b"=")
    return auth["token"].decode(), name.decode()
