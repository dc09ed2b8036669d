"""A cluster of Spindle nodes as processes, in the shape of `ApacheKafka`: what can be asked of one
can be asked of the other, Apache Kafka's own tools included.
"""

from __future__ import annotations

import sys

from tests.support.apache_kafka import ApacheKafka, ApacheNode
from tests.support.commands import run


class SpindleCluster(ApacheKafka):
    """The same plan and the same properties; formatted and run by our own commands."""

    def format(self) -> None:
        """Format every node's directories with `kafka-storage` of this installation."""
        for node in self.nodes.values():
            done = run(
                "kafka-storage", "format", "-g", "-t", self.cluster_id, "-c", str(node.config)
            )
            assert done.code == 0, done

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        return [sys.executable, "-m", "spindle", "broker", "-c", str(node.config)]
