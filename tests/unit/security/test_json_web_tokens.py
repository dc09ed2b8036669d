"""Which tokens a listener of OAUTHBEARER believes (KIP-768)."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.support.web_tokens import AUDIENCE, ISSUER, TokenProvider, first_message

from spindle.model.errors import Refusal, Unusable
from spindle.security.json_web_tokens import (
    InvalidToken,
    TokenRules,
    UnknownKey,
    believed,
    parse_keys,
)
from spindle.security.oauth_bearer_server import OAuthBearerServer
from spindle.security.sasl_server import InvalidCredentials

pytestmark = pytest.mark.spec("S-04")
RULES = TokenRules("file:/keys", audiences=(AUDIENCE, "other"), issuer=ISSUER)


@pytest.fixture(scope="module")
def provider() -> TokenProvider:
    return TokenProvider()


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"alg": "ES256", "kid": "curve"},
        {"kid": None},
        {"aud": ["x", "other"]},
        {"scope": "one"},
        {"scope": ["one", "two"]},
        {"nbf": 0},
        {"life": -10.0, "iat": 0},  # Within the skew of the clocks.
    ],
)
def test_a_signed_token_names_the_user_and_its_end(
    provider: TokenProvider, claims: dict[str, Any]
) -> None:
    now = time.time()
    bearer = believed(provider.token(**claims), parse_keys(provider.keys(), "k"), RULES, now)
    assert bearer.user == "ann"
    assert abs(bearer.ends - now - claims.get("life", 600)) < 5


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"alg": "none", "kid": None}, "algorithm is 'none'"),
        ({"alg": "HS256"}, "algorithm is 'HS256'"),
        ({"kid": "curve"}, "'curve' and fits RS256"),
        ({"kid": "new"}, "'new'"),
        ({"iss": "elsewhere"}, "issuer"),
        ({"aud": "elsewhere"}, "[Aa]udience"),
        ({"aud": None}, "aud"),
        ({"exp": None}, "exp"),
        ({"iat": None}, "iat"),
        ({"exp": True}, "exp"),
        ({"sub": None}, "sub names no one"),
        ({"sub": " "}, "sub names no one"),
        ({"sub": 7}, "sub names no one"),
        ({"life": -31.0}, "has expired"),
        ({"life": -10.0}, "ends before it begins"),
        ({"nbf": time.time() + 3600}, "not valid yet"),
        ({"scope": ["one", "one"]}, "scope"),
        ({"scope": ""}, "scope"),
    ],
)
def test_what_is_not_believed(provider: TokenProvider, claims: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidToken, match=why):
        believed(provider.token(**claims), parse_keys(provider.keys(), "k"), RULES, time.time())


def test_without_an_expected_audience_a_token_must_name_none(provider: TokenProvider) -> None:
    keys, rules = parse_keys(provider.keys(), "k"), TokenRules("file:/keys")
    assert believed(provider.token(aud=None), keys, rules, time.time()).user == "ann"
    with pytest.raises(InvalidToken):
        believed(provider.token(), keys, rules, time.time())


def test_another_providers_key_of_the_same_name_has_not_signed_it(provider: TokenProvider) -> None:
    with pytest.raises(InvalidToken, match=r"[Ss]ignature"):
        believed(TokenProvider().token(), parse_keys(provider.keys(), "k"), RULES, time.time())


def test_a_key_that_is_missed_is_counted(provider: TokenProvider) -> None:
    keys = parse_keys(TokenProvider("old-").keys(), "k")
    with pytest.raises(UnknownKey):
        believed(provider.token(), keys, RULES, time.time())
    assert keys.missed == 1
    keys.replace(parse_keys(provider.keys(), "k"))
    assert believed(provider.token(), keys, RULES, time.time()).user == "ann"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"keys": 1}', '{"keys": [{}]}', "\xff"])
def test_what_is_no_key_set_is_named(text: str) -> None:
    with pytest.raises(Unusable, match=r"^https://keys has no JSON Web Key Set"):
        parse_keys(text.encode("latin-1"), "https://keys")


def test_a_login_is_one_message_and_an_empty_answer(provider: TokenProvider) -> None:
    keys = parse_keys(provider.keys(), "k")
    server = OAuthBearerServer(keys, RULES, time.time())
    assert server.evaluate(first_message(provider.token(), "ann")) == b""
    assert server.user == "ann"
    assert server.ends is not None


def test_a_token_that_is_not_believed_is_answered_and_then_ends_the_login(
    provider: TokenProvider,
) -> None:
    server = OAuthBearerServer(parse_keys(provider.keys(), "k"), RULES, time.time())
    assert server.evaluate(first_message(provider.token(iss="x"))) == b'{"status":"invalid_token"}'
    assert server.user is None
    with pytest.raises(Refusal, match="invalid_token"):
        server.evaluate(b"\x01")


def test_another_user_is_refused(provider: TokenProvider) -> None:
    server = OAuthBearerServer(parse_keys(provider.keys(), "k"), RULES, time.time())
    with pytest.raises(Refusal, match=r"id \(bob\) that is different .* name \(ann\)"):
        server.evaluate(first_message(provider.token(), "bob"))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x01",
        b"n,,",
        b"n,,\x01\x01",
        b"y,,\x01auth=Bearer t\x01\x01",
        b"n,,\x01auth=Bearer t\x01",
        b"n,,\x01auth=Basic t\x01\x01",
        b"n,,\x01auth=Bearer t t\x01\x01",
    ],
)
def test_a_message_of_another_form_is_no_login(provider: TokenProvider, message: bytes) -> None:
    server = OAuthBearerServer(parse_keys(provider.keys(), "k"), RULES, time.time())
    with pytest.raises(InvalidCredentials):
        server.evaluate(message)
