"""The login of one connection by SASL (KIP-43, KIP-152), and its renewal (KIP-368).

Pure: is shown each frame before the router, answers those that are part of a login itself, and lets
others through once the client has proved its name. Before that ApiVersions alone gets through; any
other request ends the connection. A refusal is held back for a while, as
`connection.failed.authentication.delay.ms` says, and nothing waits for that. The words to clients
are Apache Kafka's.

Version notes: after SaslHandshake 0 messages come without headers; SaslAuthenticate 1 tells how
long the session lasts.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.kafka_principal import USER, KafkaPrincipal
from spindle.model.outbox import Outbox
from spindle.node.connection import Connection
from spindle.node.sasl_listener import SaslListener
from spindle.security.sasl_server import InvalidCredentials, SaslServer
from spindle.wire import codec
from spindle.wire.apis import TABLE, Key
from spindle.wire.framing import RequestHeader, decode_header, response_frame
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from spindle.wire.messages.sasl_handshake_response import SaslHandshakeResponse

RENEWAL_PAUSE: Final = 1.0
"""s between the beginnings of two renewals, at least."""


class LoginState(Enum):
    """Where a connection is in its login."""

    HANDSHAKE = auto()
    """SaslHandshake is awaited; ApiVersions may come before it."""
    MESSAGES = auto()
    """The client's next message is awaited."""
    DONE = auto()
    REFUSED = auto()
    """Nothing is read any more."""


class SaslAuthenticator:
    """One connection's login."""

    def __init__(self, connection: Connection, listener: SaslListener, out: Outbox) -> None:
        self.state = LoginState.HANDSHAKE
        self._connection = connection
        self._listener = listener
        self._out = out
        self._mechanism = ""
        self._server: SaslServer | None = None
        """None while the mechanism is not chosen, or another one than before."""
        self._headers = True
        """Messages come in SaslAuthenticate requests."""
        self._before: tuple[str, KafkaPrincipal] | None = None
        """The mechanism and the name that the connection logged in with."""
        self._ends_at: float | None = None
        """When the session is over (s, monotonic); None: never."""
        self._renewed_at: float | None = None

    def lets_through(self, frame: Buffer) -> bool:
        """Whether a frame is a request to be served; else it has been dealt with."""
        if self.state is LoginState.DONE:
            return self._ends_at is None or not self._is_over(frame)
        if self.state is LoginState.REFUSED:
            return False
        try:
            if len(frame) > self._listener.rules.receive_most:
                self._refuse("Failing SASL authentication due to invalid receive size")
            elif self.state is LoginState.MESSAGES:
                self._on_message(frame)
            else:
                return self._on_first(frame)
        except Corrupt as corrupt:
            self._refuse(str(corrupt))
        return False

    # --- sessions ---------------------------------------------------------------------------

    def _is_over(self, frame: Buffer) -> bool:
        """Whether a frame comes too late, or begins the next session."""
        assert self._ends_at is not None
        now = self._out.now
        if int.from_bytes(frame[:2], "big") == Key.SASL_HANDSHAKE and (
            self._renewed_at is None or now - self._renewed_at >= RENEWAL_PAUSE
        ):
            self._renewed_at = now
            self._before = self._mechanism, self._connection.principal
            self.state = LoginState.HANDSHAKE
            self.lets_through(frame)
            return True
        if now <= self._ends_at:
            return False
        self._listener.expired += 1
        self._hang_up()
        return True

    # --- the handshake ----------------------------------------------------------------------

    def _on_first(self, frame: Buffer) -> bool:
        header, offset = decode_header(frame)
        if header.api_key == Key.API_VERSIONS and self._before is None:
            return True
        if header.api_key != Key.SASL_HANDSHAKE or not TABLE[Key.SASL_HANDSHAKE].reads(
            header.version
        ):
            self._refuse(f"Unexpected Kafka request of type {_name(header)} during SASL handshake.")
            return False
        request = codec.decode(SaslHandshakeRequest, header.version, frame, offset)[0]
        offered = self._listener.rules.mechanisms
        if request.mechanism not in offered:
            why = f"Unsupported SASL mechanism {_shown(request.mechanism)}"
            refusal = SaslHandshakeResponse(
                error_code=Error.UNSUPPORTED_SASL_MECHANISM, mechanisms=offered
            )
            self._refuse(why, response_frame(header, refusal))
            return False
        self._begin(request.mechanism)
        self._headers = header.version >= 1
        self._answer(response_frame(header, SaslHandshakeResponse(mechanisms=offered)))
        return False

    def _begin(self, mechanism: str) -> None:
        self._mechanism = mechanism
        other = self._before is not None and self._before[0] != mechanism
        self._server = None if other else self._listener.server(mechanism)
        self.state = LoginState.MESSAGES

    # --- the client's messages --------------------------------------------------------------

    def _on_message(self, frame: Buffer) -> None:
        if not self._headers:
            self._on_bare_message(bytes(frame))
            return
        header, offset = decode_header(frame)
        reads = TABLE[Key.SASL_AUTHENTICATE].reads(header.version)
        if header.api_key != Key.SASL_AUTHENTICATE or not reads:
            why = f"Unexpected Kafka request of type {_name(header)} during SASL authentication."
            answer = None
            if header.api_key == Key.SASL_HANDSHAKE and TABLE[Key.SASL_HANDSHAKE].reads(
                header.version
            ):
                illegal = SaslHandshakeResponse(error_code=Error.ILLEGAL_SASL_STATE)
                answer = response_frame(header, illegal)
            self._refuse(why, answer)
            return
        request = codec.decode(SaslAuthenticateRequest, header.version, frame, offset)[0]
        try:
            answer_bytes, lifetime = self._evaluate(request.auth_bytes)
        except Refusal as refusal:
            refused = SaslAuthenticateResponse(
                error_code=Error.SASL_AUTHENTICATION_FAILED, error_message=refusal.message
            )
            self._refuse(refusal.message, response_frame(header, refused))
            return
        told = SaslAuthenticateResponse(
            error_message="", auth_bytes=answer_bytes, session_lifetime_ms=lifetime
        )
        self._answer(response_frame(header, told))

    def _on_bare_message(self, message: bytes) -> None:
        try:
            answer, _ = self._evaluate(message)
        except Refusal as refusal:
            self._refuse(refusal.message)
            return
        self._answer([len(answer).to_bytes(4, "big") + answer])

    def _evaluate(self, message: bytes) -> tuple[bytes, int]:
        """The answer, and how long (ms) the session lasts where the login is over."""
        before = self._before
        if self._server is None:
            assert before is not None
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED,
                f"SASL mechanism '{self._mechanism}' requested by client is not supported for "
                f"re-authentication of mechanism '{before[0]}'",
            )
        try:
            answer = self._server.evaluate(message)
        except InvalidCredentials:
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED,
                f"Authentication failed during {'re-' if before else ''}authentication due to "
                f"invalid credentials with SASL mechanism {self._mechanism}",
            ) from None
        if self._server.user is None:
            return answer, 0
        principal = KafkaPrincipal(USER, self._server.user, self._server.by_token)
        if before is not None and before[1] != principal:
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED,
                "Cannot change principals during re-authentication from "
                f"{before[1].kind}.{before[1].name}: {principal.kind}.{principal.name}",
            )
        return answer, self._on_proved(principal, self._server.ends)

    def _on_proved(self, principal: KafkaPrincipal, ends: float | None) -> int:
        self.state = LoginState.DONE
        self._server = None
        if self._before is None:
            self._listener.succeeded += 1
            self._out.trust(self._connection.id)
        else:
            self._listener.renewed += 1
        self._connection.principal = principal
        lifetime = max(0, self._listener.rules.sessions.get(self._mechanism, 0))
        if ends is not None:
            left = max(0, int(ends * 1000) - self._out.wall_ms)
            lifetime = min(left, lifetime) if lifetime else left
        is_bounded = lifetime > 0 or ends is not None
        self._ends_at = self._out.now + lifetime / 1000 if is_bounded else None
        return lifetime

    # --- answers ----------------------------------------------------------------------------

    def _answer(self, buffers: list[Buffer]) -> None:
        self._connection.expect()(buffers)

    def _refuse(self, why: str, answer: list[Buffer] | None = None) -> None:
        """End the connection, after the answer and after a while."""
        self.state = LoginState.REFUSED
        self._server = None
        self._listener.on_failed(self._connection.host, self._mechanism, why)

        def end() -> None:
            if answer is not None:
                self._answer(answer)
            self._hang_up()

        delay = self._listener.rules.refusal_delay
        if delay > 0:
            self._out.after(delay, end)
        else:
            end()

    def _hang_up(self) -> None:
        self.state = LoginState.REFUSED
        self._out.close_connection(self._connection.id)


def _name(header: RequestHeader) -> str:
    return Key(header.api_key).name if header.api_key in tuple(Key) else str(header.api_key)


def _shown(word: str) -> str:
    """What a client calls a mechanism, as far as a log should have it."""
    return repr(word[:40])
