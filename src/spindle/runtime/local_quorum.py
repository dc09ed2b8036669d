"""Which controllers a local cluster has, and how that changes while it runs (KIP-853).

`votes` asks the cluster; here nodes are started for it, and the folder notes them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint, NodeId
from spindle.runtime import votes
from spindle.runtime.folder import Asked
from spindle.runtime.local_files import LocalFiles
from spindle.runtime.local_node import CONTROLLER, LocalNode
from spindle.runtime.local_processes import LocalProcesses


class LocalQuorum:
    """The controllers of one cluster. `asked`: what they are to be when it has started."""

    def __init__(self, files: LocalFiles, processes: LocalProcesses, asked: Asked) -> None:
        self._files = files
        self._processes = processes
        self._asked = asked

    async def become_as_asked(self) -> None:
        """Have the quorum that there is be of the kind and of the controllers asked for.

        A controller whose directory was lost, or that was added and not heard of, votes again.
        """
        asked = self._asked
        if not self._files.is_new or asked.quorum not in (None, self._files.plan.quorum):
            async with self._admin() as admin:
                await self._agree(admin)
        count = len(self._files.controllers) if asked.controllers is None else asked.controllers
        while len(self._files.controllers) < count:
            await self._add(self._files.plan.next_id)
        while len(self._files.controllers) > count:
            await self.remove(self._files.controllers[-1])

    async def _agree(self, admin: AdminClient) -> None:
        """Have the quorum be of the kind asked for, and the controllers that there are vote."""
        if self._files.plan.quorum == "static":
            is_dynamic = await votes.is_dynamic(admin, self._files.brokers[0].node_id)
            if self._asked.quorum == "dynamic" and not is_dynamic:
                await votes.make_dynamic(admin)
                is_dynamic = True
            if not is_dynamic:
                return
            self._files.replan(replace(self._files.plan, quorum="dynamic"))
        for node in self._files.controllers:
            await self._vote(admin, node)

    async def add(self) -> LocalNode:
        """Start one controller more, a node of its own, and give it a vote.

        Unusable where the quorum is static; Refused where it does not take the voter.
        """
        return await self._add(self._files.plan.free_id)

    async def _add(self, id: NodeId) -> LocalNode:
        self._check_dynamic()
        (port,) = self._files.folder.reserve(1)
        node = self._files.controller(id, port)
        await self._processes.stop_node(node)
        self._files.controllers.append(node)
        if node not in self._files.brokers:
            self._files.serve_metrics(node)
        self._files.replan(self._files.plan.added(id, port))
        self._files.format(node, None)
        await self._processes.start_node(node)
        if node in self._files.brokers:
            await self._processes.wait_serving()
        async with self._admin() as admin:
            await self._vote(admin, node)
        return node

    async def remove(self, node: LocalNode) -> None:
        """Take a controller's vote and stop it; a broker goes on as one, started again.

        Unusable where the quorum is static, or no other controller votes; Refused.
        """
        self._check_dynamic()
        async with self._admin() as admin:
            await votes.take_vote(admin, node.node_id)
        is_broker, runs = node in self._files.brokers, node.running
        await self._processes.stop_node(node)
        node.controller_port = None
        self._files.controllers.remove(node)
        self._files.replan(self._files.plan.removed(node.node_id))
        if is_broker and runs:
            await self._processes.start_node(node)
            await self._processes.wait_serving()

    def _check_dynamic(self) -> None:
        if self._files.plan.quorum == "static":
            raise Unusable(
                f"the quorum of the cluster in {self._files.home} is static: its voters cannot be"
                " changed"
            )

    async def _vote(self, admin: AdminClient, node: LocalNode) -> None:
        directory = self._files.directory_of(node)
        assert directory is not None, "it was formatted before it was started"
        assert node.controller_port is not None
        at = Endpoint(CONTROLLER, "127.0.0.1", node.controller_port)
        check = partial(self._processes.check_alive, [node])
        await votes.give_vote(admin, node.node_id, directory, at, check)

    def _admin(self) -> AdminClient:
        return self._processes.admin(self._processes.bootstrap, votes.CHANGE_SECONDS)
