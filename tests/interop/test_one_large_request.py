"""A request of twelve megabytes beside a client that asks for little (S-08, real processes)."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import TimeIsUp
from tools.messages.entities import make, request_types
from tools.messages.frames import encode_request

from spindle.wire.apis import Key
from spindle.wire.values import put_uvarint

NAMES = 600_000
LONGEST_SECONDS = 0.4
"""Of a processor, for one input: read at once, such a request takes more than twice as much."""
ANSWERS = 300
DEADLINE = 180.0


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    """One broker with metrics."""
    with Local(tmp_path, brokers=1) as cluster:
        cluster.nodes[1].settings["metrics.port"] = str(free_port())
        cluster.write_config(cluster.nodes[1])
        cluster.start()
        yield cluster


def names() -> bytes:
    """A Metadata request of topics that are not there and may not be made."""
    t = request_types(Key.METADATA, 12)
    empty = encode_request(make(t.MetadataRequest, topics=()), 1, None)[4:]
    head, behind = empty[:-4], empty[-3:]  # the array's length is between them
    topic = bytes(16) + put_uvarint(3) + b"mm" + b"\0"
    body = head + put_uvarint(NAMES + 1) + topic * NAMES + b"\0" + behind[1:]
    return len(body).to_bytes(4, "big") + body


def answer(link: socket.socket) -> int:
    """The bytes of one answer, which are read and thrown away."""
    size = left = int.from_bytes(link.recv(4, socket.MSG_WAITALL), "big")
    while left:
        left -= len(link.recv(min(left, 1 << 16)))
    return size


@pytest.mark.spec("S-08")
def test_a_large_request_stops_neither_the_broker_nor_its_clients(cluster: Local) -> None:
    address = ("127.0.0.1", cluster.nodes[1].port)
    t = request_types(Key.METADATA, 12)
    small = encode_request(make(t.MetadataRequest, topics=()), 2, None)
    sizes: list[int] = []
    with socket.create_connection(address, 10) as large, socket.create_connection(address) as one:
        large.settimeout(DEADLINE)
        one.settimeout(DEADLINE)

        def ask() -> None:
            large.sendall(names())
            sizes.append(answer(large))

        asking = threading.Thread(target=ask)
        asking.start()
        served, end = 0, time.monotonic() + DEADLINE
        while asking.is_alive() and time.monotonic() < end:
            one.sendall(small)
            served += answer(one) > 0
        asking.join(1.0)
    if not sizes:
        raise TimeIsUp(f"not within {DEADLINE} s: the large request is answered")
    assert sizes[0] > 20 * NAMES
    if served < ANSWERS:  # A busy machine takes the time of this process, too.
        raise TimeIsUp(f"{served} small requests are answered beside it, not {ANSWERS}")
    longest = cluster.metrics(1)["spindle_eventloop_longestinputseconds"]
    assert longest < LONGEST_SECONDS
    log = cluster.nodes[1].log.read_text()
    assert "fenced: no heartbeat" not in log
    assert log.count("broker is unfenced") == 1
