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
    port: int | None = None
    """Where clients reach it; None: it is no broker."""
    log_dirs: tuple[Path, ...] = ()
    controller_port: int | None = None
    """Where it is reached as a controller; None: it is none."""
    settings: dict[str, str] = field(default_factory=dict)
    """Laid over everything else in its properties."""
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
    """N brokers with M log directories each, and their controllers, as processes on 127.0.0.1.

    Controllers are nodes of their own, 100 and on, or with `combined` the first brokers. `settings`
    are laid over the defaults of every broker's properties; what concerns controllers goes to them
    too. Use as an async context manager, or call `start` and `stop`.
    """

    def __init__(
        self,
        home: Path,
        brokers: int = 3,
        dirs: int = 2,
        port: int = 0,
        settings: Mapping[str, str] | None = None,
        controllers: int = 1,
        combined: bool = False,
    ) -> None:
        if combined and controllers > brokers:
            raise Unusable(f"{controllers} of {brokers} brokers cannot be controllers too")
        self.home = home
        self._settings = dict(settings or {})
        self._nursery = Nursery()
        ports, controller_ports = _ports(home, port, brokers, controllers, combined)
        self.brokers = [
            LocalNode(
                n,
                home / f"broker-{n}",
                port,
                tuple(home / f"broker-{n}" / f"disk-{d}" for d in range(1, dirs + 1)),
            )
            for n, port in enumerate(ports[:brokers], 1)
        ]
        if combined:
            self.controllers = self.brokers[:controllers]
        else:
            self.controllers = [
                LocalNode(CONTROLLER_ID + n, home / f"controller{f'-{n + 1}' if n else ''}")
                for n in range(controllers)
            ]
        for node, controller_port in zip(self.controllers, controller_ports, strict=True):
            node.controller_port = controller_port

    @property
    def nodes(self) -> list[LocalNode]:
        """All nodes, controllers first."""
        return [*self.controllers, *(b for b in self.brokers if b not in self.controllers)]

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
        own = [n.process.pid for n in self.nodes if n.process is not None and n.running]
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
            for node in self.nodes:
                await self.start_node(node)
            await self.wait_serving()
        except BaseException:
            await self.stop()
            raise

    def prepare(self) -> None:
        """Write the properties and format the directories that are not formatted yet."""
        disk = OsDisk()
        nodes = self.nodes
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
        """Stop all nodes cleanly: brokers side by side, then controllers.

        Brokers that are controllers too stop one after the other: each needs a majority of them to
        give its leaderships away, so that the last ones just stop.
        """
        await asyncio.gather(*(self.stop_node(b) for b in self.nodes if b.controller_port is None))
        for node in self.controllers:
            await self.stop_node(node)
        await self._nursery.close()

    # --- files ------------------------------------------------------------------------------

    def _check_alive(self) -> None:
        for node in self.nodes:
            if node.process is not None and node.process.returncode is not None:
                lines = node.log_file.read_text(errors="replace").splitlines()
                raise Unusable(
                    f"node {node.node_id} ended with code {node.process.returncode}: "
                    + (lines[-1] if lines else "it said nothing")
                    + f" (see {node.log_file})"
                )

    def _properties(self, node: LocalNode) -> dict[str, str]:
        voters = (f"{c.node_id}@127.0.0.1:{c.controller_port}" for c in self.controllers)
        roles = {"broker": node.port, "controller": node.controller_port}
        names = {"broker": "PLAINTEXT", "controller": "CONTROLLER"}
        own = [(role, port) for role, port in roles.items() if port is not None]
        common = {
            "process.roles": ",".join(role for role, _ in own),
            "node.id": str(node.node_id),
            "listeners": ",".join(f"{names[role]}://127.0.0.1:{port}" for role, port in own),
            "controller.quorum.voters": ",".join(voters),
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        }
        if node.port is None:
            return {
                **common,
                "log.dirs": str(node.home / "metadata"),
                **{k: v for k, v in self._settings.items() if k.startswith(_CONTROLLER_TOO)},
                **node.settings,
            }
        replicas = str(min(3, len(self.brokers)))
        return {
            **common,
            "log.dirs": ",".join(map(str, node.log_dirs)),
            "metadata.log.dir": str(node.home / "metadata"),
            "offsets.topic.replication.factor": replicas,
            "default.replication.factor": replicas,
            "group.initial.rebalance.delay.ms": "0",
            "log.dir.fault.drills": "true",
            **self._settings,
            **node.settings,
        }


_CONTROLLER_TOO = (
    "broker.session.timeout.ms",
    "default.replication.factor",
    "num.partitions",
    "controller.quorum.",
    "metadata.",
)
"""Beginnings of the settings that controllers share with brokers."""


def _ports(
    home: Path, first: int, brokers: int, controllers: int, combined: bool
) -> tuple[list[int], list[int]]:
    """Ports of the brokers and of the controllers: those of an earlier start, else new ones.

    From `first` on: a controller, the brokers, further controllers; 0: whichever are free.
    """
    kept = home / "ports"
    shape = f"controllers={controllers}{' combined' if combined else ''}"
    if kept.exists():
        numbers, _, had = kept.read_text().partition("\n")
        had = had.strip() or "controllers=1"
        if had != shape:
            raise Unusable(f"{home} holds a cluster with {had}: its voters cannot be changed")
        ports = [int(word) for word in numbers.split()]
        if len(ports) < brokers + controllers:
            raise Unusable(
                f"{home} holds a cluster of {len(ports) - controllers} brokers: give that number"
            )
    else:
        count = brokers + controllers
        ports = [first + n for n in range(count)] if first else free_ports(count)
        os.makedirs(home, exist_ok=True)
        kept.write_text(" ".join(map(str, ports)) + f"\n{shape}\n")
    had_brokers = len(ports) - controllers
    return ports[1 : had_brokers + 1], [ports[0], *ports[had_brokers + 1 :]]


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
