"""What a move copies goes through the kernel: a real broker counts what its own code writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.support import counting_broker
from tests.support.apache_kafka import ApacheNode
from tests.support.clients import values
from tests.support.local import Local
from tests.support.real_moves import MB, fill, rests
from tests.support.spindle_cluster import SpindleCluster

from spindle.model.errors import Error

SETTINGS = {"default.replication.factor": "1", "log.segment.delete.delay.ms": "200"}


class Counting(Local):
    """A cluster whose nodes are processes of their own, and count."""

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        script, count = str(counting_broker.__file__), str(node.folder / "count")
        return [sys.executable, script, count, "broker", "-c", str(node.config)]

    def start_node(self, node_id: int, *, wait: bool = True) -> None:
        """Start one node, without the forking process."""
        SpindleCluster.start_node(self, node_id, wait=wait)


@pytest.mark.spec("K113-06")
def test_no_record_bytes_of_a_move_are_written_by_the_interpreter(tmp_path: Path) -> None:
    with Counting(tmp_path, brokers=1, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create_on("heavy", 0, [1], segment_bytes=str(4 * MB))
        given = fill(cluster, "heavy", 10 * MB)
        assert cluster.alter({("heavy", 0, 1): 1}) == {"heavy-0-1": Error.NONE}
        cluster.until(lambda: rests(cluster, 1, "heavy", 1), "it has moved", 60)
        assert values(cluster.bootstrap, "heavy") == given
        log = cluster.nodes[1].log_dirs[1] / "heavy-0"
        assert sum(file.stat().st_size for file in log.glob("*.log")) > 10 * MB
        cluster.stop_node(1)
        written = json.loads((cluster.nodes[1].folder / "count").read_text())
        assert written["logs"] > 10 * MB, "appends are counted"
        assert written["copies"] == 0
