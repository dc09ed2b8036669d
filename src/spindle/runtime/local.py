"""A whole cluster as processes on loopback: what `spindle up`, the demo, tests and bench start.

Writes each node's `server.properties` below one directory, formats what is not formatted, starts
the processes, waits until they serve. The next start uses kept data.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from spindle.model.metadata_records import MetadataRecord
from spindle.runtime.cluster_plan import QuorumKind
from spindle.runtime.folder import Asked
from spindle.runtime.local_files import LocalFiles
from spindle.runtime.local_node import LocalNode
from spindle.runtime.local_processes import LocalProcesses
from spindle.runtime.local_quorum import LocalQuorum
from spindle.runtime.nursery import Nursery
from spindle.security.client_properties import UNSECURED, ClientSecurity
from spindle.storage.formatting import DEFAULT_LEVELS


class LocalCluster:
    """N brokers with M log directories each, and their controllers, as processes on 127.0.0.1.

    Controllers are nodes of their own, 100 and on, or with `combined` the first brokers. `settings`
    are laid over the defaults of every broker's properties; what concerns controllers goes to them
    too. `port` None: where it was, see `Folder.plan`. `controllers` None: those that there are, one
    of a new cluster; a dynamic quorum becomes one of so many when it starts. `quorum` None: what it
    is, dynamic for a new cluster; a static one can become dynamic. `metrics`: each node serves them
    on a free port. `nursery`: the one that starts the nodes, if several clusters share it; the
    caller closes it. `security`: how clients connect; `settings` then have what nodes need for it.
    Where clients log in, brokers speak to each other at a listener of their own, with TLS.
    `records`: what the metadata of a new cluster begins with, beside its features. Use as an async
    context manager, or call `start` and `stop`. One process at a time runs the cluster of a folder.
    """

    def __init__(
        self,
        home: Path,
        brokers: int = 3,
        dirs: int = 2,
        port: int | None = 0,
        settings: Mapping[str, str] | None = None,
        controllers: int | None = None,
        combined: bool = False,
        metrics: bool = False,
        nursery: Nursery | None = None,
        security: ClientSecurity = UNSECURED,
        records: Sequence[MetadataRecord] = (),
        quorum: QuorumKind | None = None,
    ) -> None:
        asked = Asked(brokers, port, controllers, combined, quorum)
        self.home = home
        self._files = LocalFiles(
            home,
            asked,
            dirs,
            dict(settings or {}),
            security.protocol,
            (*DEFAULT_LEVELS, *records),
            metrics,
        )
        self._nursery = nursery or Nursery()
        self._owns_nursery = nursery is None
        self._processes = LocalProcesses(self._files, self._nursery, security)
        self._quorum = LocalQuorum(self._files, self._processes, asked)

    @property
    def cluster_id(self) -> str:
        """Its id, once its files are prepared."""
        return self._files.cluster_id

    @property
    def brokers(self) -> list[LocalNode]:
        """The nodes that clients reach, by id."""
        return self._files.brokers

    @property
    def controllers(self) -> list[LocalNode]:
        """The controllers, in the order in which they came."""
        return self._files.controllers

    @property
    def nodes(self) -> list[LocalNode]:
        """All nodes, controllers first."""
        return self._files.nodes

    @property
    def quorum(self) -> QuorumKind:
        """Whether its voters are in the metadata log, or in each node's properties."""
        return self._files.plan.quorum

    @property
    def bootstrap(self) -> str:
        """host:port of all brokers, for clients."""
        return self._processes.bootstrap

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
        """Write, format, start all nodes, wait until they serve, and have the controllers vote."""
        try:
            self.prepare()
            for node in self.nodes:
                await self.start_node(node)
            await self.wait_serving()
            await self._quorum.become_as_asked()
        except BaseException:
            await self.stop()
            raise

    def prepare(self) -> None:
        """Write the properties and format what is blank; the folder is this process's from now on.

        Unusable where the metadata is lost.
        """
        self._files.prepare()

    async def start_node(self, node: LocalNode) -> None:
        """Start one node's process."""
        await self._processes.start_node(node)

    async def wait_serving(self) -> None:
        """Wait until every running broker says that all are registered and unfenced. Unusable."""
        await self._processes.wait_serving()

    async def stop_node(self, node: LocalNode) -> int | None:
        """Stop one node cleanly; its exit code."""
        return await self._processes.stop_node(node)

    async def kill_node(self, node: LocalNode) -> None:
        """Kill one node's process (SIGKILL)."""
        await self._processes.kill_node(node)

    async def add_controller(self) -> LocalNode:
        """Start one controller more, a node of its own, and give it a vote. Unusable, Refused."""
        return await self._quorum.add()

    async def remove_controller(self, node: LocalNode) -> None:
        """Take a controller's vote and stop it; a broker goes on as one. Unusable, Refused."""
        await self._quorum.remove(node)

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
        self._files.folder.unlock()

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
