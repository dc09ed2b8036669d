"""What a connection hears on its way through a login: from our broker as from Apache Kafka's.

Each case sends the same frames to both; the answers and the ends of the connections are compared.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.sasl_cluster import SaslCluster
from tests.support.secured_kafka import SecuredKafka
from tests.support.waiting import eventually

from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-04")]
CLOSED = b"closed"
LIMIT_S = 10.0
AT_ONCE_S = 0.9
"""Apache Kafka lets a session be renewed once a second."""


class Sides(NamedTuple):
    """Both brokers."""

    kafka: SecuredKafka
    ours: SaslCluster


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[Sides]:
    with (
        SecuredKafka(tmp_path_factory.mktemp("kafka"), kafka_jars) as kafka,
        SaslCluster(tmp_path_factory.mktemp("ours"), kafka_jars) as ours,
    ):
        kafka.start()
        ours.start()
        yield Sides(kafka, ours)


def frame(request: Request[Response], version: int) -> bytes:
    """A request."""
    return request_frame(request, version, 7, "a client")


def hello(version: int = 0) -> bytes:
    """ApiVersions."""
    return frame(
        ApiVersionsRequest(client_software_name="test", client_software_version="1"), version
    )


def shake(mechanism: str = "PLAIN", version: int = 1) -> bytes:
    """SaslHandshake."""
    return frame(SaslHandshakeRequest(mechanism=mechanism), version)


def prove(message: bytes = b"\0admin\0admin-secret", version: int = 1) -> bytes:
    """SaslAuthenticate."""
    return frame(SaslAuthenticateRequest(auth_bytes=message), version)


def bare(message: bytes = b"\0admin\0admin-secret") -> bytes:
    """A message without a header."""
    return len(message).to_bytes(4, "big") + message


METADATA = frame(MetadataRequest(topics=()), 1)
PAUSE = b""
"""A wait until sessions of the listener SHORT are over, or may be renewed."""
CASES: dict[str, tuple[str, Sequence[bytes]]] = {
    "right": ("SASL", [hello(), shake(), prove()]),
    "without ApiVersions": ("SASL", [shake(), prove(version=0)]),
    "wrong": ("SASL", [shake(), prove(b"\0admin\0hush")]),
    "stranger": ("SASL", [shake(), prove(b"\0stranger\0hush")]),
    "no password": ("SASL", [shake(), prove(b"\0admin\0")]),
    "another user": ("SASL", [shake(), prove(b"guest\0admin\0admin-secret")]),
    "two parts": ("SASL", [shake(), prove(b"admin\0admin-secret")]),
    "no SCRAM": ("SASL", [shake("SCRAM-SHA-256"), prove(b"n,,n=admin")]),
    "bare": ("SASL", [shake(version=0), bare()]),
    "bare, wrong": ("SASL", [shake(version=0), bare(b"\0admin\0hush")]),
    "metadata first": ("SASL", [METADATA]),
    "metadata after ApiVersions": ("SASL", [hello(), METADATA]),
    "message first": ("SASL", [prove()]),
    "unknown API": ("SASL", [(10).to_bytes(4, "big") + b"\x7f\xff\0\0\0\0\0\1\xff\xff"]),
    "unknown version": ("SASL", [frame(SaslHandshakeRequest(mechanism="PLAIN"), 0)[:6]
                                 + b"\0\x09" + shake(version=0)[8:]]),
    "proof again": ("SASL", [shake(), prove(), prove()]),
    "handshake again": ("SASL", [shake(), prove(), shake()]),
    "too large": ("SASL", [shake(), prove(bytes(600_000))]),
    "renewed": ("SHORT", [shake(), prove(), PAUSE, shake(), prove()]),
    "renewed at once": ("SHORT", [shake(), prove(), shake(), prove(), shake()]),
    "another name": ("SHORT", [shake(), prove(), shake(), prove(b"\0guest\0guest-secret")]),
    "wrong by now": ("SHORT", [shake(), prove(), shake(), prove(b"\0admin\0hush")]),
    "over": ("SHORT", [shake(), prove(), PAUSE, hello()]),
    "proof without handshake": ("SHORT", [shake(), prove(), prove()]),
}  # fmt: skip


def heard(address: str, frames: Sequence[bytes], short: bool) -> list[bytes]:
    """The answer to each frame, until the connection ends."""
    host, _, port = address.rpartition(":")
    found: list[bytes] = []
    with socket.create_connection((host, int(port)), LIMIT_S) as connection:
        for one in frames:
            if one is PAUSE:
                time.sleep(2.1)  # The session's own time: no state tells of its end.
                continue
            try:
                connection.sendall(one)
                found.append(_answer(connection))
            except ConnectionError:
                found.append(CLOSED)
            if found[-1] == CLOSED:
                return found
            # What ApiVersions lists is not the matter here, and SHORT has other mechanisms.
            if one[4:6] == b"\0\x12" or (short and one[4:6] == b"\0\x11"):
                found[-1] = found[-1][:6]
    return found


def heard_at_once(address: str, frames: Sequence[bytes], short: bool) -> list[bytes]:
    """The same, sent so quickly that the answers do not depend on how busy this machine is."""

    def look() -> list[bytes] | None:
        began = time.monotonic()
        found = heard(address, frames, short)
        return found if PAUSE in frames or time.monotonic() - began < AT_ONCE_S else None

    return eventually(look, "all frames are sent at once", 60)


def _answer(connection: socket.socket) -> bytes:
    data = b""
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        piece = connection.recv(1 << 16)
        if not piece:
            return CLOSED
        data += piece
    return data[4:]


def lists_alike(answer: bytes) -> bytes:
    """A handshake's answer with its mechanisms in order: Apache Kafka has a set of them."""
    names = [b"PLAIN", b"SCRAM-SHA-256", b"SCRAM-SHA-512"]
    if not all(name in answer for name in names):
        return answer
    rest = answer
    for name in names:
        rest = rest.replace(len(name).to_bytes(2, "big") + name, b"")
    return rest + b",".join(names)


@pytest.mark.parametrize("case", CASES)
def test_both_brokers_answer_alike(case: str, sides: Sides) -> None:
    listener, frames = CASES[case]
    short = listener == "SHORT"
    theirs = heard_at_once(sides.kafka.at(listener), frames, short)
    ours = heard_at_once(sides.ours.at(listener), frames, short)
    assert list(map(lists_alike, ours)) == list(map(lists_alike, theirs))
