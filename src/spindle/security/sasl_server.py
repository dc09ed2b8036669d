"""A server's side of a SASL conversation: pure machines, one for each mechanism.

A machine is given each of the client's messages and says what to answer, until it knows the user.
Frames, time and chance are others' affair. No message tells whether a user exists, and the work for
a user that does not is the same. Nothing here derives a key from a password: a login by SCRAM costs
the server four hashes. Called by `node.sasl_authenticator`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Final, NamedTuple, Protocol

from spindle.model.errors import Error, Refusal
from spindle.model.metadata_records import UserScramCredential
from spindle.model.scram import ITERATIONS_LEAST, ScramMechanism
from spindle.security.secret import Secret

_SASL_NAME: Final = r"(?:[^=,\x00]|=2C|=3D)+"
_VALUE: Final = r"[^,\x00]+"
_CLIENT_FIRST: Final = re.compile(
    rf"(?P<gs2>n,(?:a=(?P<authzid>{_SASL_NAME}))?,)"
    rf"(?P<bare>(?:m={_VALUE},)?n=(?P<name>{_SASL_NAME}),r=(?P<nonce>[\x21-\x2B\x2D-\x7E]+)"
    rf"(?P<extensions>(?:,[A-Za-z]+={_VALUE})*))"
)
_CLIENT_FINAL: Final = re.compile(
    r"(?P<bare>c=(?P<channel>[A-Za-z0-9/+=]+),r=(?P<nonce>[\x21-\x2B\x2D-\x7E]+)"
    rf"(?:,[A-Za-z]+={_VALUE})*),p=(?P<proof>[A-Za-z0-9/+=]+)"
)
_TOKEN: Final = re.compile(r"(?:^|,)tokenauth=true(?:,|$)", re.I)
_OTHER_USER: Final = (
    "Authentication failed: Client requested an authorization id that is different from username"
)
_NO_SECRET: Final = Secret("")
_SALT_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_SALT_LENGTH: Final = 25


class InvalidCredentials(Exception):
    """The client has not proved what it claims. Its text is for the log and for no client."""


class SaslServer(Protocol):
    """The server's side of one conversation; it serves once."""

    user: str | None
    """The client's name, once it has proved it."""
    ends: float | None
    """When what it has proved it with ends (s since 1970); None: never."""
    by_token: bool
    """It has proved it with a delegation token."""

    def evaluate(self, message: bytes) -> bytes:
        """What to answer to a client's message.

        Refusal SASL_AUTHENTICATION_FAILED with words for the client; InvalidCredentials where it
        gets none.
        """


class PlainServer:
    """RFC 4616: name and password in the clear, against the passwords of the JAAS line."""

    def __init__(self, passwords: Mapping[str, Secret]) -> None:
        self.user: str | None = None
        self.ends: float | None = None
        self.by_token = False
        self._passwords = passwords

    def evaluate(self, message: bytes) -> bytes:
        """The only message; the answer to it is empty."""
        parts = message.decode(errors="replace").split("\0", 3)
        if len(parts) != 3:
            raise _refused(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(parts)}")
        authorized, name, password = parts
        if not name:
            raise _refused("Authentication failed: username not specified")
        if not password:
            raise _refused("Authentication failed: password not specified")
        expected = self._passwords.get(name, _NO_SECRET).reveal().encode()
        if not compare_digest(password.encode(), expected):
            raise _refused("Authentication failed: Invalid username or password")
        if authorized not in ("", name):
            raise _refused(_OTHER_USER)
        self.user = name
        return b""


class TokenLogin(NamedTuple):
    """What a client proves that logs in with a delegation token (KIP-48)."""

    credential: UserScramCredential
    owner: str
    """The user whose name it has then."""
    ends: float
    """When the token ends (s since 1970)."""


class ScramServer:
    """RFC 5802 and 7677: the client proves that it knows the password, then the server does.

    A client that says so (`tokenauth=true`) logs in with a delegation token: the name that it gives
    is the token's id, and its own becomes that of the token's owner.
    """

    def __init__(
        self,
        mechanism: ScramMechanism,
        credential_of: Callable[[str], UserScramCredential | None],
        nonce: str,
        decoy: bytes,
        token_of: Callable[[str], TokenLogin | None] = lambda _: None,
    ) -> None:
        """`nonce`: by chance. `decoy`: a secret of this node, from which it makes up what it asks
        of users that do not exist, each time the same."""
        self.user: str | None = None
        self.ends: float | None = None
        self.by_token = False
        self._mechanism = mechanism
        self._credential_of = credential_of
        self._token_of = token_of
        self._token: TokenLogin | None = None
        self._nonce = nonce
        self._decoy = decoy
        self._begun: tuple[str, UserScramCredential, bool, str] | None = None
        """The GS2 header, the credential, whether it is one, and what was said so far."""

    def evaluate(self, message: bytes) -> bytes:
        """Answer client-first-message by a challenge, client-final-message by the proof."""
        try:
            text = message.decode()
        except UnicodeDecodeError:
            raise InvalidCredentials("a SCRAM message is not UTF-8") from None
        return (self._challenge(text) if self._begun is None else self._prove(text)).encode()

    def _challenge(self, text: str) -> str:
        found = _CLIENT_FIRST.fullmatch(text)
        if found is None:
            raise InvalidCredentials("the client's first SCRAM message has another form")
        name = found["name"].replace("=2C", ",").replace("=3D", "=")
        if found["authzid"] not in (None, found["name"]):
            raise _refused(_OTHER_USER)
        if _TOKEN.search(found["extensions"]):
            self._token = self._token_of(name)
            credential = None if self._token is None else self._token.credential
        else:
            credential = self._credential_of(name)
        known = credential is not None and credential.iterations >= ITERATIONS_LEAST
        if credential is None or not known:
            credential = self._made_up(name)
        self._nonce = found["nonce"] + self._nonce
        salt = base64.b64encode(credential.salt).decode()
        challenge = f"r={self._nonce},s={salt},i={credential.iterations}"
        self._begun = found["gs2"], credential, known, f"{found['bare']},{challenge}"
        return challenge

    def _prove(self, text: str) -> str:
        assert self._begun is not None
        gs2, credential, known, said = self._begun
        found = _CLIENT_FINAL.fullmatch(text)
        if found is None:
            raise InvalidCredentials("the client's final SCRAM message has another form")
        try:
            channel = base64.b64decode(found["channel"], validate=True)
            proof = base64.b64decode(found["proof"], validate=True)
        except binascii.Error:
            raise InvalidCredentials("the client's final SCRAM message is not base64") from None
        if channel != gs2.encode() or not compare_digest(found["nonce"], self._nonce):
            raise InvalidCredentials("the client's final SCRAM message answers another challenge")
        everything = f"{said},{found['bare']}".encode()
        signature = self._mechanism.hmac(credential.stored_key, everything)
        if len(proof) != len(signature):
            raise InvalidCredentials("the client's proof has another length")
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        proved = compare_digest(self._mechanism.hash(client_key), credential.stored_key)
        if not known or not proved:
            raise InvalidCredentials("the client does not know the password")
        if self._token is None:
            self.user = credential.name
        else:
            self.user, self.ends, self.by_token = self._token.owner, self._token.ends, True
        signed = self._mechanism.hmac(credential.server_key, everything)
        return f"v={base64.b64encode(signed).decode()}"

    def _made_up(self, name: str) -> UserScramCredential:
        """What a user would have that does not exist: a salt as Apache Kafka's tools make it."""
        drawn = self._mechanism.hmac(self._decoy, name.encode())
        number, salt = int.from_bytes(drawn), ""
        for _ in range(_SALT_LENGTH):
            number, letter = divmod(number, len(_SALT_LETTERS))
            salt += _SALT_LETTERS[letter]
        return UserScramCredential(
            name=name,
            mechanism=self._mechanism,
            salt=salt.encode(),
            stored_key=drawn,
            server_key=drawn,
            iterations=ITERATIONS_LEAST,
        )


def _refused(why: str) -> Refusal:
    return Refusal(Error.SASL_AUTHENTICATION_FAILED, why)
