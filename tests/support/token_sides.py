"""Both sides of tests of delegation tokens: a broker, its clients' connections, their tokens."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from spindle.model.token_key import password_of
from spindle.security.sasl import PlainClient, SaslClient, ScramConversation
from spindle.security.secret import Secret
from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from spindle.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from tests.support.apache_kafka import ApacheKafka
from tests.support.ports import free_port
from tests.support.secured_kafka import password
from tests.support.waiting import eventually

KEY: Final = "what all nodes know"
HOUR: Final = 3_600_000
LIMIT_S: Final = 20.0
USERS: Final = ("admin", "ann", "bob", "eve", "sue")
SCRAM: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
SETTINGS: Final = {
    "delegation.token.secret.key": KEY,
    "delegation.token.expiry.time.ms": str(HOUR),
    "delegation.token.max.lifetime.ms": str(2 * HOUR),
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin;User:ANONYMOUS",
}


class Token(NamedTuple):
    """What a client has of a token."""

    id: str
    proof: bytes

    def login(self, mechanism: str = SCRAM[0]) -> tuple[str, SaslClient]:
        """A client that logs in with it."""
        secret = Secret(password_of(self.proof))
        return mechanism, ScramConversation(mechanism, self.id, secret, "nonce", by_token=True)


def plain(user: str) -> tuple[str, SaslClient]:
    """A client that logs in with its password."""
    return "PLAIN", PlainClient(user, Secret(password(user)))


class Link:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), LIMIT_S)

    def ask(self, request: Request[Response], version: int) -> Any:
        """The answer; ConnectionError where there is none."""
        self._socket.sendall(request_frame(request, version, 7, "a client"))
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            piece = self._socket.recv(1 << 16)
            if not piece:
                raise ConnectionError("the broker has hung up")
            data += piece
        return response_in(data[4:], request, version)

    def log_in(self, mechanism: str, client: SaslClient) -> tuple[int, str, int]:
        """(error, text, the session's ms) of a login."""
        shaken = self.ask(SaslHandshakeRequest(mechanism=mechanism), 1)
        assert not shaken.error_code
        message: bytes | None = client.first()
        while message is not None:
            answer = self.ask(SaslAuthenticateRequest(auth_bytes=message), 2)
            if answer.error_code:
                break
            message = client.answer(answer.auth_bytes)
        return int(answer.error_code), answer.error_message or "", answer.session_lifetime_ms

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Side:
    """A broker of a cluster. Its listeners: one with SASL, one without."""

    def __init__(self, cluster: ApacheKafka, broker: int = 1) -> None:
        self.cluster = cluster
        self.port = free_port()
        node = cluster.nodes[broker]
        self.open_port = node.port
        inner = f",CONTROLLER://127.0.0.1:{node.controller_port}" if node.controller_port else ""
        plain_jaas = "org.apache.kafka.common.security.plain.PlainLoginModule required"
        users = " ".join(f'user_{user}="{password(user)}"' for user in USERS)
        node.settings |= {
            "listeners": f"PLAINTEXT://127.0.0.1:{node.port},IN://127.0.0.1:{self.port}{inner}",
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,IN:SASL_PLAINTEXT"
            ),
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.name.in.sasl.enabled.mechanisms": ",".join(("PLAIN", *SCRAM)),
            "listener.name.in.plain.sasl.jaas.config": f"{plain_jaas} {users};",
            **{
                f"listener.name.in.{each.lower()}.sasl.jaas.config": (
                    "org.apache.kafka.common.security.scram.ScramLoginModule required;"
                )
                for each in SCRAM
            },
        }
        cluster.write_config(node)

    @contextmanager
    def link(self, login: tuple[str, SaslClient] | None) -> Iterator[Link]:
        """A connection that has logged in; None: at the listener without SASL."""
        link = Link(self.open_port if login is None else self.port)
        try:
            if login is not None:
                assert link.log_in(*login)[0] == 0
            yield link
        finally:
            link.close()

    def ask(
        self, login: tuple[str, SaslClient] | None, request: Request[Response], version: int
    ) -> Any:
        """The answer to a request of a new connection."""
        with self.link(login) as link:
            return link.ask(request, version)

    def make(self, user: str = "ann", version: int = 3, **fields: Any) -> Token:
        """A token, which the broker knows."""
        made = self.ask(plain(user), CreateDelegationTokenRequest(**fields), version)
        assert not made.error_code
        token = Token(made.token_id, bytes(made.hmac))
        eventually(lambda: token.id in self.seen("admin"), "the broker knows the token", 20)
        return token

    def until_known(self, token: Token, ends: int) -> None:
        """Wait until the broker knows when a token ends, or that it is gone."""

        def is_known() -> bool:
            found = self.ask(plain("admin"), DescribeDelegationTokenRequest(), 3)
            return all(
                each.expiry_timestamp == ends for each in found.tokens if each.token_id == token.id
            )

        eventually(is_known, "the broker knows it", 20)

    def seen(self, user: str) -> set[str]:
        """The tokens that a user may see."""
        found = self.ask(plain(user), DescribeDelegationTokenRequest(), 3)
        assert not found.error_code
        return {each.token_id for each in found.tokens}
