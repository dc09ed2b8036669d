"""What large requests take of a broker's memory, and that it gives it back (S-08, real process)."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import TopicPartition
from tests.interop.conftest import MEASURED
from tests.support.clients import consumer, produce, taken
from tests.support.local import Local
from tests.support.waiting import eventually

MIB = 1 << 20
AT_ONCE = 8
"""Clients, each with a topic of its own."""
BATCH = 12 * MIB
"""Bytes of one produce request, which is one batch, and of one answer to a fetch."""
KEPT = 24 * MIB
"""A broker at rest has grown by no more than that: a quarter of what was under way."""
LARGE = {
    "message.max.bytes": str(2 * BATCH),
    "replica.fetch.max.bytes": str(2 * BATCH),
    "fetch.max.bytes": str(4 * BATCH),
}
PRODUCER = {"message.max.bytes": 2 * BATCH, "batch.size": 2 * BATCH, "linger.ms": 100}
READER: dict[str, Any] = {"fetch.message.max.bytes": 2 * BATCH, "fetch.max.bytes": 4 * BATCH}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    """One broker that takes large batches."""
    with Local(tmp_path, brokers=1, settings=LARGE) as cluster:
        cluster.start()
        yield cluster


class Peak:
    """The most memory that a process has while this is open, looked at all the time."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most = 0

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.002):
            self.most = max(self.most, self._process.memory_info().rss)


def rounds(cluster: Local, topics: list[str], size: int) -> None:
    """Three records of that size into each topic and all of them out again, topics side by side."""
    record = random.Random(size).randbytes(size)

    def in_and_out(topic: str) -> None:
        for _ in range(3):
            produce(cluster.bootstrap, topic, [record], **PRODUCER)
        reader = consumer(cluster.bootstrap, **READER)
        reader.assign([TopicPartition(topic, 0, 0)])
        found = 0
        while found < 3:
            messages = taken(reader, 1)
            assert all(m.value()[-8:] == record[-8:] for m in messages if len(m.value()) == size)
            found += sum(len(m.value()) == size for m in messages)
        reader.close()

    with ThreadPoolExecutor(len(topics)) as clients:
        list(clients.map(in_and_out, topics))


@pytest.mark.spec("S-08")
def test_what_large_requests_took_is_given_back(
    cluster: Local, record_property: Callable[[str, object], None]
) -> None:
    running = cluster.nodes[1].process
    assert running is not None
    process = psutil.Process(running.pid)
    small, large = ([f"{kind}-{n}" for n in range(AT_ONCE)] for kind in ("small", "large"))
    for topic in (*small, *large):
        cluster.create(topic, [[1]], max_message_bytes=str(2 * BATCH))

    def held() -> int:
        return int(process.memory_info().rss)

    rounds(cluster, small, MIB // 4)  # What is made once stays: caches, readers, threads.
    before = held()
    with Peak(process) as peak:
        rounds(cluster, large, BATCH)
    figures = f"before {before // MIB} MiB, at most {peak.most // MIB}"
    assert peak.most > before + 2 * KEPT, f"the requests were too small to tell: {figures}"
    eventually(lambda: held() < before + KEPT, f"it gives back what it took: {figures}", 30)
    record_property(MEASURED, f"memory, large requests: {figures}, after {held() // MIB}")
