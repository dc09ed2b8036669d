"""Authentication at a broker of a test's own: how often, with what, and how it fails."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.client import connector
from spindle.client.admin import AdminClient
from spindle.client.failures import AuthenticationFailed, Unreachable
from spindle.model.errors import Error, PeerFailed
from spindle.model.security_protocol import SecurityProtocol
from spindle.security.client_properties import ClientSecurity
from spindle.security.mechanisms import Login, OAuthLogin, PasswordLogin
from spindle.security.secret import Secret
from spindle.security.tokens import Token, TokenFile
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")
PLAIN = PasswordLogin("PLAIN", "joe", Secret("hush"))


class SaslBroker(FakeBroker):
    """Takes every password; sessions last as long as the test says."""

    def __init__(self, lifetime_ms: int = 0) -> None:
        super().__init__(1)
        self.lifetime = timedelta(milliseconds=lifetime_ms)
        self.versions |= {Key.SASL_HANDSHAKE: (0, 1), Key.SASL_AUTHENTICATE: (0, 1)}
        self.on(
            Key.SASL_HANDSHAKE,
            lambda request, types: make(types.SaslHandshakeResponse, error_code=Error.NONE),
        )
        self.on(Key.SASL_AUTHENTICATE, self.authenticate)

    def authenticate(self, request: Any, types: Any) -> Any:
        """Say yes."""
        return make(types.SaslAuthenticateResponse, session_lifetime=self.lifetime)

    @property
    def messages(self) -> list[bytes]:
        """What it was sent in conversations."""
        return [body.auth_bytes for key, body in self.asked if key == Key.SASL_AUTHENTICATE]


def client(broker: FakeBroker, login: Login = PLAIN) -> AdminClient:
    security = ClientSecurity(SecurityProtocol.SASL_PLAINTEXT, login=login)
    return AdminClient(broker.bootstrap, timeout=5, security=security)


@pytest.mark.spec("S-01")
def test_a_connection_authenticates_once_and_again_before_its_session_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(lifetime_ms: int, calls: int, wanted: int) -> None:
        async with SaslBroker(lifetime_ms) as broker, client(broker) as admin:
            for _ in range(calls):
                await admin.describe_cluster()
            assert broker.messages == [b"\0joe\0hush"] * wanted
            assert broker.count(Key.API_VERSIONS) == 1, "all on one connection"

    asyncio.run(scenario(0, 5, 1))
    asyncio.run(scenario(3_600_000, 5, 1))
    monkeypatch.setattr(connector, "RENEWED_AT", 0.0)
    asyncio.run(scenario(3_600_000, 3, 4))


@pytest.mark.spec("S-02")
@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (Error.SASL_AUTHENTICATION_FAILED, AuthenticationFailed, r"refuses the user \(PLAIN\)"),
        (Error.ILLEGAL_SASL_STATE, Unreachable, "answered SaslAuthenticate with error 34"),
    ],
)
def test_a_refused_login_is_reported(error: Error, kind: type[Exception], says: str) -> None:
    async def scenario() -> None:
        async with SaslBroker() as broker:
            broker.on(
                Key.SASL_AUTHENTICATE,
                lambda request, types: make(types.SaslAuthenticateResponse, error_code=error),
            )
            with pytest.raises(Unreachable, match=says) as refused:
                async with client(broker):
                    pass
            if kind is AuthenticationFailed:
                assert isinstance(refused.value, kind)
                assert len(broker.messages) == 1
            assert "hush" not in str(refused.value)

    asyncio.run(scenario())


@pytest.mark.spec("S-02")
def test_a_listener_that_does_not_know_sasl_is_reported_at_once() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            with pytest.raises(AuthenticationFailed, match="asks for no SASL"):
                async with client(broker):
                    pass

    asyncio.run(scenario())


class CountedTokens:
    """Tokens that live so long, or a provider that is down."""

    def __init__(self, ends: float, down: bool = False) -> None:
        self.ends = ends
        self.down = down
        self.count = 0

    def fetch(self) -> Token:
        """The next one."""
        if self.down:
            raise PeerFailed("https://idp: Connection refused")
        self.count += 1
        return Token(Secret(f"token-{self.count}"), self.ends)


@pytest.mark.spec("S-01")
@pytest.mark.parametrize(("ends", "wanted"), [(4e9, 1), (0.0, 2)])
def test_a_token_serves_for_most_of_its_life(
    ends: float, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = CountedTokens(ends)
    monkeypatch.setattr(TokenFile, "fetch", tokens.fetch)

    async def scenario() -> None:
        async with SaslBroker() as broker, client(broker, OAuthLogin(TokenFile("/t"), {})) as admin:
            broker.close_connection()
            await admin.describe_cluster()
            sent = [message.split(b"\x01")[1] for message in broker.messages]
            last = f"auth=Bearer token-{wanted}".encode()
            assert sent == [b"auth=Bearer token-1", last]

    asyncio.run(scenario())
    assert tokens.count == wanted


@pytest.mark.spec("S-02")
def test_a_provider_of_tokens_that_is_down_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenFile, "fetch", CountedTokens(0, down=True).fetch)

    async def scenario() -> None:
        async with SaslBroker() as broker:
            with pytest.raises(Unreachable, match="https://idp: Connection refused"):
                async with client(broker, OAuthLogin(TokenFile("/t"), {})):
                    pass
            assert broker.count(Key.SASL_HANDSHAKE) > 1

    asyncio.run(scenario())
