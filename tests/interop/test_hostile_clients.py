"""A broker that may open 160 files, and 300 connections that do nothing (S-08, real processes)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from tests.support.clients import produce, values
from tests.support.local import Local
from tests.support.nursery import Nursery
from tests.support.waiting import eventually

FILES, IDLE = 160, 300
LOOK_SECONDS = 3.0


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    """Two brokers, of which the first has few descriptors."""
    settings = {"offsets.topic.replication.factor": "2", "default.replication.factor": "2"}
    nursery = Nursery()
    with Local(tmp_path, brokers=2, settings=settings, nursery=nursery) as cluster:
        cluster.start()
        cluster.stop_node(1)
        limits = (64, FILES)  # The node itself raises the first one.
        psutil.Process(nursery.pid).rlimit(psutil.RLIMIT_NOFILE, limits)
        cluster.start_node(1)
        yield cluster


@pytest.mark.spec("S-08")
def test_idle_connections_take_neither_the_processor_nor_the_log_nor_the_room(
    cluster: Local,
) -> None:
    victim = cluster.nodes[1]
    assert f"open_files_max={FILES}" in victim.log.read_text()
    cluster.create("good", [[1, 2]], min_insync_replicas="2")
    assert victim.process is not None
    process = psutil.Process(victim.process.pid)
    with ExitStack() as stack:
        for _ in range(IDLE):
            link = socket.create_connection(("127.0.0.1", victim.port), timeout=10)
            stack.enter_context(link)
        size, used = victim.log.stat().st_size, sum(process.cpu_times()[:2])
        time.sleep(LOOK_SECONDS)  # what is measured is that nothing happens in it
        assert sum(process.cpu_times()[:2]) - used < LOOK_SECONDS / 3
        assert victim.log.stat().st_size - size < 5_000
        assert process.num_fds() < FILES
        # Clients and the other broker get in all the same: its follower stays in the ISR.
        produce(cluster.bootstrap, "good", [b"one", b"two"])
        assert len(values(cluster.bootstrap, "good")) == 2
        cluster.become("good", {0: (1, {1, 2})})
    eventually(lambda: process.num_fds() < FILES // 2, "the connections are given back", 20)
    produce(cluster.bootstrap, "good", [b"three"])
