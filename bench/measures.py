"""The measures: each drives one peer and answers figures; rounds alternate between the peers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.support.processes import tied

from bench.peers import Peer, cpu_seconds, memory
from spindle.cli.demo.demo_load import DemoLoad, longest_gap
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic, Replica
from spindle.model.ids import TopicPartition

Figures = dict[str, float]
CLIENT_SECONDS = 180
VICTIM = 3
LED, FOLLOWED = (VICTIM, 1, 2), (1, 2, VICTIM)


class Role(NamedTuple):
    """What fails, and which of the partitions on it are led from it."""

    name: str
    led: tuple[bool, ...]
    kills: bool = False
    """The broker's process is killed; its disks stay as they are."""


ROLES = {
    "leader": Role("leader's disk fails", (True,) * 4),
    "follower": Role("follower's disk fails", (False,) * 4),
    "both": Role("disk of leaders and followers fails", (True, True, False, False)),
    "killed": Role("broker is killed", (True, True, False, False), kills=True),
}
"""Apache Kafka's standstill comes of followers on the disk: the leader waits for them, and
answers nothing else meanwhile to producers that have a request for one of them under way. A disk
of leaders alone is the case that seldom is; most disks have both."""
GAP_LOOK_LEAST_S, GAP_LOOK_MAX_S, GAP_STEADY_S = 20.0, 90.0, 10.0


async def client(measure: str, peer: Peer, topic: str, amount: int, size: int) -> Figures:
    """Run one of `bench.clients` in a process of its own; `amount` is that measure's."""
    command = [sys.executable, "-m", "bench.clients", measure, peer.bootstrap, topic]
    process = await asyncio.create_subprocess_exec(
        *tied([*command, str(amount), str(size)]), stdout=subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), CLIENT_SECONDS)
    assert process.returncode == 0, f"{measure} against {peer.name} failed"
    figures: Figures = json.loads(output.splitlines()[-1])
    return figures


async def create(peer: Peer, topic: NewTopic) -> None:
    """Make a topic."""
    async with AdminClient(peer.bootstrap) as admin:
        await admin.create_topics([topic]).all()


async def delete(peer: Peer, topic: str) -> None:
    """Delete a topic, so that its bytes burden no later round."""
    async with AdminClient(peer.bootstrap) as admin:
        await admin.delete_topics([topic]).all()


async def throughput(peer: Peer, round_: int, seconds: int) -> Figures:
    """Produce and consume 1 KiB records: 12 partitions, 3 replicas, acks=all."""
    topic = f"throughput-{round_}"
    await create(peer, NewTopic(topic, 12, 3))
    before = cpu_seconds(peer.pids())
    produced = await client("produce", peer, topic, seconds, 1024)
    middle = cpu_seconds(peer.pids())
    consumed = await client("consume", peer, topic, seconds, 1024)
    after = cpu_seconds(peer.pids())
    await delete(peer, topic)
    return {
        "produce MB/s": produced["mb_per_s"],
        "consume MB/s": consumed["mb_per_s"],
        "produce server CPU s/GB": (middle - before) / (produced["records"] * 1024 / 1e9),
        "consume server CPU s/GB": (after - middle) / (consumed["records"] * 1024 / 1e9),
        "memory MB": memory(peer.pids()),
    }


async def latency(peer: Peer, round_: int, seconds: int) -> Figures:
    """End to end at 200 records/s, 3 replicas, acks=all."""
    topic = f"latency-{round_}"
    await create(peer, NewTopic(topic, 3, 3))
    figures = await client("latency", peer, topic, seconds, 1024)
    await delete(peer, topic)
    return {"latency p50 ms": figures["p50_ms"], "latency p99 ms": figures["p99_ms"]}


async def small(peer: Peer, round_: int, seconds: int) -> Figures:
    """Requests of one small record each, 3 replicas, acks=all, five in flight."""
    topic = f"small-{round_}"
    await create(peer, NewTopic(topic, 1, 3))
    figures = await client("small", peer, topic, seconds, 100)
    await delete(peer, topic)
    return {"small requests/s": figures["requests_per_s"]}


async def gap(peer: Peer, round_: int, role: str) -> Figures:
    """Longest time without an acknowledgement after a directory of one broker fails with EIO, or
    after its process gets SIGKILL.

    `role`: what the replicas on the failing disk are; see `ROLES`. Partitions that are watched are
    those that the broker has led, where it has led any, and the worst of them counts.
    """
    topic, what = f"gap-{role}-{round_}", ROLES[role]
    orders = [LED if led else FOLLOWED for led in what.led]
    await create(peer, NewTopic(topic, assignment=dict(enumerate(orders)),
                                configs={"min.insync.replicas": "2"}))  # fmt: skip
    path = peer.directories(VICTIM)[-1]
    async with AdminClient(peer.bootstrap) as admin:
        await _gather(admin, topic, len(orders), path)
    load = DemoLoad(peer.bootstrap, topic, [1.0] * len(orders), 1000.0, 512,
                settings={"topic.metadata.refresh.interval.ms": 300_000})  # fmt: skip
    load.start()
    try:
        await asyncio.sleep(5)
        broken = time.monotonic()
        if what.kills:
            await asyncio.to_thread(peer.cluster.stop_node, VICTIM, kill=True)
        else:
            Path(path + ".broken").write_text("EIO")
        await _until_steady(load, broken)
    finally:
        load.finish()
        Path(path + ".broken").unlink(missing_ok=True)
    told = load.acknowledged
    watched = [n for n, led in enumerate(what.led) if led or not any(what.led)]
    seconds = max(
        longest_gap([at for at, p in zip(told.at, told.partition, strict=True) if p == partition],
                    broken, told.at[-1])[0]
        for partition in watched
    )  # fmt: skip
    return {f"{what.name}: gap s": seconds, f"{role}: given up": float(len(load.failed))}


async def _until_steady(load: DemoLoad, broken: float) -> None:
    """Wait until records flow again: none is due for longer than a second, and for a while so.

    Both peers are looked at for 20 s at least: what stands still does so within that time.
    """
    steady_since = broken
    while time.monotonic() < broken + GAP_LOOK_MAX_S:
        await asyncio.sleep(0.2)
        now = time.monotonic()
        if now - load.acknowledged.at[-1] > 1.0:
            steady_since = now
        if now > broken + GAP_LOOK_LEAST_S and now > steady_since + GAP_STEADY_S:
            return


async def _gather(admin: AdminClient, topic: str, partitions: int, path: str) -> None:
    """Have all replicas of the victim in the directory which is going to fail."""
    replicas = [Replica(topic, partition, VICTIM) for partition in range(partitions)]
    deadline = time.monotonic() + 30
    while True:
        places = await admin.describe_replica_log_dirs(replicas).all()
        away = {r: path for r, place in places.items() if place.current != path}
        if not away:
            return
        assert time.monotonic() < deadline, f"{TopicPartition(topic, 0)} does not come to {path}"
        await admin.alter_replica_log_dirs(away).settled()
        await asyncio.sleep(0.5)
