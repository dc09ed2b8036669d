"""A cluster for one test, or for some: started, found free of bugs, and removed.

Nodes are processes, so a test can do to them what befalls servers. They write to a folder in the
system's temporary directory, listen on ports that are held for them, and end with this process.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from spindle.model.errors import Unusable
from spindle.runtime.cluster_plan import QuorumKind
from spindle.runtime.local import LocalCluster
from spindle.runtime.local_node import LocalNode
from spindle.testing.background import background
from spindle.testing.node_instance import BrokerInstance, NodeInstance

SETTINGS = {
    "broker.heartbeat.interval.ms": "300",
    "broker.session.timeout.ms": "3000",
    "controller.quorum.fetch.timeout.ms": "1000",
    "controller.quorum.election.timeout.ms": "500",
    "controller.quorum.request.timeout.ms": "750",
    "log.dir.probe.interval.ms": "100",
    "log.dir.io.timeout.ms": "1500",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "replica.lag.time.max.ms": "3000",
}
"""What a test does not want to wait for, or have files for, as long as a server does.

Brokers find a new controller well within their session, so that all of them are not fenced at once:
the last one of an ISR stays in it alone, and may be the one that is down.
"""
TAIL_LINES = 40


class NodeBug(AssertionError):
    """A node was stopped by a bug of Spindle; the text has what its log says."""


class ClusterInstance:
    """Brokers 1, 2, ..., each with its disks, and controllers 0, 1, ...

    Enter it with `with` or `async with`, or call `start` and `close`. All methods wait until what
    they do is done; a coroutine calls those that take time (`start`, `close`, `restart`, `stop`)
    with `asyncio.to_thread`. `settings` are laid over `SETTINGS` and over Kafka's defaults.
    `folder`: where the nodes' files go, and stay; without it they go when the cluster goes.
    `controllers`: a folder's cluster gets so many; None: it has what it had, a new one has one.
    `quorum`: "dynamic" (the default of a new cluster), or "static" for voters that never change.
    """

    def __init__(
        self,
        brokers: int = 3,
        log_dirs: int = 2,
        *,
        controllers: int | None = None,
        combined: bool = False,
        settings: Mapping[str, str] | None = None,
        folder: Path | None = None,
        quorum: QuorumKind | None = None,
    ) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="spindle-"))
        """Below it are each node's `server.properties`, its log (`node.log`) and its disks."""
        self._is_kept = folder is not None
        self._background = background()
        given = {**SETTINGS, **(settings or {})}
        try:
            self._local = LocalCluster(
                self.folder,
                brokers,
                log_dirs,
                None if (self.folder / "ports").exists() else 0,
                given,
                controllers,
                combined,
                nursery=self._background.nursery,
                quorum=quorum,
            )
        except BaseException:
            self._remove()
            raise
        made = {
            node.node_id: BrokerInstance(self._local, node, self._background)
            for node in self._local.brokers
        }
        self._brokers = made
        self._instances: dict[int, NodeInstance] = {**made}
        """All nodes that there have been, by their ids."""

    def _instance(self, node: LocalNode) -> NodeInstance:
        if node.node_id not in self._instances:
            made = NodeInstance(self._local, node, self._background)
            self._instances[node.node_id] = made
        return self._instances[node.node_id]

    # --- life ---------------------------------------------------------------------------------

    def start(self) -> Self:
        """Start all nodes and wait until they serve."""
        try:
            self._background.run(self._start())
        except BaseException:
            self.close()
            raise
        return self

    async def _start(self) -> None:
        if not self._is_kept:
            await self._background.nursery.own(self.folder)
        await self._local.start()

    def close(self) -> None:
        """End all nodes and remove their files; NodeBug if a bug has stopped one of them."""
        self._background.run(self._local.kill())
        try:
            self.check()
        finally:
            self._remove()

    def _remove(self) -> None:
        if not self._is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self) -> None:
        """NodeBug if a bug has stopped a node."""
        bugs = [
            f"a bug of Spindle in node {node.node_id}:\n{node.last_lines()}"
            for node in self.nodes
            if node.has_bug()
        ]
        if bugs:
            raise NodeBug("\n".join(bugs))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.close)

    # --- what there is ------------------------------------------------------------------------

    @property
    def bootstrap_servers(self) -> str:
        """host:port of every broker, as clients take it."""
        return self._local.bootstrap

    @property
    def cluster_id(self) -> str:
        """The cluster's id."""
        return self._local.cluster_id

    def broker(self, broker_id: int) -> BrokerInstance:
        """A broker, by its id (from 1 on)."""
        if broker_id not in self._brokers:
            raise LookupError(f"no broker {broker_id}: there are 1 to {len(self._brokers)}")
        return self._brokers[broker_id]

    def controller(self, number: int = 0) -> NodeInstance:
        """A controller, by its number (from 0 on, in the order in which they came)."""
        if not 0 <= number < len(self.controllers):
            raise LookupError(f"no controller {number}: the first of {len(self.controllers)} is 0")
        return self.controllers[number]

    @property
    def controllers(self) -> tuple[NodeInstance, ...]:
        """All controllers."""
        return tuple(map(self._instance, self._local.controllers))

    @property
    def brokers(self) -> tuple[BrokerInstance, ...]:
        """All brokers."""
        return tuple(self._brokers.values())

    @property
    def nodes(self) -> tuple[NodeInstance, ...]:
        """All nodes, controllers first."""
        return tuple(map(self._instance, self._local.nodes))

    def add_controller(self) -> NodeInstance:
        """Start one controller more and wait until it votes; the others need a majority for that.

        Unusable where the quorum is static.
        """
        return self._instance(self._background.run(self._local.add_controller()))

    def remove_controller(self, controller: NodeInstance) -> None:
        """Take a controller's vote, whether it runs or not, and stop it.

        A broker that is a controller, too, is started again as a broker. Unusable where it is no
        controller, or the last one, or where the quorum is static.
        """
        found = next((c for c in self._local.controllers if self._instance(c) is controller), None)
        if found is None:
            raise Unusable(f"{controller.name} is no controller of this cluster")
        controller.thaw()
        self._background.run(self._local.remove_controller(found))

    def wait_until_serving(self) -> None:
        """Wait until every broker that runs is registered, unfenced and answers."""
        self._background.run(self._local.wait_serving())

    def logs(self, lines: int = TAIL_LINES) -> dict[str, str]:
        """The last lines that each node has logged."""
        return {node.name: node.last_lines(lines) for node in self.nodes}


def cluster(
    brokers: int = 3,
    log_dirs: int = 2,
    *,
    controllers: int | None = None,
    combined: bool = False,
    settings: Mapping[str, str] | None = None,
    folder: Path | None = None,
    quorum: QuorumKind | None = None,
) -> ClusterInstance:
    """A cluster for `with` or `async with`: ready when the block begins, gone when it ends.

    `brokers` with `log_dirs` disks each. `controllers` are processes of their own, or with
    `combined` the first brokers; by default there is one. `settings` are Kafka's, of all nodes.
    `folder` keeps the files. `quorum` "static": the voters are in the nodes' properties.
    """
    return ClusterInstance(
        brokers,
        log_dirs,
        controllers=controllers,
        combined=combined,
        settings=settings,
        folder=folder,
        quorum=quorum,
    )
