"""A cluster with nodes of both kinds: some are ours, some are Apache Kafka's, and they may change.

Every node has the same properties and the same directories whichever program runs it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from tests.support.apache_kafka import ApacheKafka, ApacheNode
from tests.support.local import Local


class Mixed(Local):
    """`theirs`: the ids of the nodes that Apache Kafka runs; take effect at a node's next start."""

    def __init__(
        self,
        folder: Path,
        jars: Path,
        *,
        theirs: Collection[int],
        brokers: int = 2,
        directories: int = 2,
        settings: Mapping[str, str] | None = None,
        controllers: int = 1,
    ) -> None:
        super().__init__(
            folder,
            jars,
            brokers=brokers,
            directories=directories,
            settings=settings,
            controllers=controllers,
        )
        self.theirs = set(theirs)

    def format(self) -> None:
        """Format what is blank: Apache Kafka's controllers by its own tool, as is its default."""
        theirs = [n for n in self.nodes.values() if n.node_id in self.theirs and not n.is_broker]
        for node in theirs:
            self.format_with_kafka(node)
        super().format()

    def start_node(self, node_id: int, *, wait: bool = True) -> None:
        """Start one node, by the program that it belongs to."""
        if node_id in self.theirs:
            ApacheKafka.start_node(self, node_id, wait=wait)
        else:
            super().start_node(node_id, wait=wait)

    def command(self, node: ApacheNode) -> list[str]:
        """How Apache Kafka's process is started."""
        assert node.node_id in self.theirs
        return ApacheKafka.command(self, node)
