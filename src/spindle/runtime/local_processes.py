"""The processes of a local cluster: started, waited for, stopped. `local_files` has the nodes."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterable

from spindle.client.admin import AdminClient
from spindle.model.errors import Failure, Unusable
from spindle.runtime.local_files import LocalFiles
from spindle.runtime.local_node import LocalNode, how_it_ended
from spindle.runtime.nursery import Nursery
from spindle.security.client_properties import ClientSecurity

START_SECONDS = 30.0
STOP_SECONDS = 20.0


class LocalProcesses:
    """What runs of a cluster's nodes. `security`: how clients connect."""

    def __init__(self, files: LocalFiles, nursery: Nursery, security: ClientSecurity) -> None:
        self._files = files
        self._nursery = nursery
        self._security = security

    @property
    def bootstrap(self) -> str:
        """host:port of all brokers, for clients."""
        return ",".join(f"127.0.0.1:{b.port}" for b in self._files.brokers)

    def admin(self, bootstrap: str, timeout: float) -> AdminClient:
        """A client of the cluster."""
        return AdminClient(bootstrap, timeout=timeout, security=self._security)

    async def start_node(self, node: LocalNode) -> None:
        """Start one node's process."""
        node.is_wanted = True
        node.process = await self._nursery.start(node.properties, node.log_file, self._title(node))

    async def wait_serving(self) -> None:
        """Wait until every running broker answers, and says that all are registered and unfenced.

        Each is asked: the others know for a while yet a broker that was killed a moment ago.
        What answers must be this cluster: another one may listen where our node could not.
        """
        deadline, home = time.monotonic() + START_SECONDS, self._files.home
        waiting = [b for b in self._files.brokers if b.running]
        wanted = {b.node_id for b in waiting}
        while waiting:
            self.check_alive(self._files.nodes)
            try:
                if wanted <= await self._brokers_of(waiting[0]):
                    del waiting[0]
                    continue
            except Failure as error:
                if time.monotonic() > deadline:
                    text = f"the cluster does not serve: {error}; see {home}"
                    raise Unusable(text) from error
            if time.monotonic() > deadline:
                raise Unusable(f"not all brokers came up within {START_SECONDS:g} s: {home}")
            await asyncio.sleep(0.05)

    async def _brokers_of(self, broker: LocalNode) -> set[int]:
        """The brokers that one of them knows. Failure where it does not answer."""
        address = f"127.0.0.1:{broker.port}"
        async with self.admin(address, 2.0) as admin:
            cluster = await admin.describe_cluster()
        ours = self._files.cluster_id
        if ours and cluster.cluster_id != ours:
            raise Unusable(
                f"another cluster (id {cluster.cluster_id}) answers at {address};"
                f" the one in {self._files.home} has id {ours}: stop the other one, or"
                " use another folder and other ports"
            )
        self.check_alive(self._files.nodes)
        return set(cluster.brokers)

    async def stop_node(self, node: LocalNode) -> int | None:
        """Stop one node cleanly; its exit code."""
        node.is_wanted = False
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
        node.is_wanted = False
        if node.process is not None and node.running:
            node.process.kill()
            await node.process.wait()

    @staticmethod
    def check_alive(nodes: Iterable[LocalNode]) -> None:
        """Unusable where the process of one of them has ended without an order."""
        for node in nodes:
            if node.is_wanted and node.process is not None and not node.running:
                raise Unusable(how_it_ended(node))

    def _title(self, node: LocalNode) -> str:
        roles = [
            *(["broker"] if node.port is not None else []),
            *(["controller"] if node.controller_port is not None else []),
        ]
        return f"spindle {'+'.join(roles)} {node.node_id} of {self._files.home.name}"
