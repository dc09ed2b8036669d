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
    words = ("bench.clients", measure, peer.bootstrap, topic, str(amount), str(size))
    return await printed_by([sys.executable, "-m", *words], f"{measure} against {peer.name}")


async def printed_by(command: list[str], what: str) -> Figures:
    """What a process prints as JSON on its last line; AssertionError naming `what` if it fails."""
    process = await asyncio.create_subprocess_exec(*tied(command), stdout=subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), CLIENT_SECONDS)
    assert process.returncode == 0, f"{what} failed"
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
    produced = await _with_price(peer, topic, ("produce", seconds, 1024))
    consumed = await _with_price(peer, topic, ("consume", seconds, 1024))
    await delete(peer, topic)
    return {
        "produce MB/s": produced["mb_per_s"],
        "consume MB/s": consumed["mb_per_s"],
        "produce server CPU s/GB": produced["cpu_s_per_gb"],
        "consume server CPU s/GB": consumed["cpu_s_per_gb"],
        "memory MB": memory(peer.pids()),
    }


async def throughput_single(peer: Peer, round_: int, seconds: int) -> Figures:
    """Produce 1 KiB records to 12 partitions of one replica, acks=all."""
    topic = f"throughput-single-{round_}"
    await create(peer, NewTopic(topic, 12, 1))
    produced = await _with_price(peer, topic, ("produce", seconds, 1024))
    await delete(peer, topic)
    return {
        "produce MB/s, 1 replica": produced["mb_per_s"],
        "produce server CPU s/GB, 1 replica": produced["cpu_s_per_gb"],
    }


async def throughput_100b(peer: Peer, seconds: int, count: int) -> Figures:
    """Consume records of 100 bytes from 12 partitions; the first call writes so many of them."""
    topic = "throughput-100b"
    async with AdminClient(peer.bootstrap) as admin:
        there = topic in await admin.list_topics()
    if not there:
        await create(peer, NewTopic(topic, 12, 1))
        await client("fill_large", peer, topic, count, 100)
    consumed = await _with_price(peer, topic, ("consume", seconds, 100))
    return {
        "consume MB/s, 100 B": consumed["mb_per_s"],
        "consume server CPU s/GB, 100 B": consumed["cpu_s_per_gb"],
    }


async def _with_price(peer: Peer, topic: str, what: tuple[str, int, int]) -> Figures:
    """A client's measure, its amount and the size of its records; what it costs all nodes as well.

    The load's own figures, and `cpu_s_per_gb`: processor time of the nodes for a GB of values.
    """
    measure, amount, size = what
    before = cpu_seconds(peer.pids())
    figures = await client(measure, peer, topic, amount, size)
    used = cpu_seconds(peer.pids()) - before
    return {**figures, "cpu_s_per_gb": used / (figures["records"] * size / 1e9)}


async def latency(peer: Peer, round_: int, seconds: int) -> Figures:
    """End to end at 200 records/s, 3 replicas, acks=all."""
    topic = f"latency-{round_}"
    await create(peer, NewTopic(topic, 3, 3))
    figures = await client("latency", peer, topic, seconds, 1024)
    await delete(peer, topic)
    return {"latency p50 ms": figures["p50_ms"], "latency p99 ms": figures["p99_ms"]}


async def small(peer: Peer, round_: int, seconds: int) -> Figures:
    """Requests of one small record each, 3 replicas, acks=all, five in flight."""
    return await _small(peer, f"small-{round_}", seconds, 3, {"": "small"})


async def small_single(peer: Peer, round_: int, seconds: int) -> Figures:
    """The same with one replica: the broker's own work; with five in flight, and with one."""
    ways = {", 1 replica": "small", ", 1 replica, 1 in flight": "small_in_turn"}
    return await _small(peer, f"small-single-{round_}", seconds, 1, ways)


async def _small(
    peer: Peer, topic: str, seconds: int, replicas: int, ways: dict[str, str]
) -> Figures:
    """`ways`: the clients' measures, each by what its figures are called by."""
    await create(peer, NewTopic(topic, 1, replicas))
    figures: Figures = {}
    for suffix, measure in ways.items():
        before = cpu_seconds(peer.pids())
        told = await client(measure, peer, topic, seconds, 100)
        used = cpu_seconds(peer.pids()) - before
        figures[f"small requests/s{suffix}"] = told["requests_per_s"]
        figures[f"small requests, server CPU us each{suffix}"] = used / told["requests"] * 1e6
    await delete(peer, topic)
    return figures


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
        await gathered(admin, [Replica(topic, n, VICTIM) for n in range(len(orders))], path)
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


async def gathered(admin: AdminClient, replicas: list[Replica], path: str) -> None:
    """Have replicas in one directory of their broker."""
    deadline = time.monotonic() + 30
    while True:
        places = await admin.describe_replica_log_dirs(replicas).all()
        away = {r: path for r, place in places.items() if place.current != path}
        if not away:
            return
        assert time.monotonic() < deadline, f"{next(iter(away))} does not come to {path}"
        await admin.alter_replica_log_dirs(away).settled()
        await asyncio.sleep(0.5)
