"""A local cluster as users start it: quick, kept across restarts, and never left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.runtime.local import LocalCluster
from spindle.runtime.nursery import Nursery


def test_data_are_kept_across_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with LocalCluster(tmp_path, brokers=1, dirs=2) as cluster:
            async with AdminClient(cluster.bootstrap) as admin:
                await admin.create_topics([NewTopic("kept", 3, 1)]).all()
            first = cluster.bootstrap
        async with LocalCluster(tmp_path, brokers=1, dirs=2) as cluster:
            assert cluster.bootstrap == first
            async with AdminClient(cluster.bootstrap) as admin:
                topics = await admin.describe_topics(["kept"]).all()
                assert len(topics["kept"].partitions) == 3

    asyncio.run(scenario())


def test_a_node_that_cannot_start_says_why_and_ends_with_1(tmp_path: Path) -> None:
    async def scenario() -> None:
        nursery = Nursery()
        properties, log = tmp_path / "server.properties", tmp_path / "node.log"
        properties.write_text("process.roles=broker\n")
        node = await nursery.start(properties, log)
        assert await asyncio.wait_for(node.wait(), 30) == 1
        assert "node.id is missing" in log.read_text()
        await nursery.close()

    asyncio.run(scenario())


def test_no_process_is_left_behind_when_the_command_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "1", "--port", "0", "--json"]
    up = subprocess.Popen([*command, "--data", str(tmp_path)], stdout=subprocess.PIPE)
    assert up.stdout is not None
    assert "bootstrap" in json.loads(up.stdout.readline())
    family = psutil.Process(up.pid).children(recursive=True)
    assert len(family) >= 3  # the forking process, a controller, a broker
    up.kill()
    up.wait(10)
    eventually(lambda: not any(p.is_running() for p in family), "all nodes have stopped", 30)


def test_ctrl_c_stops_the_cluster_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "1", "--port", "0", "--json"]
    up = subprocess.Popen([*command, "--data", str(tmp_path)], stdout=subprocess.PIPE)
    assert up.stdout is not None
    up.stdout.readline()
    os.kill(up.pid, signal.SIGINT)
    assert up.wait(30) == 0
    assert "node has stopped" in (tmp_path / "broker-1" / "node.log").read_text()
