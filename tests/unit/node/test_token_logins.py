"""Listeners of OAUTHBEARER: what their settings must say, and how long a session lasts."""

from __future__ import annotations

import time

import pytest
from tests.support.login_desk import KAFKA, LoginDesk
from tests.support.web_tokens import AUDIENCE, ISSUER, TokenProvider, first_message

from spindle.model.errors import Error, Unusable
from spindle.model.settings.typed_settings import Settings
from spindle.node.sasl_listener import login_rules
from spindle.security.json_web_tokens import parse_keys

pytestmark = pytest.mark.spec("S-04")
HANDLER = "listener.name.sasl.oauthbearer.sasl.server.callback.handler.class"
URL = "listener.name.sasl.sasl.oauthbearer.jwks.endpoint.url"
SETTINGS = {
    "listener.name.sasl.sasl.enabled.mechanisms": "OAUTHBEARER",
    HANDLER: f"{KAFKA}.oauthbearer.OAuthBearerValidatorCallbackHandler",
    URL: "file:///keys.json",
    "sasl.oauthbearer.expected.audience": AUDIENCE,
    "sasl.oauthbearer.expected.issuer": ISSUER,
}
JAAS = "listener.name.sasl.oauthbearer.sasl.jaas.config"
NAME = "listener.name.sasl.oauthbearer.connections.max.reauth.ms"


@pytest.fixture(scope="module")
def provider() -> TokenProvider:
    return TokenProvider()


def desk(provider: TokenProvider, **more: str) -> LoginDesk:
    """A connection at a listener that knows the provider's keys, at the present time."""
    made = LoginDesk({**SETTINGS, **more})
    made.listener.keys = parse_keys(provider.keys(), "keys")
    made.out.wall_ms = int(time.time() * 1000)
    return made


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({HANDLER: ""}, "signed tokens alone"),
        ({HANDLER: "com.example.Handler"}, "is com.example.Handler"),
        ({URL: "http://provider/keys"}, "is http://provider/keys: give the https://"),
        ({URL: ""}, "missing"),
        ({JAAS: f"{KAFKA}.PlainLoginModule required;"}, "needs OAuthBearerLoginModule"),
    ],
)
def test_what_cannot_check_a_token_does_not_start(change: dict[str, str], why: str) -> None:
    with pytest.raises(Unusable, match=why):
        login_rules(Settings({**SETTINGS, **change}), "SASL")


@pytest.mark.parametrize(("limit", "lasts"), [(None, 600), ("60000", 60), ("3600000", 600)])
def test_a_session_ends_with_its_token_or_before(
    provider: TokenProvider, limit: str | None, lasts: float
) -> None:
    at = desk(provider, **({} if limit is None else {NAME: limit}))
    at.shake_hands("OAUTHBEARER")
    answer = at.authenticate(first_message(provider.token()))
    assert answer.error_code == Error.NONE
    assert abs(answer.session_lifetime_ms / 1000 - lasts) < 5
    assert at.principal == "User:ann"
    at.pass_time(lasts + 5)
    assert not at.send(bytes(20))
    assert at.hung_up


def test_a_token_that_just_ended_makes_a_session_that_is_over(provider: TokenProvider) -> None:
    at = desk(provider)
    at.shake_hands("OAUTHBEARER")
    answer = at.authenticate(first_message(provider.token(life=-10.0, iat=0)))
    assert (answer.error_code, answer.session_lifetime_ms) == (Error.NONE, 0)
    at.pass_time(0.1)
    assert not at.send(bytes(20))
    assert at.hung_up


def test_a_refusal_names_no_reason_to_the_client_and_ends_the_login(
    provider: TokenProvider,
) -> None:
    at = desk(provider)
    at.shake_hands("OAUTHBEARER")
    answer = at.authenticate(first_message(provider.token(iss="x")))
    assert bytes(answer.auth_bytes) == b'{"status":"invalid_token"}'
    answer = at.authenticate(b"\x01")
    assert answer.error_code == Error.SASL_AUTHENTICATION_FAILED
    assert at.principal == "User:ANONYMOUS"
