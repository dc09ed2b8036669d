"""The harness itself: Apache Kafka starts, serves, restarts and keeps its data."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pytest
from tests.support.apache_kafka import LOG_DIRS, ApacheKafka
from tests.support.local import Local
from tests.support.nursery import Nursery
from tests.support.waiting import eventually

pytestmark = pytest.mark.kafka


def test_separate_controller_and_three_directories_serve_again_after_a_kill(
    kafka_jars: Path, tmp_path: Path
) -> None:
    with ApacheKafka(
        tmp_path, kafka_jars, brokers=1, directories=3, separate_controller=True
    ) as kafka:
        kafka.start()
        kafka.create_topic("t", "1,1,1")
        kafka.stop_node(1, kill=True)
        kafka.start_node(1)
        done = kafka.run_tool(LOG_DIRS, "--bootstrap-server", kafka.bootstrap, "--describe")
        assert done.code == 0, done
        (broker,) = json.loads(done.lines()[2])["brokers"]
        found = {d["logDir"]: d["partitions"] for d in broker["logDirs"]}
        assert sorted(found) == kafka.log_dirs(1)
        assert all(len(partitions) == 1 for partitions in found.values())


def test_nodes_end_with_the_process_that_forked_them(tmp_path: Path) -> None:
    """Also where that is killed: a cluster that outlives its test takes ports and cores."""
    with Local(tmp_path, brokers=1, directories=1, nursery=Nursery()) as cluster:
        cluster.start()
        nodes = [cluster.nodes[id].process for id in cluster.nodes]
        pids = [process.pid for process in nodes if process is not None]
        (forker,) = {psutil.Process(pid).ppid() for pid in pids}
        family = [psutil.Process(pid) for pid in pids]
        os.kill(forker, signal.SIGKILL)
        eventually(lambda: not any(p.is_running() for p in family), "the nodes have ended", 60)
        for node in cluster.nodes.values():
            node.process = None
