"""A broker beside clients that mean no good: what the others keep, and what memory it takes (S-08).

500 connections append records, each as soon as its last one is acknowledged. Then 500 more come:
see `bench.hostile_clients`. Each side is a process of its own, the hostile one at low priority: the
broker is measured, not who gets the processor. Measured at full load, where whatever the hostile
ones do costs somebody something, and at half of it. Loopback only, bounded in number and time.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psutil
from tests.support.processes import tied

from bench.hostile_clients import BAD, COMPACTED, PARTITIONS, TOPIC
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.runtime.local import LocalCluster

LIMIT: Final = 64 << 20
"""`queued.max.request.bytes` of the broker that is measured."""
UNPACKED_MAX: Final = 128 << 20
BOUND_MB: Final = (2 * LIMIT + UNPACKED_MAX) / 1e6
"""What it may grow by: requests; frames and answers; a batch that is being unpacked."""
SETTINGS = {
    "queued.max.request.bytes": str(LIMIT),
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
}
WARM_SECONDS, SECONDS, LOOK_SECONDS = 5, 20, 0.1
BESIDE = f"beside {BAD} hostile connections"
Note = Callable[[str, str, float], None]


async def run(home: Path, rounds: int, note: Note) -> None:
    """Measure; `note(figure, whose, value)` is given each figure."""
    for round_ in range(rounds):
        cluster = LocalCluster(home / f"hostile-{round_}", 1, 2, settings=SETTINGS)
        cluster.prepare()
        await cluster.start()
        try:
            figures = await _round(cluster)
        finally:
            await cluster.stop()
        print(f"hostile {round_}: {figures}", file=sys.stderr)
        for figure, value in figures.items():
            note(figure, "spindle", value)


async def _round(cluster: LocalCluster) -> dict[str, float]:
    async with AdminClient(cluster.bootstrap) as admin:
        await admin.create_topics(
            [
                NewTopic(TOPIC, PARTITIONS, 1),
                NewTopic(COMPACTED, 1, 1, configs={"cleanup.policy": "compact"}),
            ]
        ).all()
    node = cluster.broker(1)
    assert node.process is not None
    assert node.port is not None
    broker = psutil.Process(node.process.pid)
    await _client("good", node.port, WARM_SECONDS)
    alone = await _client("good", node.port, SECONDS)
    half = alone["rate"] / 2
    calm = await _client("good", node.port, SECONDS, half)
    before = peak = broker.memory_info().rss
    hostile = asyncio.create_task(_client("bad", node.port, 2 * SECONDS + 3 * WARM_SECONDS))
    await asyncio.sleep(WARM_SECONDS)  # They are all there by now.
    good = asyncio.create_task(_beside(node.port, half))
    while not good.done():
        peak = max(peak, broker.memory_info().rss)
        await asyncio.sleep(LOOK_SECONDS)
    halved, beside = await good
    print(f"what the hostile ones did: {await hostile}", file=sys.stderr)
    return {
        f"{BESIDE}: requests / without them": beside["rate"] / alone["rate"],
        f"{BESIDE}: the same at half the load": halved["rate"] / calm["rate"],
        f"{BESIDE}: p99 at half the load, ms": halved["p99"],
        f"{BESIDE}: p99 at half the load without them, ms": calm["p99"],
        f"{BESIDE}: good connections lost": beside["lost"] + halved["lost"],
        f"{BESIDE}: memory grown by MB": (peak - before) / 1e6,
    }


async def _beside(port: int, half: float) -> tuple[dict[str, float], dict[str, float]]:
    return await _client("good", port, SECONDS, half), await _client("good", port, SECONDS)


async def _client(kind: str, port: int, seconds: float, rate: float = 0.0) -> dict[str, float]:
    process = await asyncio.create_subprocess_exec(
        *tied(
            [
                sys.executable,
                "-m",
                "bench.hostile_clients",
                kind,
                str(port),
                str(seconds),
                str(rate),
            ]
        ),
        stdout=subprocess.PIPE,
    )
    output, _ = await asyncio.wait_for(process.communicate(), seconds + 60)
    assert process.returncode == 0, f"the {kind} clients failed"
    figures: dict[str, float] = json.loads(output.splitlines()[-1])
    return figures
