"""A broker beside clients that mean no good: what the others keep, and what memory it takes (S-08).

500 connections append records. 500 more mean no good: see `bench.hostile_clients`. Measured at full
load (each appends as soon as its last record is acknowledged), where whatever the hostile ones do
costs the others something, and at half of it. Loopback only, bounded in number and time.

The broker is measured, not the shares of the processor. Hostile clients need processor time of
their own, and in loopback the kernel's work for what they send is theirs, too: on two processors
that alone takes from all clients, however the broker behaves. So they run at low priority, and
"without them" means: with the same hostile processes beside, at work on a process that swallows
what they send. Windows without and with them take turns on one broker (without, with, with,
without): each ratio is that of two neighbours, and slow drifts of a machine that others use cancel.
What the hostile processes use of the processors is shown for both kinds of windows. Besides, the
good ones' requests are counted per second of the broker's own processor time, which is the same
whatever else runs on the machine; a broker that stands still shows in the former.

Apache Kafka goes through the same after us, on the same settings, with the heap and the collector
of its own start scripts: its figures are there to be read beside ours, and no target hangs on them.
"""

from __future__ import annotations

import asyncio
import json
import statistics
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
WARM_SECONDS, SECONDS, LOOK_SECONDS = 5, 20, 0.1
SETTLE_SECONDS: Final = 4
"""Until the hostile ones have all left one port for the other."""
WARM_MAX: Final = 6
"""How often a broker is warmed up at most."""
FORGET_SECONDS: Final = 120
"""How long a broker's longest input and turn may tell of what was before."""
BESIDE = f"beside {BAD} hostile connections"
_INPUT, _TURN = (f"spindle_eventloop_longest{what}seconds" for what in ("input", "turn"))
Note = Callable[[str, str, float], None]
Figures = dict[str, float]


async def run(home: Path, rounds: int, note: Note) -> None:
    """Measure; `note(figure, whose, value)` is given each figure. One cluster runs at a time.

    Each round has a broker of its own. Apache Kafka's goes through it once, for context.
    """
    for round_ in range(rounds):
        peers = (("spindle", _spindle), ("kafka", _kafka))
        for whose, measure in peers if not round_ else peers[:1]:
            for figures in await measure(home / f"hostile-{whose}-{round_}"):
                print(f"hostile {whose} {round_}: {figures}", file=sys.stderr)
                for figure, value in figures.items():
                    note(figure, whose, value)


async def _spindle(place: Path) -> list[Figures]:
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


async def _kafka(place: Path) -> list[Figures]:
    """The same; what it could not bear is named, and has no figures."""
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
        return []
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


async def _round(broker: _Target) -> list[Figures]:
    """Two pairs of windows at full load, one at half of it, and what all of them say."""
    async with AdminClient(f"127.0.0.1:{broker.port}") as admin:
        await admin.create_topics(
            [
                NewTopic(TOPIC, PARTITIONS, 1),
                NewTopic(WIDE, WIDE_PARTITIONS, 1),
                NewTopic(COMPACTED, 1, 1, configs={"cleanup.policy": "compact"}),
            ]
        ).all()
    made = time.monotonic()
    await broker.warm_up()
    async with _hostile() as beside:
        first = await beside.window(broker, hostile=False)
        peaks = [before := broker.process.memory_info().rss]
        looking = asyncio.create_task(_look(broker.process, peaks))
        first_with = await beside.window(broker, hostile=True)
        # The topics' creation is not what hostile clients do: let the broker forget it.
        await asyncio.sleep(max(0.0, made + FORGET_SECONDS - SECONDS - time.monotonic()))
        second_with = await beside.window(broker, hostile=True)
        longest = await asyncio.to_thread(broker.longest)
        second = await beside.window(broker, hostile=False)
        rate = statistics.median((first["rate"], second["rate"])) / 2
        half = await beside.window(broker, hostile=False, rate=rate)
        half_with = await beside.window(broker, hostile=True, rate=rate)
        looking.cancel()
    pairs = ((first, first_with), (second, second_with))
    lost = sum(window["lost"] for window in (first_with, second_with, half_with))
    figures = [_pair(without, hostile) for without, hostile in pairs]
    figures[0] |= {
        f"{BESIDE}: the same at half the load": half_with["rate"] / half["rate"],
        f"{BESIDE}: p99 at half the load, ms": half_with["p99"],
        f"{BESIDE}: p99 at half the load without them, ms": half["p99"],
        f"{BESIDE}: good connections lost": lost,
        f"{BESIDE}: memory grown by MB": (max(peaks) - before) / 1e6,
    }
    if longest:
        figures[0][f"{BESIDE}: longest input, CPU ms"] = longest[_INPUT]
        figures[0][f"{BESIDE}: longest turn of the loop ms"] = longest[_TURN]
    return figures


def _pair(without: Figures, beside: Figures) -> Figures:
    """What two neighbouring windows at full load tell."""
    return {
        f"{BESIDE}: requests / without them": beside["rate"] / without["rate"],
        f"{BESIDE}: per processor second / without": beside["per cpu"] / without["per cpu"],
        f"{BESIDE}: requests/s without them": without["rate"],
        f"{BESIDE}: per processor second without them": without["per cpu"],
        f"{BESIDE}: processors that they use": beside["their cpu"],
        f"{BESIDE}: processors that they use elsewhere": without["their cpu"],
    }


async def _look(process: psutil.Process, peaks: list[int]) -> None:
    while True:
        peaks.append(process.memory_info().rss)
        await asyncio.sleep(LOOK_SECONDS)


class _Hostile:
    """Hostile clients, and the process that they work upon while they leave the broker alone."""

    def __init__(self, clients: Process, swallower: Process, port: int) -> None:
        self._clients = clients
        self._processes = [psutil.Process(p.pid) for p in (clients, swallower)]
        self._elsewhere = port
        self._at = 0

    async def window(self, broker: _Target, hostile: bool, rate: float = 0.0) -> Figures:
        """What good clients get, while the hostile ones are at the broker or elsewhere."""
        port = broker.port if hostile else self._elsewhere
        if port != self._at:
            assert self._clients.stdin is not None
            self._clients.stdin.write(b"%d\n" % port)
            await self._clients.stdin.drain()
            self._at = port
            await asyncio.sleep(SETTLE_SECONDS)
        used, began = self._used(), time.monotonic()
        figures = await broker.good(rate)
        cpu = (self._used() - used) / (time.monotonic() - began)
        print(f"hostile {hostile}, rate {rate:.0f}: {figures}, their cpu {cpu}", file=sys.stderr)
        return figures | {"their cpu": cpu}

    def _used(self) -> float:
        return sum(sum(process.cpu_times()[:2]) for process in self._processes)


@asynccontextmanager
async def _hostile() -> AsyncIterator[_Hostile]:
    """Hostile clients, not at work yet."""
    swallower = await _start("swallow", 0, 3600.0)
    clients = await _start("bad", 0, 0)
    try:
        assert swallower.stdout is not None
        yield _Hostile(clients, swallower, int(await swallower.stdout.readline()))
        came, _ = await asyncio.wait_for(clients.communicate(b""), 60)
        print(f"how often the hostile ones came: {came.decode().strip()}", file=sys.stderr)
    finally:
        for process in (clients, swallower):
            if process.returncode is None:
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
    return await asyncio.create_subprocess_exec(
        *tied(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
