"""A whole cluster as processes on loopback: what `spindle up`, the demo, tests and bench start.

Writes each node's `server.properties` below one directory, formats what is not formatted, starts
the processes, waits until they serve. The next start uses kept data.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spindle.client.admin import AdminClient
from spindle.model.config import node_config
from spindle.model.errors import Failure, Unusable
from spindle.model.ids import id_to_text
from spindle.model.metadata_records import MetadataRecord
from spindle.model.security_protocol import SecurityProtocol
from spindle.runtime.folder import Folder
from spindle.runtime.nursery import NodeProcess, Nursery
from spindle.runtime.os_disk import OsDisk
from spindle.security.client_properties import UNSECURED, ClientSecurity
from spindle.storage import meta
from spindle.storage.formatting import DEFAULT_LEVELS, format_blank

CONTROLLER_ID = 100
CONTROLLER, NODES = "CONTROLLER", "NODES"
"""Names of listeners: controllers', and that of brokers to each other where clients log in."""
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
    inner_port: int | None = None
    """Where other brokers reach it; None: where clients do."""
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
    def metrics_url(self) -> str | None:
        """Where its metrics are, if it was started with them."""
        port = self.settings.get("metrics.port")
        return f"http://127.0.0.1:{port}/metrics" if port else None

    @property
    def running(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.returncode is None


class LocalCluster:
    """N brokers with M log directories each, and their controllers, as processes on 127.0.0.1.

    Controllers are nodes of their own, 100 and on, or with `combined` the first brokers. `settings`
    are laid over the defaults of every broker's properties; what concerns controllers goes to them
    too. `port` None: where it was, see `Folder.ports`. `metrics`: each node serves them on a free
    port. `nursery`: the one that starts the nodes, if several clusters share it; the caller closes
    it. `security`: how clients connect; `settings` then have what nodes need for it. Where clients
    log in, brokers speak to each other at a listener of their own, with TLS. `records`: what the
    metadata of a new cluster begins with, beside its features. Use as an async context manager, or
    call `start` and `stop`. One process at a time runs the cluster of a folder.
    """

    def __init__(
        self,
        home: Path,
        brokers: int = 3,
        dirs: int = 2,
        port: int | None = 0,
        settings: Mapping[str, str] | None = None,
        controllers: int = 1,
        combined: bool = False,
        metrics: bool = False,
        nursery: Nursery | None = None,
        security: ClientSecurity = UNSECURED,
        records: Sequence[MetadataRecord] = (),
    ) -> None:
        if combined and controllers > brokers:
            raise Unusable(f"{controllers} of {brokers} brokers cannot be controllers too")
        self.home = home
        self.cluster_id = ""
        """Its id, once its files are prepared."""
        self._settings = dict(settings or {})
        self._security = security
        self._records = (*DEFAULT_LEVELS, *records)
        self._nursery = nursery or Nursery()
        self._owns_nursery = nursery is None
        self._folder = Folder(home)
        self._folder.check_dirs(dirs)
        ports, controller_ports = self._folder.ports(port, brokers, controllers, combined)
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
        if metrics:
            for node, free in zip(self.nodes, self._folder.reserve(len(self.nodes)), strict=True):
                node.settings["metrics.port"] = str(free)
        if security.protocol.has_sasl:
            for node, free in zip(self.brokers, self._folder.reserve(brokers), strict=True):
                node.inner_port = free

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
        try:
            self.prepare()
            for node in self.nodes:
                await self.start_node(node)
            await self.wait_serving()
        except BaseException:
            await self.stop()
            raise

    def prepare(self) -> None:
        """Write the properties and format the directories that are not formatted yet.

        From here on until `stop` the folder is this process's.
        """
        self._folder.lock()
        disk = OsDisk()
        nodes = self.nodes
        for node in nodes:
            node.home.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{k}={v}\n" for k, v in self._properties(node).items())
            node.properties.write_text(text)
        configs = [node_config(self._properties(node)) for node in nodes]
        found = {path: meta.read(disk, path) for config in configs for path in config.directories}
        known = (own.cluster_id for own in found.values() if own is not None)
        self.cluster_id = next(known, None) or id_to_text(meta.random_directory_id())
        for config in configs:
            blank = [path for path in config.directories if found[path] is None]
            now_ms = time.time_ns() // 1_000_000
            format_blank(disk, blank, self.cluster_id, config.node_id, now_ms, self._records)

    async def start_node(self, node: LocalNode) -> None:
        """Start one node's process."""
        node.process = await self._nursery.start(node.properties, node.log_file, self._title(node))

    async def wait_serving(self) -> None:
        """Wait until every running broker answers, and says that all are registered and unfenced.

        Each is asked: the others know for a while yet a broker that was killed a moment ago.
        What answers must be this cluster: another one may listen where our node could not.
        """
        deadline = time.monotonic() + START_SECONDS
        waiting = [b for b in self.brokers if b.running]
        wanted = {b.node_id for b in waiting}
        while waiting:
            self._check_alive()
            try:
                if wanted <= await self._brokers_of(waiting[0]):
                    del waiting[0]
                    continue
            except Failure as error:
                if time.monotonic() > deadline:
                    text = f"the cluster does not serve: {error}; see {self.home}"
                    raise Unusable(text) from error
            if time.monotonic() > deadline:
                raise Unusable(f"not all brokers came up within {START_SECONDS:g} s: {self.home}")
            await asyncio.sleep(0.05)

    async def _brokers_of(self, broker: LocalNode) -> set[int]:
        """The brokers that one of them knows. Failure where it does not answer."""
        address = f"127.0.0.1:{broker.port}"
        async with AdminClient(address, timeout=2.0, security=self._security) as admin:
            cluster = await admin.describe_cluster()
        if self.cluster_id and cluster.cluster_id != self.cluster_id:
            raise Unusable(
                f"another cluster (id {cluster.cluster_id}) answers at {address};"
                f" the one in {self.home} has id {self.cluster_id}: stop the other one, or"
                " use another folder and other ports"
            )
        self._check_alive()
        return set(cluster.brokers)

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
        await self._close()

    async def kill(self) -> None:
        """Kill all nodes, for a cluster that is not needed any more."""
        await asyncio.gather(*(self.kill_node(node) for node in self.nodes))
        await self._close()

    async def _close(self) -> None:
        if self._owns_nursery:
            await self._nursery.close()
        self._folder.unlock()

    async def ends(self) -> AsyncIterator[LocalNode]:
        """Nodes whose processes end from now on, each at once, until none is left."""
        waiting = {
            asyncio.create_task(node.process.wait()): node
            for node in self.nodes
            if node.process is not None and node.running
        }
        try:
            while waiting:
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield waiting.pop(task)
        finally:
            for task in waiting:
                task.cancel()

    # --- files ------------------------------------------------------------------------------

    def _check_alive(self) -> None:
        for node in self.nodes:
            if node.process is not None and node.process.returncode is not None:
                raise Unusable(how_it_ended(node))

    def _title(self, node: LocalNode) -> str:
        roles = [
            *(["broker"] if node.port is not None else []),
            *(["controller"] if node.controller_port is not None else []),
        ]
        return f"spindle {'+'.join(roles)} {node.node_id} of {self.home.name}"

    def _properties(self, node: LocalNode) -> dict[str, str]:
        voters = (f"{c.node_id}@127.0.0.1:{c.controller_port}" for c in self.controllers)
        roles = {"broker": node.port, "controller": node.controller_port}
        common = {
            "process.roles": ",".join(role for role, port in roles.items() if port is not None),
            "node.id": str(node.node_id),
            **_listeners(node, self._security.protocol),
            "controller.quorum.voters": ",".join(voters),
            "log.dir.fault.drills": "true",
        }
        if node.port is None:
            return {
                **common,
                "log.dirs": str(node.home / "metadata"),
                **self._settings,
                **node.settings,
            }
        replicas = str(min(3, len(self.brokers)))
        return {
            **common,
            **({} if node.inner_port is None else {"inter.broker.listener.name": NODES}),
            "log.dirs": ",".join(map(str, node.log_dirs)),
            "metadata.log.dir": str(node.home / "metadata"),
            "offsets.topic.replication.factor": replicas,
            "default.replication.factor": replicas,
            "group.initial.rebalance.delay.ms": "0",
            **self._settings,
            **node.settings,
        }


def how_it_ended(node: LocalNode) -> str:
    """How a node's process ended, what it said last, and where the rest is."""
    assert node.process is not None
    code = node.process.returncode
    assert code is not None
    if code < 0:
        return (
            f"node {node.node_id} was killed by {signal.Signals(-code).name}; see {node.log_file}"
        )
    lines = node.log_file.read_text(errors="replace").splitlines()
    last = lines[-1] if lines else "it said nothing"
    return f"node {node.node_id} ended with code {code}: {last} (see {node.log_file})"


def _listeners(node: LocalNode, outer: SecurityProtocol) -> dict[str, str]:
    inner = SecurityProtocol.SSL if outer.has_tls else SecurityProtocol.PLAINTEXT
    ports = {outer.value: node.port, NODES: node.inner_port, CONTROLLER: node.controller_port}
    protocols = {
        CONTROLLER: inner,
        outer.value: outer,
        **({NODES: inner} if outer.has_sasl else {}),
    }
    return {
        "listeners": ",".join(
            f"{name}://127.0.0.1:{port}" for name, port in ports.items() if port is not None
        ),
        "controller.listener.names": CONTROLLER,
        "listener.security.protocol.map": ",".join(f"{n}:{p}" for n, p in protocols.items()),
    }
