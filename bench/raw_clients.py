"""Requests as fast as a broker answers them, without a client library, in a process of its own.

    python -m bench.raw_clients WHAT PORT TOPIC CONNECTIONS SECONDS

prints one line of JSON. Each connection has one request under way, sends it from bytes made
beforehand and looks at no more of an answer than its length: so the client is no bottleneck.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from typing import Final

from bench.raw_link import Link, framed
from spindle.model.errors import Error
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic

METADATA_VERSION, API_VERSIONS_VERSION = 12, 3
_VERSIONS = ApiVersionsRequest(client_software_name="bench", client_software_version="1")
_LENGTH: Final = struct.Struct(">i")
_CHUNK: Final = 1 << 16
_PATIENCE_S: Final = 30.0


def frame_of(what: str, topic: str) -> bytes:
    """The request that is sent again and again."""
    if what == "metadata":
        return framed(_metadata(topic), METADATA_VERSION)
    assert what == "api-versions", what
    return framed(_VERSIONS, API_VERSIONS_VERSION)


def checked(port: int, topic: str) -> None:
    """AssertionError where the broker does not answer these requests with what they ask for."""
    with Link(port) as link:
        versions = link.ask(_VERSIONS, API_VERSIONS_VERSION)
        assert versions.error_code == Error.NONE, versions.error_code
        (told,) = link.ask(_metadata(topic), METADATA_VERSION).topics
        assert told.error_code == Error.NONE, told.error_code
        assert told.partitions, f"{topic} has no partitions"


def _metadata(topic: str) -> MetadataRequest:
    topics = (MetadataRequestTopic(name=topic),)
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False)


def answered(frame: bytes, port: int, connections: int, seconds: float) -> dict[str, float]:
    """Answers a second on so many connections that each have one request under way."""
    with select.epoll() as poll:
        links = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
        by_number = {link.fileno(): link for link in links}
        missing = dict.fromkeys(by_number, 0)
        """Bytes of the answer under way that are not here yet; 0: it has not begun."""
        for number, link in by_number.items():
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            poll.register(number, select.EPOLLIN)
            link.sendall(frame)
        count, began = 0, time.monotonic()
        end = began + seconds
        while (now := time.monotonic()) < end:
            ready = poll.poll(_PATIENCE_S)
            assert ready, f"no answer within {_PATIENCE_S:.0f} s"
            for number, _ in ready:
                link = by_number[number]
                left = missing[number] = _after(link.recv(_CHUNK), missing[number])
                if not left:
                    count += 1
                    link.sendall(frame)
        for link in links:
            link.close()
    return {"requests_per_s": count / (now - began), "requests": float(count)}


def _after(chunk: bytes, missing: int) -> int:
    """Bytes that the one answer under way lacks after this chunk."""
    assert len(chunk) > _LENGTH.size or missing, "the broker hung up"
    if missing:
        return missing - len(chunk)
    return int(_LENGTH.unpack_from(chunk)[0]) + _LENGTH.size - len(chunk)


if __name__ == "__main__":
    what, port, topic, connections, seconds = sys.argv[1:]
    checked(int(port), topic)
    frame = frame_of(what, topic)
    print(json.dumps(answered(frame, int(port), int(connections), float(seconds))))
