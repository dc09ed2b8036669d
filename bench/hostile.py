"""A broker beside clients that mean no good: what the others keep, and what memory it takes (S-08).

500 connections append records. 500 more mean no good: see `bench.hostile_clients`. Measured at full
load (each appends as soon as its last record is acknowledged), where whatever the hostile ones do
costs somebody something, and at half of it. Loopback only, bounded in number and time.

The broker is measured, not who gets the processor. Hostile clients need processor time of their
own, and in loopback the kernel's work for what they send is theirs, too: on two processors that
alone takes from everybody, however the broker behaves. So they run at low priority, and "without
them" means: with the same hostile processes beside, at work on a process that swallows what they
send. Besides, the good ones' requests are counted per second of the broker's own processor time,
which is the same whoever else runs on the machine; a broker that stands still shows in the former.

Apache Kafka goes through the same after us, on the same settings, with the heap and the collector
of its own start scripts: its figures are there to be read beside ours, and no target hangs on them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import psutil
from tests.support.apache_kafka import ApacheKafka
from tests.support.kafka_jars import kafka_jars
from tests.support.processes import tied

from bench.hostile_clients import (
    BAD,
    COMPACTED,
    PARTITIONS,
    PATIENCE_SECONDS,
    TOPIC,
    WIDE,
    WIDE_PARTITIONS,
)
from bench.peers import APACHE_JVM, APACHE_SETTINGS
from bench.warmth import is_warm
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.runtime.local import LocalCluster

LIMIT: Final = 100 << 20
"""`queued.max.request.bytes` of the broker that is measured: the least that it takes."""
UNPACKED_MAX: Final = 128 << 20
BOUND_MB: Final = (2 * LIMIT + UNPACKED_MAX) / 1e6
"""What it may grow by: requests; frames and answers; a batch that is being unpacked."""
HOLD_MS: Final = 50.0
"""How long one request may keep all others waiting."""
SETTINGS = {
    "queued.max.request.bytes": str(LIMIT),
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
}
WARM_SECONDS, SECONDS, LOOK_SECONDS = 5, 12, 0.1
WARM_MAX: Final = 10
"""How often a broker is warmed up at most."""
FORGET_SECONDS: Final = 120
"""How long a broker's longest input and turn may tell of what was before."""
START_SECONDS: Final = 3
"""That a client's process may take to start."""
BESIDE = f"beside {BAD} hostile connections"
_INPUT, _TURN = (f"spindle_eventloop_longest{what}seconds" for what in ("input", "turn"))
Note = Callable[[str, str, float], None]
Figures = dict[str, float]


async def run(home: Path, rounds: int, note: Note) -> None:
    """Measure; `note(figure, whose, value)` is given each figure. One cluster runs at a time."""
    for round_ in range(rounds):
        for whose, measure in (("spindle", _spindle), ("kafka", _kafka)):
            figures = await measure(home / f"hostile-{whose}-{round_}")
            print(f"hostile {whose} {round_}: {figures}", file=sys.stderr)
            for figure, value in figures.items():
                note(figure, whose, value)


async def _spindle(place: Path) -> Figures:
    cluster = LocalCluster(place, 1, 2, settings=SETTINGS, metrics=True)
    cluster.prepare()
    await cluster.start()
    try:
        node = cluster.broker(1)
        assert node.process is not None
        assert node.port is not None
        assert node.metrics_url is not None
        process = psutil.Process(node.process.pid)
        return await _round(_Target(node.port, process, node.metrics_url))
    finally:
        await cluster.stop()


async def _kafka(place: Path) -> Figures:
    """The same; what it could not bear is told, and has no figures."""
    settings = {**APACHE_SETTINGS, **SETTINGS}
    cluster = ApacheKafka(
        place, kafka_jars(), separate_controller=True, settings=settings, jvm=APACHE_JVM
    )
    try:
        await asyncio.to_thread(cluster.start)
        (node,) = cluster.brokers
        assert node.process is not None
        return await _round(_Target(node.port, psutil.Process(node.process.pid)))
    except AssertionError as failure:
        print(f"Apache Kafka did not get through: {failure}", file=sys.stderr)
        print(cluster.tail(1), file=sys.stderr)
        return {}
    finally:
        await asyncio.to_thread(cluster.kill)


class _Target(NamedTuple):
    """The broker that is measured."""

    port: int
    process: psutil.Process
    metrics: str | None = None
    """Where it tells of its event loop, if it has one."""

    async def good(self, rate: float = 0.0, seconds: float = SECONDS) -> Figures:
        """What well-behaved clients get: at so many requests a second, or as many as may be."""
        return await _client("good", self.port, seconds, rate, self.process.pid)

    async def warm_up(self) -> None:
        """Have it work until it gets no better."""
        rates: list[float] = []
        while len(rates) < WARM_MAX and not is_warm(rates):
            rates.append((await self.good(seconds=WARM_SECONDS))["rate"])

    def longest(self) -> Figures:
        """The longest turn of the event loop and of a processor's time for an input, lately; ms."""
        if self.metrics is None:
            return {}
        with urllib.request.urlopen(self.metrics, timeout=10) as page:
            lines = page.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) * 1000 for name, value in pairs if name in (_INPUT, _TURN)}


async def _round(broker: _Target) -> Figures:
    async with AdminClient(f"127.0.0.1:{broker.port}") as admin:
        await admin.create_topics(
            [
                NewTopic(TOPIC, PARTITIONS, 1),
                NewTopic(WIDE, WIDE_PARTITIONS, 1),
                NewTopic(COMPACTED, 1, 1, configs={"cleanup.policy": "compact"}),
            ]
        ).all()
    await broker.warm_up()
    made = time.monotonic()
    async with _swallower() as port, _hostile("in vain", port):
        full = await broker.good()
        half = await broker.good(full["rate"] / 2)
    if broker.metrics is not None:
        # The topics' creation, and this, are not what hostile clients do: let it forget them.
        await asyncio.sleep(max(0.0, made + FORGET_SECONDS - time.monotonic()))
    peaks = [before := broker.process.memory_info().rss]
    looking = asyncio.create_task(_look(broker.process, peaks))
    async with _hostile("to the broker", broker.port):
        half_beside = await broker.good(full["rate"] / 2)
        full_beside = await broker.good()
        longest = await asyncio.to_thread(broker.longest)
    looking.cancel()
    figures = {
        f"{BESIDE}: requests / without them": full_beside["rate"] / full["rate"],
        f"{BESIDE}: per processor second / without": full_beside["per cpu"] / full["per cpu"],
        f"{BESIDE}: the same at half the load": half_beside["rate"] / half["rate"],
        f"{BESIDE}: p99 at half the load, ms": half_beside["p99"],
        f"{BESIDE}: p99 at half the load without them, ms": half["p99"],
        f"{BESIDE}: good connections lost": full_beside["lost"] + half_beside["lost"],
        f"{BESIDE}: memory grown by MB": (max(peaks) - before) / 1e6,
        f"{BESIDE}: requests/s without them": full["rate"],
        f"{BESIDE}: per processor second without them": full["per cpu"],
    }
    if longest:
        figures[f"{BESIDE}: longest input, CPU ms"] = longest[_INPUT]
        figures[f"{BESIDE}: longest turn of the loop ms"] = longest[_TURN]
    return figures


async def _look(process: psutil.Process, peaks: list[int]) -> None:
    while True:
        peaks.append(process.memory_info().rss)
        await asyncio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def _hostile(what: str, port: int) -> AsyncIterator[None]:
    """Hostile clients at work; they stay for two measures."""
    seconds = WARM_SECONDS + 2 * (SECONDS + PATIENCE_SECONDS + START_SECONDS)
    clients = asyncio.create_task(_client("bad", port, seconds))
    await asyncio.sleep(WARM_SECONDS)  # They are all there by now.
    yield
    print(f"how often the hostile ones came {what}: {await clients}", file=sys.stderr)


@asynccontextmanager
async def _swallower() -> AsyncIterator[int]:
    """A process in a broker's place; its port."""
    process = await _start("swallow", 0, 3600.0)
    try:
        assert process.stdout is not None
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.wait()


async def _client(kind: str, port: int, seconds: float, rate: float = 0.0, pid: int = 0) -> Figures:
    process = await _start(kind, port, seconds, rate, pid)
    output, _ = await asyncio.wait_for(process.communicate(), seconds + 60)
    assert process.returncode == 0, f"the {kind} clients failed"
    figures: Figures = json.loads(output.splitlines()[-1])
    return figures


async def _start(kind: str, *arguments: float) -> Process:
    command = [sys.executable, "-m", "bench.hostile_clients", kind, *map(str, arguments)]
    return await asyncio.create_subprocess_exec(*tied(command), stdout=subprocess.PIPE)
