"""A cluster of Spindle nodes as processes, in the shape of `ApacheKafka`: what can be asked of one
can be asked of the other, Apache Kafka's own tools included.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import cast

from tests.support.apache_kafka import ApacheKafka, ApacheNode
from tests.support.commands import run
from tests.support.nursery import shared
from tests.support.processes import tied


class SpindleCluster(ApacheKafka):
    """The same plan and the same properties; formatted and run by our own commands."""

    modules: Path | None = None
    """The folder of an older Spindle's modules, which format and run the nodes then."""

    def format(self) -> None:
        """Format every node's directories with `kafka-storage`, or as the older Spindle does."""
        for node in self.nodes.values():
            words = ("format", "-g", "-t", self.cluster_id, "-c", str(node.config))
            if self.modules is None:
                done = run("kafka-storage", *words)
                assert done.code == 0, done
            else:
                command = self._spindle("storage", *words)
                subprocess.run(tied(command), check=True, stdout=subprocess.DEVNULL)

    def start_node(self, node_id: int, *, wait: bool = True) -> None:
        """Start one node; with `wait`, return when all running brokers know each other.

        One of this Spindle is forked from a process that has loaded the code.
        """
        node = self.nodes[node_id]
        if self.modules is not None or self.command(node) != self._broker(node):
            super().start_node(node_id, wait=wait)
            return
        assert node.process is None, f"node {node_id} runs already"
        node.process = cast("subprocess.Popen[bytes]", shared().start(node.config, node.log))
        if wait:
            self.wait_until_serving()

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        return self._broker(node)

    def _broker(self, node: ApacheNode) -> list[str]:
        return self._spindle("broker", "-c", str(node.config))

    def _spindle(self, *words: str) -> list[str]:
        own = [sys.executable, "-m", "spindle", *words]
        return own if self.modules is None else ["env", f"PYTHONPATH={self.modules}", *own]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every node. AssertionError where one of their logs tells of a bug."""
        super().__exit__(kind, error, trace)
        bugs = self.bugs()
        if bugs and not isinstance(error, KeyboardInterrupt):
            raise AssertionError("\n".join(bugs)) from error

    def bugs(self) -> list[str]:
        """What the nodes' logs say of Spindle's failures, with some lines after each."""
        found = []
        for node in self.nodes.values():
            if not node.log.exists():
                continue
            lines = node.log.read_text(errors="replace").splitlines()
            for number, line in enumerate(lines):
                if "a bug:" in line or "Traceback" in line:
                    found.append("\n".join([f"node {node.node_id}", *lines[number : number + 40]]))
        return found
