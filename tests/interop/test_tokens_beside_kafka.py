"""Logins by OAUTHBEARER with signed tokens, at our broker as at Apache Kafka's."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException
from tests.support.apache_kafka import JVM, ApacheKafka
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually
from tests.support.web_tokens import AUDIENCE, ISSUER, TokenProvider, first_message

from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-04")]
LIMIT_S = 10.0
KAFKA = "org.apache.kafka.common.security.oauthbearer"


class Sides(NamedTuple):
    """Both brokers, their ports for clients with tokens, and the provider."""

    kafka: int
    ours: int
    cluster: Local
    provider: TokenProvider
    keys: Path


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[Sides]:
    folder, provider = tmp_path_factory.mktemp("tokens"), TokenProvider()
    keys = folder / "keys.json"
    url = provider.publish(keys)
    allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={url}"
    theirs = ApacheKafka(folder / "kafka", kafka_jars, jvm=(*JVM, allowed))
    ours = Local(folder / "ours", kafka_jars, brokers=1)
    ports = []
    for cluster in (theirs, ours):
        ports.append(free_port())
        node = cluster.nodes[1]
        inner = f",CONTROLLER://127.0.0.1:{node.controller_port}" if node.controller_port else ""
        node.settings |= {
            "listeners": f"PLAINTEXT://127.0.0.1:{node.port},TOKENS://localhost:{ports[-1]}{inner}",
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TOKENS:SASL_PLAINTEXT"
            ),
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.name.tokens.sasl.enabled.mechanisms": "OAUTHBEARER",
            "listener.name.tokens.oauthbearer.sasl.jaas.config": (
                f"{KAFKA}.OAuthBearerLoginModule required;"
            ),
            "listener.name.tokens.oauthbearer.sasl.server.callback.handler.class": (
                f"{KAFKA}.OAuthBearerValidatorCallbackHandler"
            ),
            "sasl.oauthbearer.jwks.endpoint.url": url,
            "sasl.oauthbearer.expected.issuer": ISSUER,
            "sasl.oauthbearer.expected.audience": AUDIENCE,
        }
        cluster.write_config(node)
    with theirs, ours:
        theirs.start()
        ours.start()
        yield Sides(ports[0], ports[1], ours, provider, keys)


def heard(port: int, *messages: bytes) -> list[tuple[Any, ...]]:
    """What a client with these messages hears: (error, text, bytes), and then the session's s."""
    found: list[tuple[Any, ...]] = []
    with socket.create_connection(("localhost", port), LIMIT_S) as connection:
        _ask(connection, SaslHandshakeRequest(mechanism="OAUTHBEARER"))
        for message in messages:
            answer = _ask(connection, SaslAuthenticateRequest(auth_bytes=message))
            if answer is None:
                return [*found, ("closed",)]
            session = round(answer.session_lifetime_ms / 10_000)
            told = bytes(answer.auth_bytes)
            found.append((int(answer.error_code), answer.error_message or "", told, session))
    return found


def _ask(connection: socket.socket, request: Any) -> Any:
    connection.sendall(request_frame(request, 1, 7, "a client"))
    data = b""
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        piece = connection.recv(1 << 16)
        if not piece:
            return None
        data += piece
    return response_in(data[4:], request, 1)


CASES: dict[str, dict[str, Any]] = {
    "right": {},
    "of the curve": {"alg": "ES256", "kid": "curve"},
    "without a kid": {"kid": None},
    "two audiences": {"aud": ["x", AUDIENCE]},
    "within the skew": {"life": -10.0, "iat": int(time.time()) - 600},
    "ending before it begins": {"life": -10.0},
    "ending before it counts": {"life": 10.0, "nbf": int(time.time()) + 20},
    "expired": {"life": -60.0, "iat": int(time.time()) - 600},
    "not yet": {"nbf": int(time.time()) + 3600},
    "another issuer": {"iss": "x"},
    "another audience": {"aud": "x"},
    "no audience": {"aud": None},
    "no end": {"exp": None},
    "no beginning": {"iat": None},
    "no user": {"sub": None},
    "a blank user": {"sub": " "},
    "unsigned": {"alg": "none", "kid": None},
    "by a secret": {"alg": "HS256"},
    "an unknown key": {"kid": "new"},
    "a scope": {"scope": "a"},
    "scopes": {"scope": ["a", "b"]},
    "scopes twice": {"scope": ["a", "a"]},
}


@pytest.mark.parametrize("case", CASES)
def test_both_brokers_believe_the_same_tokens(case: str, sides: Sides) -> None:
    message = first_message(sides.provider.token(**CASES[case]))
    theirs = heard(sides.kafka, message, b"\x01")
    ours = heard(sides.ours, message, b"\x01")
    assert ours == theirs


@pytest.mark.parametrize(
    "message",
    [b"", b"\x01", b"n,,\x01\x01", b"n,,\x01auth=Bearer\x01\x01", b"n,,\x01auth=Bearer x\x01\x01"],
)
def test_both_brokers_refuse_other_messages_alike(message: bytes, sides: Sides) -> None:
    assert heard(sides.ours, message) == heard(sides.kafka, message)


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_both_brokers_compare_the_names(name: str, sides: Sides) -> None:
    message = first_message(sides.provider.token(), name)
    assert heard(sides.ours, message) == heard(sides.kafka, message)


def test_librdkafka_logs_in_and_is_refused(sides: Sides) -> None:
    def listing(user: str, **claims: Any) -> set[str]:
        errors: list[KafkaError] = []

        def token(_: str) -> tuple[str, float]:
            return sides.provider.token(user, **claims), time.time() + 600

        consumer = Consumer(
            {
                "bootstrap.servers": f"localhost:{sides.ours}",
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "OAUTHBEARER",
                "oauth_cb": token,
                "error_cb": errors.append,
                "group.id": "g",
                "log_level": 0,
            }
        )
        try:
            consumer.poll(0.1)  # The token is asked for by a poll.
            return set(consumer.list_topics(timeout=5).topics)
        except KafkaException:
            consumer.poll(0.1)
            return {error.name() for error in errors}
        finally:
            consumer.close()

    sides.cluster.create("seen", [[1]])
    eventually(lambda: "seen" in listing("ann"), "she logs in")
    eventually(lambda: "_AUTHENTICATION" in listing("ann", iss="x"), "she is refused")


def test_a_new_key_counts_once_it_is_published(sides: Sides) -> None:
    other = TokenProvider("new-")
    message = first_message(other.token())
    assert heard(sides.ours, message)[0][2] == b'{"status":"invalid_token"}'
    before = sides.keys.read_text()
    try:
        other.publish(sides.keys)
        eventually(lambda: heard(sides.ours, message)[0][2] == b"", "the new key counts", 20, 0.2)
        sides.keys.write_text("no keys")
        assert heard(sides.ours, message)[0][2] == b"", "those before stay"
    finally:
        sides.keys.write_text(before)
    own = first_message(sides.provider.token())
    eventually(lambda: heard(sides.ours, own)[0][2] == b"", "the old one is back", 20, 0.2)
