"""A client's side of a SASL conversation: pure machines, one for each mechanism.

A machine gives its first message and then, for each of the server's, what to send next, or None at
the end. Frames, sockets and time limits are others' affair. Refusal
(SASL_AUTHENTICATION_FAILED) where the server does not prove itself, or says no in the mechanism's
own words. Called by `client/connector`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from scramp import ScramClient, ScramException

from spindle.model.errors import Error, Refusal
from spindle.security.secret import Secret

_SEPARATOR = "\x01"
_BY_TOKEN = ",tokenauth=true"


class SaslClient(Protocol):
    """The client's side of one conversation; it serves once."""

    def first(self) -> bytes:
        """The initial response."""

    def answer(self, challenge: bytes) -> bytes | None:
        """What to send after a message of the server's; None once it is over."""


class PlainClient:
    """RFC 4616: name and password in the clear."""

    def __init__(self, username: str, password: Secret) -> None:
        self._username = username
        self._password = password

    def first(self) -> bytes:
        """The only message."""
        return f"\0{self._username}\0{self._password.reveal()}".encode()

    def answer(self, challenge: bytes) -> bytes | None:
        """The server says yes by an empty message; a no comes as an error of the request."""
        return None


class ScramConversation:
    """RFC 5802 and 7677: the password is proved, and the server proves that it knows it.

    `by_token`: the name is a delegation token's id and the password its HMAC, in base64 (KIP-48).
    """

    def __init__(
        self, mechanism: str, username: str, password: Secret, nonce: str, by_token: bool = False
    ) -> None:
        self._client = ScramClient([mechanism], username, password.reveal(), c_nonce=nonce)
        self._by_token = by_token
        self._told = 0

    def first(self) -> bytes:
        """client-first-message."""
        message = str(self._client.get_client_first())
        if self._by_token:
            message += _BY_TOKEN
            # The library knows no extensions; what it proves is said of all that was sent.
            self._client.client_first_bare = f"{self._client.client_first_bare}{_BY_TOKEN}"
        return message.encode()

    def answer(self, challenge: bytes) -> bytes | None:
        """client-final-message after the first challenge; the second one is the server's proof."""
        self._told += 1
        try:
            text = challenge.decode()
            if self._told == 1:
                self._client.set_server_first(text)
                return str(self._client.get_client_final()).encode()
            self._client.set_server_final(text)
        except (ScramException, UnicodeDecodeError) as error:
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED, f"the broker's SCRAM message is wrong: {error}"
            ) from None
        return None


class OAuthBearerClient:
    """RFC 7628: a bearer token, and extensions (KIP-342)."""

    def __init__(self, token: Secret, extensions: Mapping[str, str]) -> None:
        self._token = token
        self._extensions = extensions
        self._why: str | None = None

    def first(self) -> bytes:
        """The token."""
        pairs = [f"auth=Bearer {self._token.reveal()}"]
        pairs += [f"{name}={value}" for name, value in self._extensions.items()]
        return ("n,," + "".join(_SEPARATOR + pair for pair in pairs) + 2 * _SEPARATOR).encode()

    def answer(self, challenge: bytes) -> bytes | None:
        """An empty challenge is a yes. A no has to be acknowledged; the error follows."""
        return _SEPARATOR.encode() if challenge else None
