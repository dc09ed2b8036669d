"""A cluster whose voters are in its log (KIP-853): one controller begins, the others may join."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from spindle.cli.kafka_metadata_quorum import metadata_quorum
from tests.support.apache_kafka import METADATA_QUORUM, ApacheNode, ToolResult
from tests.support.commands import call_tool, run
from tests.support.mixed import Mixed
from tests.support.quorum import quorum_of
from tests.support.waiting import eventually

FIRST = 100
"""The controller that begins alone."""


class Dynamic(Mixed):
    """Controller 100 is formatted with `--standalone`, all else with `--no-initial-controllers`."""

    def __init__(
        self,
        folder: Path,
        jars: Path,
        *,
        theirs: Collection[int],
        brokers: int = 1,
        controllers: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(
            folder,
            jars,
            theirs=theirs,
            brokers=brokers,
            directories=1,
            controllers=controllers,
            settings=settings,
        )

    def write_config(self, node: ApacheNode) -> None:
        """As any other, with addresses of controllers for their static list."""
        super().write_config(node)
        lines = node.config.read_text().splitlines()
        kept = [line for line in lines if not line.startswith("controller.quorum.voters=")]
        kept.append(f"controller.quorum.bootstrap.servers={self.controllers}")
        node.config.write_text("\n".join(kept) + "\n")

    def format(self) -> None:
        """Format what is blank: the first controller begins a quorum, the others will join it."""
        for node in self.nodes.values():
            self.format_node(node)

    def format_node(self, node: ApacheNode) -> None:
        """Format a node's blank directories by the program that runs it."""
        how = "--standalone" if node.node_id == FIRST else "--no-initial-controllers"
        words = ("format", "-g", "-t", self.cluster_id, "-c", str(node.config), how)
        # The first one's directory is formatted by the other party's tool.
        if (node.node_id in self.theirs) is not (node.node_id == FIRST):
            self.format_with_kafka(node, how)
        else:
            done = run("kafka-storage", *words)
            assert done.code == 0, done

    def add(self, node_id: int) -> ToolResult:
        """Add a controller with Apache Kafka's tool, once it has caught up."""
        given = str(self.nodes[node_id].config)
        return self._change(given, "add-controller")

    def remove(self, node_id: int) -> ToolResult:
        """Remove a controller with Apache Kafka's tool."""
        directory = self.directory_id(node_id)
        return self._change(None, "remove-controller", "-i", str(node_id), "-d", directory)

    def add_with_ours(self, node_id: int, *at: str) -> ToolResult:
        """Add a controller with Spindle's tool."""
        given = str(self.nodes[node_id].config)
        return call_tool(metadata_quorum, *at, "--command-config", given, "add-controller")

    def remove_with_ours(self, node_id: int, *at: str) -> ToolResult:
        """Remove a controller with Spindle's tool."""
        directory = self.directory_id(node_id)
        named = ("-i", str(node_id), "-d", directory)
        return call_tool(metadata_quorum, *at, "remove-controller", *named)

    @property
    def by_controllers(self) -> tuple[str, str]:
        """Options of a tool that asks controllers."""
        return ("--bootstrap-controller", self.controllers)

    @property
    def by_brokers(self) -> tuple[str, str]:
        """Options of a tool that asks brokers."""
        return ("--bootstrap-server", self.bootstrap)

    def _change(self, properties: str | None, *words: str) -> ToolResult:
        own = () if properties is None else ("--command-config", properties)
        return self.run_tool(METADATA_QUORUM, *self.by_controllers, *own, *words)

    def directory_id(self, node_id: int) -> str:
        """The id of a controller's metadata directory."""
        text = (self.nodes[node_id].log_dirs[0] / "meta.properties").read_text()
        lines = [line.partition("=") for line in text.splitlines()]
        return next(value for name, _, value in lines if name == "directory.id")

    def voters_are(self, *voters: int) -> None:
        """Wait until these are the voters, and all of them have what is committed."""

        def look() -> bool:
            view = quorum_of(self)
            if view is None or set(view.voters) != set(voters):
                return False
            return all(end >= view.high_watermark for end in view.voters.values())

        eventually(look, f"the voters are {voters}", 60, 0.1)

    def observes(self, node_id: int) -> None:
        """Wait until a controller without a vote has what is committed."""

        def look() -> bool:
            view = quorum_of(self)
            return view is not None and view.observers.get(node_id, -1) >= view.high_watermark

        eventually(look, f"{node_id} has caught up", 60, 0.1)
