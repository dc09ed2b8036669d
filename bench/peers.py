"""The peers of every comparison: three brokers with two log directories each, and a controller.

All are the test suites' clusters: the same properties, the same directories on the same file
system, one process a node, the same preloaded fault shim where disks are to fail. Apache Kafka runs
with the heap and the collector that its own start scripts choose. While one is measured the others'
processes are stopped (SIGSTOP): they take no processor time, and a JIT stays warm.
"""

from __future__ import annotations

import asyncio
import compileall
import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
from tests.support.apache_kafka import ApacheKafka
from tests.support.kafka_jars import kafka_jars
from tests.support.ports import free_port
from tests.support.spindle_cluster import SpindleCluster

import spindle
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.errors import Failure

NAMES: Final = ("kafka", "spindle")
"""Of those that every section has; `--beside` adds one to some."""
BROKERS, DIRECTORIES = 3, 2
SETTINGS = {
    "num.partitions": "1",
    "offsets.topic.num.partitions": "3",
    "offsets.topic.replication.factor": "3",
    "default.replication.factor": "3",
    "log.retention.check.interval.ms": "300000",
    "log.segment.delete.delay.ms": "1000",
}
APACHE_SETTINGS = {"num.network.threads": "3", "num.io.threads": "8"}
APACHE_JVM = (
    "-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent",
    "-XX:MaxInlineLevel=15", "-Djava.awt.headless=true",
)  # fmt: skip
"""What kafka-server-start.sh and kafka-run-class.sh pass to Java by default."""
_SETTLE_S = 60.0


def new_cluster(
    name: str, home: Path, controllers: int = 1, modules: Path | None = None
) -> ApacheKafka:
    """A cluster of one of the peers, not started yet. `modules`: those of an older Spindle."""
    place = home / f"{name.replace(' ', '-')}-{controllers}"
    if name != "kafka":
        ours = SpindleCluster(
            place, kafka_jars(), brokers=BROKERS, directories=DIRECTORIES,
            separate_controller=True, controllers=controllers, settings=SETTINGS,
        )  # fmt: skip
        ours.modules = modules
        for node in ours.brokers:
            node.settings["metrics.port"] = str(free_port())
            ours.write_config(node)
        return ours
    return ApacheKafka(
        place, kafka_jars(), brokers=BROKERS, directories=DIRECTORIES, separate_controller=True,
        controllers=controllers, settings={**SETTINGS, **APACHE_SETTINGS}, jvm=APACHE_JVM,
    )  # fmt: skip


@contextmanager
def preloaded(shim: Path, doomed: Path) -> Iterator[None]:
    """What is started meanwhile has the fault shim between itself and a directory."""
    added = {"LD_PRELOAD": str(shim), "SPINDLE_BREAK": str(doomed)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


class Peer:
    """One side of the comparison."""

    def __init__(self, name: str, home: Path, modules: Path | None = None) -> None:
        self.name = name
        self.cluster = new_cluster(name, home, modules=modules)
        self._modules = Path(spindle.__path__[0]) if modules is None else modules

    async def start(self, shim: Path | None = None, doomed: Path | None = None) -> float:
        """Start the cluster; seconds until all brokers serve (formatting not counted).

        `shim` and `doomed`: the fault shim, and the directory before which it stands.
        """
        # An installation has compiled its modules, as Apache Kafka's jars are compiled: else each
        # node compiles them all where the environment has PYTHONDONTWRITEBYTECODE.
        await asyncio.to_thread(compileall.compile_dir, self._modules, quiet=2)
        await asyncio.to_thread(self.cluster.format)
        began = time.monotonic()
        if shim is not None and doomed is not None:
            with preloaded(shim, doomed):
                self._start_all()
        else:
            self._start_all()
        await asyncio.to_thread(self.cluster.wait_until_serving)
        return time.monotonic() - began

    def _start_all(self) -> None:
        for node_id in self.cluster.nodes:
            self.cluster.start_node(node_id, wait=False)

    async def stop(self) -> None:
        """Stop it, also where it was frozen."""
        self._signal(signal.SIGCONT)
        await asyncio.to_thread(self.cluster.stop)

    def freeze(self) -> None:
        """Have it take no processor time until `thaw`."""
        self._signal(signal.SIGSTOP)

    async def thaw(self) -> None:
        """Let it go on; returns when brokers that were fenced meanwhile serve again."""
        self._signal(signal.SIGCONT)
        await asyncio.to_thread(self.cluster.wait_until_serving)
        deadline = time.monotonic() + _SETTLE_S
        topic = f"settled-{time.monotonic_ns()}"
        while True:
            try:
                async with AdminClient(self.bootstrap, timeout=5) as admin:
                    await admin.create_topics([NewTopic(topic, 1, BROKERS)]).all()
                    await admin.delete_topics([topic]).all()
                return
            except Failure:
                assert time.monotonic() < deadline, f"{self.name} does not come back"
                await asyncio.sleep(0.5)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.pids():
            os.kill(pid, number)

    @property
    def bootstrap(self) -> str:
        """host:port, ..."""
        return self.cluster.bootstrap

    def directories(self, broker: int) -> list[str]:
        """A broker's log directories."""
        return self.cluster.log_dirs(broker)

    def pids(self) -> list[int]:
        """All processes of the cluster, with those that its nodes have started."""
        nodes = [n.process.pid for n in self.cluster.nodes.values() if n.process is not None]
        return nodes + [child.pid for pid in nodes for child in psutil.Process(pid).children()]

    def figures(self, broker: int) -> dict[str, float]:
        """What a broker's metrics page says; empty where it has none."""
        port = self.cluster.nodes[broker].settings.get("metrics.port")
        if port is None:
            return {}
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
            lines = page.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


def memory(pids: list[int]) -> float:
    """MB that the processes hold, each counted by itself (RSS)."""
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6


def cpu_seconds(pids: list[int]) -> float:
    """Seconds of processor time that the processes have used."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)
