"""Measures of moves between log directories: their speed, their price, and what others feel."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

from tests.support.processes import tied

from bench.measures import Figures, client, create, delete
from bench.peers import Peer, cpu_seconds
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic, Replica

MOVE_SECONDS = 300.0
BROKER = 1
BLOCKED = "kafka_server_alterlogdirsreplication_blockedseconds"
SWAPS_SECONDS = 10
"""Of writing at a time beside the moves whose swaps are looked at."""
LOOK = 0.05
"""Seconds between looks for the end of a move that is timed: they cost the broker time, too."""
SELDOM = 0.1
"""The same where clients are asked what they feel: the looks must not be it."""


async def move(peer: Peer, round_: int, count: int) -> Figures:
    """Move one partition to another directory of its broker, beside `cp` and fsync of its files.

    Once in batches as Apache Kafka's producer makes them by default, once in large ones.
    """
    usual = await _moved(peer, f"move-{round_}", count, "fill")
    large = await _moved(peer, f"move-large-{round_}", count, "fill_large")
    return usual | {f"{figure}, 1 MB batches": value for figure, value in large.items()}


async def _moved(peer: Peer, topic: str, count: int, how: str) -> Figures:
    await _filled(peer, topic, (BROKER,), count, how)
    async with AdminClient(peer.bootstrap) as admin:
        replica = Replica(topic, 0, BROKER)
        place = await admin.describe_replica_log_dirs([replica])[replica]
        assert place.current is not None
        os.sync()
        copy_seconds = await asyncio.to_thread(copied, Path(place.current) / f"{topic}-0")
        os.sync()
        before, began = cpu_seconds(peer.pids()), time.monotonic()
        target = await _to_the_other(peer, admin, replica)
        seconds = time.monotonic() - began
        durable = seconds + await asyncio.to_thread(_sync, Path(target) / f"{topic}-0")
        cpu = cpu_seconds(peer.pids()) - before
    await delete(peer, topic)
    size = place.current_size
    return {
        "move MB/s": size / seconds / 1e6,
        "move and fsync MB/s": size / durable / 1e6,
        "move / cp+fsync": copy_seconds / seconds,
        "move CPU s/GB": cpu / (size / 1e9),
    }


async def felt(peer: Peer, round_: int, count: int, seconds: int) -> Figures:
    """How long acks=all takes on a partition with three replicas, at rest and while one moves.

    It moves there and back for as long as the client writes, so that each swap counts.
    """
    topic = f"felt-{round_}"
    await _filled(peer, topic, (BROKER, 2, 3), count)
    alone = await client("acknowledged", peer, topic, seconds, 1024)
    moves = 0
    async with AdminClient(peer.bootstrap) as admin:
        writing = asyncio.create_task(client("acknowledged", peer, topic, seconds, 1024))
        while not writing.done():
            await _to_the_other(peer, admin, Replica(topic, 0, BROKER), SELDOM)
            moves += 1
        during = await writing
    await delete(peer, topic)
    return {
        "acks=all p99 ms": alone["p99_ms"],
        "acks=all p99 ms, moving": during["p99_ms"],
        "acks=all p99, moving / at rest": during["p99_ms"] / alone["p99_ms"],
        "acks=all max ms, moving": during["max_ms"],
        "moves meanwhile": float(moves),
    }


async def swaps(peer: Peer, round_: int, count: int, wanted: int) -> Figures:
    """How long swaps block appends, by the broker's own figure: moves to and fro under load.

    Only of peers that have such a figure. It holds the last 1000 swaps, those of other measures of
    this run among them, which were under load, too, or larger.
    """
    if not peer.figures(BROKER):
        return {}
    topic = f"swaps-{round_}"
    await _filled(peer, topic, (BROKER, 2, 3), count)
    before = _swapped(peer)
    async with AdminClient(peer.bootstrap) as admin:
        while _swapped(peer) - before < wanted:
            writing = asyncio.create_task(client("acknowledged", peer, topic, SWAPS_SECONDS, 1024))
            while not writing.done() and _swapped(peer) - before < wanted:
                await _to_the_other(peer, admin, Replica(topic, 0, BROKER), SELDOM)
            await writing
    found = peer.figures(BROKER)
    await delete(peer, topic)
    return {
        "append block at the swap p50 ms": found[BLOCKED + '{quantile="0.5"}'] * 1e3,
        "append block at the swap p99 ms": found[BLOCKED + '{quantile="0.99"}'] * 1e3,
        "swaps": _swapped(peer) - before,
    }


def _swapped(peer: Peer) -> float:
    return peer.figures(BROKER)[BLOCKED + "_count"]


async def _filled(
    peer: Peer, topic: str, replicas: tuple[int, ...], count: int, how: str = "fill"
) -> None:
    """A topic of one partition with so many records of 1 KiB in segments of 64 MiB."""
    configs = {"segment.bytes": str(64 << 20)}
    await create(peer, NewTopic(topic, assignment={0: replicas}, configs=configs))
    await client(how, peer, topic, count, 1024)


async def _to_the_other(
    peer: Peer, admin: AdminClient, replica: Replica, look: float = LOOK
) -> str:
    """Move a replica to the broker's other directory; which that is, when it is there."""
    place = await admin.describe_replica_log_dirs([replica])[replica]
    target = next(d for d in peer.directories(replica.broker) if d != place.current)
    await admin.alter_replica_log_dirs({replica: target}).all()
    deadline = time.monotonic() + MOVE_SECONDS
    while True:
        now = await admin.describe_replica_log_dirs([replica])[replica]
        if now.current == target and now.future is None:
            return target
        assert time.monotonic() < deadline, f"the move of {peer.name} hangs"
        await asyncio.sleep(look)


def _sync(folder: Path) -> float:
    """Seconds until what was moved would outlive a power cut; the peer may have seen to it."""
    began = time.monotonic()
    for file in folder.glob("*.log"):
        fd = os.open(file, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
    return time.monotonic() - began


def copied(source: Path) -> float:
    """Seconds for cp and fsync of a partition's files to the file system where they are."""
    target = source.parent / "copy-for-comparison.tmp"
    began = time.monotonic()
    target.mkdir()
    for file in sorted(source.glob("*.log")):
        subprocess.run(tied(["cp", str(file), str(target / file.name)]), check=True)
        fd = os.open(target / file.name, os.O_RDWR)
        os.fsync(fd)
        os.close(fd)
    seconds = time.monotonic() - began
    for file in target.iterdir():
        file.unlink()
    target.rmdir()
    return seconds
