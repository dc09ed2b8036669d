"""One connection at a listener with SASL, in a test's hand: frames in, what the node does out."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Self

from spindle.model.batches import Buffer
from spindle.model.image import ClusterImage
from spindle.model.metadata_records import UserScramCredential
from spindle.model.outbox import Outbox
from spindle.model.scram import ScramMechanism
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.typed_settings import Settings
from spindle.model.token_key import delegation_token_rules
from spindle.node.connection import Connection
from spindle.node.sasl_authenticator import SaslAuthenticator
from spindle.node.sasl_listener import SaslListener
from spindle.node.scram_logins import ScramLogins
from spindle.security.mechanisms import PasswordLogin
from spindle.security.sasl import SaslClient
from spindle.security.secret import Secret
from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from spindle.wire.messages.sasl_handshake_response import SaslHandshakeResponse

KAFKA = "org.apache.kafka.common.security"
SETTINGS = {
    "listener.name.sasl.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
    "listener.name.sasl.plain.sasl.jaas.config": (
        f'{KAFKA}.plain.PlainLoginModule required user_ann="right" user_bob="right too";'
    ),
}
ID = 7


class LoginDesk:
    """A client's connection, and the node's side of its login. `now` is moved by the test."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self.out = Outbox(random.Random(3))
        self.image = ClusterImage()
        self.settings = Settings({**SETTINGS, **(settings or {})})
        key = delegation_token_rules(self.settings).key
        scram = ScramLogins(lambda: self.image, key, self.out.rng)
        self.listener = SaslListener("SASL", self.settings, self.out, scram)
        self._connect()

    def _connect(self) -> None:
        self.connection = Connection(ID, "SASL", "h", self.out, SecurityProtocol.SASL_PLAINTEXT)
        self.login = SaslAuthenticator(self.connection, self.listener, self.out)
        self.answers: list[bytes] = []
        self.said: list[str] = []
        self.hung_up = False
        self.trusted = False

    def again(self) -> Self:
        """The client comes once more, to the same listener."""
        self._connect()
        return self

    @property
    def principal(self) -> str:
        """Whom the node takes the client for."""
        return str(self.connection.principal)

    def add_user(self, name: str, password: str) -> None:
        """A user of SCRAM-SHA-256 in the metadata."""
        mechanism = ScramMechanism.SHA_256
        keys = mechanism.keys(mechanism.salted(password, b"salt of a test", 4096))
        self.image.apply(
            UserScramCredential(
                name=name, mechanism=mechanism, salt=b"salt of a test", stored_key=keys.stored,
                server_key=keys.server, iterations=4096,
            )
        )  # fmt: skip

    def send(self, frame: Buffer) -> bool:
        """A frame comes; whether it goes on to the router."""
        through = self.login.lets_through(frame)
        self._take()
        return through

    def ask(self, request: Request[Response], version: int) -> bool:
        """A request comes; whether it goes on to the router."""
        return self.send(request_frame(request, version, 1, "client")[4:])

    def pass_time(self, seconds: float) -> None:
        """Time goes by, and timers ring."""
        self.out.now += seconds
        self.out.tick()
        self._take()

    def shake_hands(self, mechanism: str, version: int = 1) -> SaslHandshakeResponse:
        """SaslHandshake and its answer."""
        request = SaslHandshakeRequest(mechanism=mechanism)
        assert not self.ask(request, version)
        return response_in(self.answers.pop(), request, version)

    def authenticate(self, message: bytes, version: int = 2) -> SaslAuthenticateResponse:
        """SaslAuthenticate and its answer, which may be late."""
        request = SaslAuthenticateRequest(auth_bytes=message)
        assert not self.ask(request, version)
        if not self.answers:
            self.pass_time(1.0)
        return response_in(self.answers.pop(), request, version)

    def log_in(
        self, mechanism: str, user: str, password: str, version: int = 2
    ) -> SaslAuthenticateResponse:
        """Handshake and messages; the last answer."""
        assert not self.shake_hands(mechanism).error_code
        client = PasswordLogin(mechanism, user, Secret(password)).client("clientnonce")
        return self.converse(client, lambda message: self.authenticate(message, version))

    def log_in_by_token(self, token_id: str, password: str) -> SaslAuthenticateResponse:
        """The same with a delegation token."""
        mechanism = "SCRAM-SHA-256"
        assert not self.shake_hands(mechanism).error_code
        login = PasswordLogin(mechanism, token_id, Secret(password), by_token=True)
        return self.converse(login.client("clientnonce"), self.authenticate)

    def converse(
        self, client: SaslClient, send: Callable[[bytes], SaslAuthenticateResponse]
    ) -> SaslAuthenticateResponse:
        """All messages of a client; the last answer."""
        message: bytes | None = client.first()
        while message is not None:
            answer = send(message)
            if answer.error_code:
                return answer
            message = client.answer(answer.auth_bytes)
        return answer

    def _take(self) -> None:
        while (ready := self.out.take()) is not None:
            self.answers += [b"".join(bytes(b) for b in a.buffers)[4:] for a in ready.answers]
            self.said += [f"{said.event} {said.fields}" for said in ready.log_lines]
            self.hung_up = self.hung_up or ID in ready.closes
            self.trusted = self.trusted or ID in ready.trusted
