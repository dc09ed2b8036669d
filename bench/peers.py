"""The two peers of every comparison: three brokers with two log directories each, and a controller.

Same settings, same directories on the same file system, same preloaded fault shim.
"""

from __future__ import annotations

import asyncio
import os
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import psutil
from tests.support.apache_kafka import ApacheKafka

from spindle.runtime.local import LocalCluster, free_ports

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
APACHE_JVM = ("-Xmx512m", "-Xms256m", "-XX:+UseG1GC")
"""The heap and the collector that Apache Kafka's own scripts would choose for tests."""


class Peer(Protocol):
    """One side of the comparison."""

    name: str

    async def start(self) -> float:
        """Start the cluster; seconds until all brokers serve."""

    async def stop(self) -> None:
        """Stop it."""

    @property
    def bootstrap(self) -> str:
        """host:port, ..."""

    def directories(self, broker: int) -> list[str]:
        """A broker's log directories."""

    def pids(self) -> list[int]:
        """All processes of the cluster."""

    def figures(self, broker: int) -> dict[str, float]:
        """What a broker's metrics page says; empty where it has none."""


class Spindle:
    """Ours: processes of this Python."""

    name = "spindle"

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._cluster = LocalCluster(home, BROKERS, DIRECTORIES, settings=SETTINGS)
        for node, port in zip(self._cluster.brokers, free_ports(BROKERS), strict=True):
            node.settings["metrics.port"] = str(port)

    async def start(self) -> float:
        """Start the cluster; seconds until all brokers serve (formatting not counted)."""
        self._cluster.prepare()
        with _environment(self._environment):
            began = time.monotonic()
            await self._cluster.start()
            return time.monotonic() - began

    async def stop(self) -> None:
        """Stop it."""
        await self._cluster.stop()

    @property
    def bootstrap(self) -> str:
        """host:port, ..."""
        return self._cluster.bootstrap

    def directories(self, broker: int) -> list[str]:
        """A broker's log directories."""
        return [str(path) for path in self._cluster.broker(broker).log_dirs]

    def pids(self) -> list[int]:
        """All processes of the cluster."""
        return self._cluster.pids

    def figures(self, broker: int) -> dict[str, float]:
        """What a broker's metrics page says."""
        port = self._cluster.broker(broker).settings["metrics.port"]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
            lines = page.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


class Apache:
    """Apache Kafka 4.3."""

    name = "kafka"

    def __init__(self, home: Path, jars: Path, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._cluster = ApacheKafka(
            home,
            jars,
            brokers=BROKERS,
            directories=DIRECTORIES,
            separate_controller=True,
            settings={**SETTINGS, **APACHE_SETTINGS},
            jvm=APACHE_JVM,
        )

    async def start(self) -> float:
        """Start the cluster; seconds until all brokers serve (formatting not counted)."""
        await asyncio.to_thread(self._cluster.format)
        with _environment(self._environment):
            began = time.monotonic()
            await asyncio.to_thread(self._start_all)
            return time.monotonic() - began

    def _start_all(self) -> None:
        for node_id in self._cluster.nodes:
            self._cluster.start_node(node_id, wait=False)
        self._cluster.wait_until_serving()

    async def stop(self) -> None:
        """Stop it."""
        await asyncio.to_thread(self._cluster.stop)

    @property
    def bootstrap(self) -> str:
        """host:port, ..."""
        return self._cluster.bootstrap

    def directories(self, broker: int) -> list[str]:
        """A broker's log directories."""
        return self._cluster.log_dirs(broker)

    def pids(self) -> list[int]:
        """All processes of the cluster."""
        return [n.process.pid for n in self._cluster.nodes.values() if n.process is not None]

    def figures(self, broker: int) -> dict[str, float]:
        """None: its beans are not asked."""
        return {}


def memory(pids: list[int]) -> float:
    """MB that the processes hold, shared pages counted once (PSS)."""
    return sum(psutil.Process(pid).memory_full_info().pss for pid in pids) / 1e6


def cpu_seconds(pids: list[int]) -> float:
    """Seconds of processor time that the processes have used."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)


class _environment:
    """Lays variables over this process's environment, for the processes that it starts."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._before: dict[str, str | None] = {}

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._values}
        os.environ.update(self._values)

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
