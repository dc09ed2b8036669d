"""Many brokers that only tell of their log directories, on loopback, in a thread or as a process.

    with FakeFleet(brokers=100, directories=10, replicas=100) as fleet: ... fleet.bootstrap

As a process (`python -m tests.support.fake_fleet 100 10 100`) it prints its address and serves
until its standard input ends.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Self

from tools.messages.entities import make

from spindle.wire.apis import Key
from tests.support.fake_broker import HANG_UP, FakeBroker

GIGABYTE = 1 << 30
SILENT, HANGING_UP = "silent", "hanging up"


class FakeFleet:
    """`moods` of brokers by id: SILENT ones take the question and never answer it."""

    def __init__(
        self, brokers: int, directories: int, replicas: int, moods: Mapping[int, str] | None = None
    ) -> None:
        """`replicas` in each of the directories of each broker."""
        self._counts = brokers, directories, replicas
        self._moods = dict(moods or {})
        self._ready = threading.Event()
        self._ending: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.bootstrap = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._ending is not None
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(60)

    async def _serve(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        brokers, directories, replicas = self._counts
        peers: list[FakeBroker] = []
        for number in range(1, brokers + 1):
            fake = await FakeBroker(number, peers).__aenter__()
            fake.on(Key.DESCRIBE_LOG_DIRS, self._teller(number, directories, replicas))
        self.bootstrap = peers[0].bootstrap
        self._ready.set()
        await self._ending.wait()
        for fake in peers:
            await fake.__aexit__(None, None, None)

    def _teller(self, broker: int, directories: int, replicas: int) -> Any:
        known: dict[int, Any] = {}

        def tell(request: Any, types: ModuleType) -> Any:
            mood = self._moods.get(broker)
            if mood is not None:
                return HANG_UP if mood == HANGING_UP else None
            if id(types) not in known:
                known[id(types)] = described(types, broker, directories, replicas)
            return known[id(types)]

        return tell


def described(types: ModuleType, broker: int, directories: int, replicas: int) -> Any:
    """A broker's answer: topics of 10 partitions, of sizes that tell them apart."""

    def topics(directory: int) -> tuple[Any, ...]:
        first = directory * replicas
        return tuple(
            make(
                types.DescribeLogDirsTopic,
                name=f"topic-{broker}-{start // 10}",
                partitions=tuple(
                    make(types.DescribeLogDirsPartition, partition_index=n % 10,
                         partition_size=1000 * n + broker, offset_lag=0, is_future_key=False)
                    for n in range(start, min(start + 10, first + replicas))
                ),
            )
            for start in range(first, first + replicas, 10)
        )  # fmt: skip

    return make(
        types.DescribeLogDirsResponse,
        results=tuple(
            make(types.DescribeLogDirsResult, log_dir=f"/disk{d}/kafka", topics=topics(d),
                 total_bytes=GIGABYTE, usable_bytes=GIGABYTE // 2)
            for d in range(directories)
        ),
    )  # fmt: skip


if __name__ == "__main__":
    first, second, third = map(int, sys.argv[1:4])
    with FakeFleet(first, second, third) as fleet:
        print(fleet.bootstrap, flush=True)
        sys.stdin.read()
