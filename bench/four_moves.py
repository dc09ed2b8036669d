"""Four partitions of 256 MB that move together: from memory, from the medium, beside a load.

Each way stands beside `cp` and fsync of the same files just before, with the page cache in the same
state. All four go to the broker's other directory at once, and their end is looked for every 10 ms,
as a tool does that shows progress. The load writes to a partition of three replicas that the same
broker leads, and its records count: a move is not fast that keeps the clients out.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.support.processes import tied

from bench.measures import Figures, create, delete, gathered
from bench.measures import client as run_client
from bench.moves import BROKER, MOVE_SECONDS, copied
from bench.peers import Peer
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic, Replica

PARTITIONS: Final = 4
LOAD_RATE: Final = 2_000
LOOK: Final = 0.01
"""Seconds between two questions how far the moves are."""
LEADING: Final = "move of four MB/s, cached"
AT_REST = {"cached": "move of four / cp+fsync, cached", "cold": "move of four / cp+fsync, cold"}
BESIDE_LOAD: Final = "move of four, beside a load / at rest"
_LOAD_STARTS_S, _READ = 60.0, 1 << 20


async def four(peer: Peer, round_: int, count: int) -> Figures:
    """Move four partitions with so many 1 KiB records in all there and back, one way each time."""
    topic, loaded = f"move-four-{round_}", f"move-four-load-{round_}"
    configs = {"segment.bytes": str(64 << 20)}
    orders: dict[int, tuple[int, ...]] = dict.fromkeys(range(PARTITIONS), (BROKER,))
    await create(peer, NewTopic(topic, assignment=orders, configs=configs))
    await create(peer, NewTopic(loaded, assignment={0: (BROKER, 2, 3)}))
    replicas = [Replica(topic, n, BROKER) for n in range(PARTITIONS)]
    first, second = peer.directories(BROKER)[:2]
    async with AdminClient(peer.bootstrap) as admin:
        await gathered(admin, replicas, first)
        await run_client("fill", peer, topic, count, 1024)
        cached = await _moved(admin, replicas, (first, second), remembered)
        cold = await _moved(admin, replicas, (second, first), forgotten)
        async with _load(peer, loaded) as reached:
            beside = await _moved(admin, replicas, (first, second), remembered)
    await delete(peer, topic)
    await delete(peer, loaded)
    return {
        "move of four MB/s, cached": cached["mb_per_s"],
        AT_REST["cached"]: cached["of_copy"],
        "move of four MB/s, cold": cold["mb_per_s"],
        AT_REST["cold"]: cold["of_copy"],
        "move of four MB/s, beside a load": beside["mb_per_s"],
        BESIDE_LOAD: beside["mb_per_s"] / cached["mb_per_s"],
        "the load's records/s meanwhile": reached["records_per_s"],
    }


async def _moved(
    admin: AdminClient,
    replicas: list[Replica],
    way: tuple[str, str],
    ready: Callable[[list[Path]], None],
) -> Figures:
    """MB/s of a move of all replicas, and `cp` and fsync's seconds divided by its own.

    `way`: the directories from and to which they move; `ready` brings the files into the state in
    which copy and move find them.
    """
    folders = [Path(way[0]) / f"{r.topic}-{r.partition}" for r in replicas]
    size = sum(file.stat().st_size for folder in folders for file in folder.glob("*.log"))
    await asyncio.to_thread(ready, folders)
    copy_seconds = sum([await asyncio.to_thread(copied, folder) for folder in folders])
    await asyncio.to_thread(ready, folders)
    began = time.monotonic()
    await admin.alter_replica_log_dirs(dict.fromkeys(replicas, way[1])).all()
    while True:
        places = await admin.describe_replica_log_dirs(replicas).all()
        if all(p.current == way[1] and p.future is None for p in places.values()):
            break
        assert time.monotonic() < began + MOVE_SECONDS, f"the moves to {way[1]} hang"
        await asyncio.sleep(LOOK)
    seconds = time.monotonic() - began
    return {"mb_per_s": size / seconds / 1e6, "of_copy": copy_seconds / seconds}


def remembered(folders: list[Path]) -> None:
    """Have the files on the medium, and all of them in the page cache."""
    os.sync()
    for file in _logs(folders):
        with file.open("rb") as log:
            while log.read(_READ):
                pass


def forgotten(folders: list[Path]) -> None:
    """Have the files on the medium, and none of them in the page cache."""
    os.sync()
    for file in _logs(folders):
        fd = os.open(file, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def _logs(folders: list[Path]) -> list[Path]:
    return sorted(file for folder in folders for file in folder.glob("*.log"))


@asynccontextmanager
async def _load(peer: Peer, topic: str) -> AsyncIterator[Figures]:
    """A steady load meanwhile; its figures are in what is given once it has ended."""
    words = ("bench.clients", "load", peer.bootstrap, topic, str(LOAD_RATE), "1024")
    process = await asyncio.create_subprocess_exec(
        *tied([sys.executable, "-m", *words]), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    told: Figures = {}
    try:
        assert process.stdout is not None
        await asyncio.wait_for(process.stdout.readline(), _LOAD_STARTS_S)
        yield told
        output, _ = await asyncio.wait_for(process.communicate(b""), _LOAD_STARTS_S)
        assert process.returncode == 0, f"the load on {peer.name} failed"
        told.update(json.loads(output.splitlines()[-1]))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
