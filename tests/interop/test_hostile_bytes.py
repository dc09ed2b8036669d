"""Hostile bytes on both listeners: each connection gets what it deserves, the node serves on."""

import asyncio
import random
import socket
import struct
from pathlib import Path

import psutil
import pytest

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.runtime.local import LocalCluster
from spindle.wire.apis import TABLE

ATTEMPTS = 400
GROWTH_MAX = 150e6
"""Bytes that a node may have grown by after all attempts."""


def frame(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def header(key: int, version: int) -> bytes:
    return struct.pack(">hhih", key, version, 1, 1) + b"x"


def hostile(rng: random.Random) -> bytes:
    """Bytes of one attempt: noise, lies about lengths, garbage behind an honest header."""
    key = rng.choice(list(TABLE))
    api = TABLE[key]
    version = rng.randint(api.readable_from, api.max)
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 200))
    if kind == 1:
        return struct.pack(">i", rng.choice([-1, -(2**31), 2**31 - 1, 104857601]))
    if kind == 2:
        return frame(header(rng.randrange(-5, 2000), rng.randrange(-5, 99)) + rng.randbytes(20))
    if kind == 3:
        return frame(header(key, version) + b"\0" + rng.randbytes(rng.randrange(60)))
    if kind == 4:
        return frame(header(key, version) + b"\0" + b"\xff\xff\xff\xff\x0f" * 4)
    return frame(header(key, version) + bytes(rng.randrange(300)))[: rng.randrange(1, 40)]


def attack(port: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(ATTEMPTS):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
            link.settimeout(0.02)
            try:
                link.sendall(hostile(rng))
                link.recv(4096)
            except (TimeoutError, ConnectionError):
                continue


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def test_the_cluster_serves_on_after_hostile_bytes_on_both_listeners(folder: Path) -> None:
    async def scenario() -> None:
        async with LocalCluster(folder, brokers=1, dirs=2) as cluster:
            broker, controller = cluster.brokers[0], cluster.controller
            assert broker.process is not None
            assert controller.process is not None
            before = {
                node.node_id: psutil.Process(node.process.pid).memory_info().rss
                for node in (broker, controller)
                if node.process is not None
            }
            idle = [
                socket.create_connection(("127.0.0.1", broker.port), timeout=5) for _ in range(200)
            ]
            for link in idle[:50]:
                link.sendall(b"\0\0\0\x20half a frame")
            for number, node in enumerate((broker, controller)):
                await asyncio.to_thread(attack, node.port, number)
            async with AdminClient(cluster.bootstrap) as admin:
                await admin.create_topics([NewTopic("after", 2, 1)]).all()
                topics = await admin.describe_topics(["after"]).all()
                assert len(topics["after"].partitions) == 2
            for node in (broker, controller):
                assert node.running, node.log_file.read_text()[-2000:]
                assert node.process is not None
                grown = psutil.Process(node.process.pid).memory_info().rss - before[node.node_id]
                assert grown < GROWTH_MAX, f"node {node.node_id} has grown by {grown} bytes"
                assert "a bug" not in node.log_file.read_text()
            for link in idle:
                link.close()

    asyncio.run(scenario())
