"""The files of a local cluster: its nodes' properties, and the directories, formatted once.

Knows no process: `local_processes` runs the nodes that are here, `local_quorum` changes which of
them are controllers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from spindle.model.config import node_config
from spindle.model.errors import Unusable
from spindle.model.first_voters import parse_voters
from spindle.model.ids import DirectoryId, NodeId, id_to_text
from spindle.model.metadata_records import MetadataRecord
from spindle.model.quorum_voters import Voters
from spindle.model.security_protocol import SecurityProtocol
from spindle.runtime import votes
from spindle.runtime.cluster_plan import CONTROLLER_ID, ClusterPlan
from spindle.runtime.folder import Asked, Folder
from spindle.runtime.local_node import CONTROLLER, LocalNode, node_properties
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.storage.formatting import format_blank


class LocalFiles:
    """The nodes of one folder. `outer`: how clients connect; `records`: see `LocalCluster`."""

    def __init__(
        self,
        home: Path,
        asked: Asked,
        dirs: int,
        settings: Mapping[str, str],
        outer: SecurityProtocol,
        records: Sequence[MetadataRecord],
        metrics: bool,
    ) -> None:
        self.home = home
        self.folder = Folder(home)
        self.folder.check_dirs(dirs)
        self.plan = self.folder.plan(asked)
        self.cluster_id = ""
        """Its id, once its files are prepared."""
        self.is_new = False
        """Whether its quorum has not begun yet."""
        self._settings = settings
        self._outer = outer
        self._records = records
        self._has_metrics = metrics
        self.brokers = [
            LocalNode(
                n,
                home / f"broker-{n}",
                port,
                tuple(home / f"broker-{n}" / f"disk-{d}" for d in range(1, dirs + 1)),
            )
            for n, port in enumerate(self.plan.brokers, 1)
        ]
        self.controllers = [self.controller(id, at) for id, at in self.plan.controllers.items()]
        self.serve_metrics(*self.nodes)
        if outer.has_sasl:
            free = self.folder.reserve(len(self.brokers))
            for node, port in zip(self.brokers, free, strict=True):
                node.inner_port = port

    @property
    def nodes(self) -> list[LocalNode]:
        """All nodes, controllers first."""
        return [*self.controllers, *(b for b in self.brokers if b not in self.controllers)]

    def controller(self, id: NodeId, port: int) -> LocalNode:
        """The node that is this controller: a broker, or one of its own."""
        found = next((b for b in self.brokers if b.node_id == id), None)
        if found is None:
            number = id - CONTROLLER_ID
            found = LocalNode(id, self.home / f"controller{f'-{number + 1}' if number else ''}")
        found.controller_port = port
        return found

    def serve_metrics(self, *nodes: LocalNode) -> None:
        """Give nodes a port for their metrics, if the cluster has any."""
        if self._has_metrics:
            for node, free in zip(nodes, self.folder.reserve(len(nodes)), strict=True):
                node.settings["metrics.port"] = str(free)

    def prepare(self) -> None:
        """Write the properties and format the directories that are not formatted yet.

        The folder is this process's until it is unlocked. Unusable where the metadata is lost.
        """
        self.folder.lock()
        self._write_properties()
        disk = OsDisk()
        configs = [node_config(self._properties(node)) for node in self.nodes]
        found = {path: meta.read(disk, path) for config in configs for path in config.directories}
        known = [own.cluster_id for own in found.values() if own is not None]
        self.cluster_id = next(iter(known), None) or id_to_text(meta.random_directory_id())
        voters = self._first_voters(not known)
        self.is_new = voters is not None or not known
        for node in self.nodes:
            self.format(node, voters)
        self.folder.forget_initial_controllers()

    def _write_properties(self) -> None:
        for node in self.nodes:
            node.home.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{k}={v}\n" for k, v in self._properties(node).items())
            node.properties.write_text(text)

    def _first_voters(self, is_new: bool) -> Voters | None:
        """The voters that a dynamic quorum begins with; None where it has begun.

        They are noted before the first directory is formatted: each must name the same ones, also
        where this process ends in between.
        """
        if self.plan.quorum == "static":
            return None
        if is_new:
            self.folder.note_initial_controllers(votes.initial_controllers(self.plan))
        noted = self.folder.initial_controllers()
        if noted is not None:
            return parse_voters(noted, CONTROLLER)
        if all(self.directory_of(node) is None for node in self.controllers):
            raise Unusable(
                f"{self.home} has lost its metadata: no directory of its controllers is formatted."
                " Bring one back, or begin in another folder"
            )
        return None

    def format(self, node: LocalNode, voters: Voters | None) -> None:
        """Format a node's blank directories; `voters`: those of a quorum that it begins."""
        disk = OsDisk()
        config = node_config(self._properties(node))
        for path in config.directories:
            if meta.read(disk, path) is not None:
                continue
            begins = path == config.metadata_dir and node in self.controllers
            first = voters if begins else None
            now_ms = time.time_ns() // 1_000_000
            format_blank(disk, (path,), self.cluster_id, node.node_id, now_ms, self._records, first)

    def directory_of(self, node: LocalNode) -> DirectoryId | None:
        """The id of a node's metadata directory; None where that is not formatted."""
        own = meta.read(OsDisk(), node_config(self._properties(node)).metadata_dir)
        return None if own is None else own.directory_id

    def replan(self, plan: ClusterPlan) -> None:
        """Note which controllers there are: in the folder, and in all nodes' properties."""
        self.plan = plan
        self.folder.keep(plan)
        self._write_properties()

    def _properties(self, node: LocalNode) -> dict[str, str]:
        return node_properties(node, self.plan, self._outer, self._settings)
