"""`spindle.testing`: clusters begin, end and stay apart, and leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from kafka import KafkaProducer
from tests.interop.conftest import MEASURED
from tests.support.clients import produce, values
from tests.support.processes import tied
from tests.support.waiting import eventually

import spindle.testing
from spindle.model.errors import Unusable
from spindle.testing import NodeBug

ROOT = Path(__file__).parents[2]


@pytest.mark.spec("T-01")
def test_clusters_side_by_side_know_nothing_of_each_other_and_leave_nothing() -> None:
    with spindle.testing.cluster(brokers=2) as one, spindle.testing.cluster(brokers=1) as other:
        assert one.cluster_id != other.cluster_id
        produce(one.bootstrap_servers, "t", [b"of one"])
        produce(other.bootstrap_servers, "t", [b"of the other"])
        assert values(one.bootstrap_servers, "t") == [b"of one"]
        assert values(other.bootstrap_servers, "t") == [b"of the other"]
        assert len(one.broker(2).disks) == 2
        folders = [one.folder, other.folder]
        processes = [psutil.Process(node.pid) for node in (*one.nodes, *other.nodes)]
        assert len(processes) == 5
    assert not any(folder.exists() for folder in folders)
    assert not any(process.is_running() for process in processes)


@pytest.mark.spec("T-01")
def test_a_cluster_is_ready_soon(record_property: Callable[[str, object], None]) -> None:
    """How soon is printed at the end of the run: a loaded machine is slow, not wrong."""
    took = []
    for _ in range(3):
        begun = time.monotonic()
        with spindle.testing.cluster() as cluster:
            took.append(time.monotonic() - begun)
            produce(cluster.bootstrap_servers, "t", [b"served"])
    best, median = min(took), statistics.median(took)
    record_property(
        MEASURED, f"a cluster of 3 brokers x 2 disks: {best:.2f}, median {median:.2f} s"
    )


@pytest.mark.spec("T-01")
def test_a_coroutine_has_a_cluster_too() -> None:
    async def run() -> bytes | None:
        async with spindle.testing.cluster(brokers=1, combined=True) as cluster:
            servers = cluster.bootstrap_servers
            async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
                await producer.send_and_wait("t", b"hello")
            async with AIOKafkaConsumer(
                "t", bootstrap_servers=servers, auto_offset_reset="earliest"
            ) as consumer:
                value: bytes | None = (await consumer.getone()).value
                return value

    assert asyncio.run(asyncio.wait_for(run(), 60)) == b"hello"


@pytest.mark.spec("T-01")
def test_a_folder_that_is_named_is_kept_and_found_again(tmp_path: Path) -> None:
    with spindle.testing.cluster(brokers=1, folder=tmp_path) as cluster:
        produce(cluster.bootstrap_servers, "t", [b"kept"])
        cluster.broker(1).stop()
        assert cluster.broker(1).exit_code == 0
    with spindle.testing.cluster(brokers=1, folder=tmp_path) as cluster:
        assert values(cluster.bootstrap_servers, "t") == [b"kept"]


@pytest.mark.spec("T-01")
def test_settings_are_kafkas_and_what_cannot_start_says_why_and_leaves_nothing() -> None:
    with spindle.testing.cluster(brokers=1, settings={"num.partitions": "3"}) as cluster:
        producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers)
        assert producer.partitions_for("t") == {0, 1, 2}
        producer.close()
    failing = spindle.testing.cluster(brokers=1, settings={"num.partitions": "many"})
    with pytest.raises(Unusable, match=r"num\.partitions"):
        failing.start()
    assert not failing.folder.exists()


@pytest.mark.spec("T-01")
def test_clusters_are_made_at_once_by_threads() -> None:
    names: list[str] = []

    def use() -> None:
        with spindle.testing.cluster(brokers=1) as cluster:
            produce(cluster.bootstrap_servers, "t", [b"x"])
            names.append(cluster.cluster_id)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(use) for _ in range(4)]:
            done.result()
    assert len(set(names)) == 4


@pytest.mark.spec("T-01")
def test_what_cannot_be_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(Unusable, match="3 of 1 brokers cannot be controllers"):
        spindle.testing.cluster(brokers=1, controllers=3, combined=True)
    assert not [*tmp_path.iterdir()]


LEFT_ALONE = """
import multiprocessing, time
import spindle.testing

cluster = spindle.testing.cluster(brokers=2).start()
cluster.broker(1).freeze()
cluster.broker(2).disk(0).hang()
fork = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
if {forks}:
    fork.start()
print(cluster.folder, fork.pid or 0, *(node.pid for node in cluster.nodes), flush=True)
time.sleep(300)
"""


@pytest.mark.spec("T-01")
@pytest.mark.parametrize("forks", [False, True], ids=["alone", "with a fork"])
def test_a_killed_test_run_takes_its_cluster_along(forks: bool) -> None:
    """Also where a fork of it lives on, which has inherited what the test run had open."""
    with subprocess.Popen(
        tied([sys.executable, "-c", LEFT_ALONE.format(forks=forks)]),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        folder, fork, *pids = run.stdout.readline().split()
        nodes = [psutil.Process(int(pid)) for pid in pids]
        os.kill(run.pid, signal.SIGKILL)
        run.wait(10)
        eventually(lambda: not any(node.is_running() for node in nodes), "the nodes are gone", 10)
        eventually(lambda: not Path(folder).exists(), "their files are gone", 10)
        if forks:
            os.kill(int(fork), signal.SIGKILL)


@pytest.mark.spec("T-01", "N-05")
def test_a_bug_in_a_node_fails_the_test_whatever_else_it_found() -> None:
    def run() -> None:
        with spindle.testing.cluster(brokers=1) as cluster:
            with cluster.broker(1).log_file.open("a") as log:
                log.write("[error] a bug: the node stops\nRuntimeError: as if\n")
            raise ValueError("what the test found")

    with pytest.raises(NodeBug, match="RuntimeError: as if") as caught:
        run()
    assert isinstance(caught.value.__context__, ValueError)
