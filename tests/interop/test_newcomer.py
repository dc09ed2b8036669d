"""A broker joins while clients hold all descriptors that they may (S-08, real processes).

The node that it joins, broker and controller in one, may open 160 files. Several hundred clients
ask it for something all the time, so that none is quiet enough to make room, and clients that are
refused come again at once. Brokers and controllers have listeners of their own.
"""

from __future__ import annotations

import asyncio
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.support.apache_kafka import ApacheNode, brokers_known
from tests.support.clients import produce, values
from tests.support.ports import free_port
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.ids import TopicPartition
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import DEFAULT_LEVELS, format_blank
from spindle.wire.apis import Key

FILES, CLIENTS = 160, 300
FOR_CLIENTS = FILES - FILES // 4
TOPIC = "crowded"
ASK_SECONDS = 0.4
"""Often enough for a client to be never quiet."""
AGAIN_SECONDS = 0.2
PATIENCE = 60
SETTINGS = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "offsets.topic.replication.factor": "1",
    "inter.broker.listener.name": "BROKERS",
    "listener.security.protocol.map": (
        "PLAINTEXT:PLAINTEXT,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT"
    ),
}


class Cluster(SpindleCluster):
    """Of two nodes; the first is also the controller, and has few descriptors."""

    def format(self) -> None:
        """Format what is blank, without a process for each."""
        for node in self.nodes.values():
            paths = [str(path) for path in node.log_dirs]
            now_ms = time.time_ns() // 1_000_000
            format_blank(OsDisk(), paths, self.cluster_id, node.node_id, now_ms, DEFAULT_LEVELS)

    def command(self, node: ApacheNode) -> list[str]:
        """With its limit: the node itself raises the soft one."""
        limit = ["prlimit", f"--nofile=64:{FILES}"] if node.node_id == 1 else []
        return [*limit, sys.executable, "-m", "spindle", "broker", "-c", str(node.config)]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path, Path(), brokers=2, settings=SETTINGS) as cluster:
        for node in cluster.nodes.values():
            listeners = [f"PLAINTEXT://127.0.0.1:{node.port}", f"BROKERS://127.0.0.1:{free_port()}"]
            if node.controller_port is not None:
                listeners.append(f"CONTROLLER://127.0.0.1:{node.controller_port}")
            node.settings["listeners"] = ",".join(listeners)
            cluster.write_config(node)
        cluster.format()
        cluster.start_node(1)
        yield cluster


class Crowd:
    """Clients without end, on a loop of their own: each asks for versions again and again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.served: set[int] = set()
        """Those that had an answer on the connection that they have now."""
        self.refused = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Crowd:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)

    def _stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._all())
        self._loop.close()

    async def _all(self) -> None:
        await asyncio.gather(*(self._client(number) for number in range(CLIENTS)))

    async def _client(self, number: int) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._ask_on(number)
            self.served.discard(number)
            self.refused += 1
            await asyncio.sleep(AGAIN_SECONDS)

    async def _ask_on(self, number: int) -> None:
        body = struct.pack(">hhih", Key.API_VERSIONS, 0, 1, -1)
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while True:
                writer.write(struct.pack(">i", len(body)) + body)
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                await reader.readexactly(size)
                self.served.add(number)
                await asyncio.sleep(ASK_SECONDS)
        finally:
            writer.close()


def create(bootstrap: str) -> None:
    """Make the topic, on the only broker there is."""

    async def ask() -> None:
        async with AdminClient(bootstrap) as admin:
            await admin.create_topics([NewTopic(TOPIC, 1, 1)]).all()

    asyncio.run(ask())


def reassign(bootstrap: str) -> None:
    """Have the newcomer replicate the topic's partition, too."""

    async def ask() -> None:
        async with AdminClient(bootstrap) as admin:
            await admin.alter_partition_reassignments({TopicPartition(TOPIC, 0): [1, 2]}).all()

    asyncio.run(ask())


def isr(port: int) -> set[int]:
    """The partition's ISR, as the newcomer knows it."""

    async def ask() -> set[int]:
        async with AdminClient(f"127.0.0.1:{port}") as admin:
            found = await admin.describe_topics([TOPIC])[TOPIC]
            return set(found.partitions[0].isr)

    return asyncio.run(ask())


@pytest.mark.spec("S-08")
def test_a_new_broker_joins_while_clients_hold_all_that_they_may(cluster: Cluster) -> None:
    first, newcomer = cluster.nodes[1], cluster.nodes[2]
    assert f"open_files_max={FILES}" in first.log.read_text()
    create(cluster.bootstrap)
    records = [b"%d" % n for n in range(50)]
    produce(f"127.0.0.1:{first.port}", TOPIC, records)
    assert first.process is not None
    process = psutil.Process(first.process.pid)
    with Crowd(first.port) as crowd:
        full = FOR_CLIENTS - 3
        eventually(
            lambda: process.num_fds() >= full and crowd.refused > CLIENTS, "it is full", PATIENCE
        )
        served = len(crowd.served)
        assert 20 < served < FOR_CLIENTS
        cluster.start_node(2, wait=False)
        eventually(
            lambda: brokers_known("127.0.0.1", newcomer.port) == {1, 2}, "it joins", PATIENCE
        )
        reassign(f"127.0.0.1:{newcomer.port}")
        eventually(lambda: isr(newcomer.port) == {1, 2}, "it is in sync", PATIENCE)
        # One that was closed to make room has not had an answer on its next connection yet.
        eventually(
            lambda: len(crowd.served) > served / 2, "clients are served all the time", PATIENCE
        )
        assert process.num_fds() < FILES
    assert "connections are refused" in cluster.tail(1, 1 << 20)
    produce(cluster.bootstrap, TOPIC, [b"more"])
    assert values(cluster.bootstrap, TOPIC) == [*records, b"more"]
