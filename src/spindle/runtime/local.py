"""A whole cluster as processes on loopback: what `spindle up`, the demo, tests and bench start.

Writes each node's `server.properties` below one directory, formats what is not formatted, starts
the processes, waits until they serve. Kept data is taken up again at the next start.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spindle.client.admin import AdminClient
from spindle.model.config import node_config
from spindle.model.errors import Failure, Unusable
from spindle.model.ids import id_to_text
from spindle.runtime.nursery import NodeProcess, Nursery
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.storage.formatting import format_blank

CONTROLLER_ID = 100
START_SECONDS = 30.0
STOP_SECONDS = 20.0


@dataclass(slots=True)
class LocalNode:
    """One node of a local cluster: its files, and its process while it runs."""

    node_id: int
    home: Path
    port: int
    log_dirs: tuple[Path, ...] = ()
    process: NodeProcess | None = field(default=None, repr=False)

    @property
    def properties(self) -> Path:
        """Its `server.properties`."""
        return self.home / "server.properties"

    @property
    def log_file(self) -> Path:
        """What it says (stderr)."""
        return self.home / "node.log"

    @property
    def running(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.returncode is None


class LocalCluster:
    """N brokers with M log directories each, and one controller, as processes on 127.0.0.1.

    `settings` are laid over the defaults of every broker's properties. Use as an async context
    manager, or call `start` and `stop`.
    """

    def __init__(
        self,
        home: Path,
        brokers: int = 3,
        dirs: int = 2,
        port: int = 0,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self._settings = dict(settings or {})
        self._nursery = Nursery()
        ports = _ports(home, port, brokers + 1)
        self.controller = LocalNode(CONTROLLER_ID, home / "controller", ports[0])
        self.brokers = [
            LocalNode(
                n,
                home / f"broker-{n}",
                ports[n],
                tuple(home / f"broker-{n}" / f"disk-{d}" for d in range(1, dirs + 1)),
            )
            for n in range(1, brokers + 1)
        ]

    @property
    def bootstrap(self) -> str:
        """host:port of all brokers, for clients."""
        return ",".join(f"127.0.0.1:{b.port}" for b in self.brokers)

    def broker(self, node_id: int) -> LocalNode:
        """A broker by its id."""
        return next(b for b in self.brokers if b.node_id == node_id)

    @property
    def pids(self) -> list[int]:
        """All processes of the cluster, the one that starts the others included."""
        nodes = (self.controller, *self.brokers)
        own = [node.process.pid for node in nodes if node.process is not None and node.running]
        return [*self._nursery.pids, *own]

    # --- life -------------------------------------------------------------------------------

    async def __aenter__(self) -> LocalCluster:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Write, format, start all nodes and wait until they serve."""
        self.prepare()
        try:
            for node in (self.controller, *self.brokers):
                await self.start_node(node)
            await self.wait_serving()
        except BaseException:
            await self.stop()
            raise

    def prepare(self) -> None:
        """Write the properties and format the directories that are not formatted yet."""
        disk = OsDisk()
        nodes = (self.controller, *self.brokers)
        for node in nodes:
            node.home.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{k}={v}\n" for k, v in self._properties(node).items())
            node.properties.write_text(text)
        configs = [node_config(self._properties(node)) for node in nodes]
        found = {path: meta.read(disk, path) for config in configs for path in config.directories}
        known = (own.cluster_id for own in found.values() if own is not None)
        cluster_id = next(known, None) or id_to_text(meta.random_directory_id())
        for config in configs:
            blank = [path for path in config.directories if found[path] is None]
            now_ms = time.time_ns() // 1_000_000
            format_blank(disk, blank, cluster_id, config.node_id, now_ms)

    async def start_node(self, node: LocalNode) -> None:
        """Start one node's process."""
        node.process = await self._nursery.start(node.properties, node.log_file)

    async def wait_serving(self) -> None:
        """Wait until every running broker is registered, unfenced and answers."""
        deadline = time.monotonic() + START_SECONDS
        wanted = {b.node_id for b in self.brokers if b.running}
        while True:
            self._check_alive()
            try:
                async with AdminClient(self.bootstrap, timeout=2.0) as admin:
                    cluster = await admin.describe_cluster()
                if wanted <= set(cluster.brokers):
                    return
            except Failure as error:
                if time.monotonic() > deadline:
                    text = f"the cluster does not serve: {error}; see {self.home}"
                    raise Unusable(text) from error
            if time.monotonic() > deadline:
                raise Unusable(f"not all brokers came up within {START_SECONDS:g} s: {self.home}")
            await asyncio.sleep(0.05)

    async def stop_node(self, node: LocalNode) -> int | None:
        """Stop one node cleanly; its exit code."""
        if node.process is None or not node.running:
            return node.process.returncode if node.process else None
        node.process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(node.process.wait(), STOP_SECONDS)
        except TimeoutError:
            node.process.kill()
            return await node.process.wait()

    async def kill_node(self, node: LocalNode) -> None:
        """Kill one node's process (SIGKILL)."""
        if node.process is not None and node.running:
            node.process.kill()
            await node.process.wait()

    async def stop(self) -> None:
        """Stop all nodes cleanly: the brokers side by side, the controller last."""
        await asyncio.gather(*(self.stop_node(b) for b in self.brokers))
        await self.stop_node(self.controller)
        await self._nursery.close()

    # --- files ------------------------------------------------------------------------------

    def _check_alive(self) -> None:
        for node in (self.controller, *self.brokers):
            if node.process is not None and node.process.returncode is not None:
                lines = node.log_file.read_text(errors="replace").splitlines()
                raise Unusable(
                    f"node {node.node_id} ended with code {node.process.returncode}: "
                    + (lines[-1] if lines else "it said nothing")
                    + f" (see {node.log_file})"
                )

    def _properties(self, node: LocalNode) -> dict[str, str]:
        common = {
            "node.id": str(node.node_id),
            "controller.quorum.voters": f"{CONTROLLER_ID}@127.0.0.1:{self.controller.port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        }
        if node is self.controller:
            return {
                **common,
                "process.roles": "controller",
                "listeners": f"CONTROLLER://127.0.0.1:{node.port}",
                "log.dirs": str(node.home / "metadata"),
                **{k: v for k, v in self._settings.items() if k in _CONTROLLER_TOO},
            }
        replicas = str(min(3, len(self.brokers)))
        return {
            **common,
            "process.roles": "broker",
            "listeners": f"PLAINTEXT://127.0.0.1:{node.port}",
            "log.dirs": ",".join(map(str, node.log_dirs)),
            "metadata.log.dir": str(node.home / "metadata"),
            "offsets.topic.replication.factor": replicas,
            "default.replication.factor": replicas,
            "group.initial.rebalance.delay.ms": "0",
            "log.dir.fault.drills": "true",
            **self._settings,
        }


_CONTROLLER_TOO = frozenset(
    {"broker.session.timeout.ms", "default.replication.factor", "num.partitions"}
)


def _ports(home: Path, first: int, count: int) -> list[int]:
    """Ports for the nodes: those of an earlier start, else from `first` on, else free ones."""
    kept = home / "ports"
    if kept.exists():
        ports = [int(word) for word in kept.read_text().split()]
        if len(ports) >= count:
            return ports
        raise Unusable(f"{home} holds a cluster of {len(ports) - 1} brokers: give that number")
    ports = [first + n for n in range(count)] if first else free_ports(count)
    os.makedirs(home, exist_ok=True)
    kept.write_text(" ".join(map(str, ports)))
    return ports


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody listens on now.

    Below those that systems give to outgoing connections (from 32768 on): one of these could be
    taken before a node binds it, or while a node is down.
    """
    found: list[int] = []
    for port in random.sample(range(18_000, 32_000), 14_000):
        if len(found) == count:
            break
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(port)
    assert len(found) == count, "thousands of ports are taken"
    return found
