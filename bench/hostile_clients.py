"""The clients of `bench.hostile`: well-behaved ones that are measured, and hostile ones.

    python -m bench.hostile_clients (good|bad) PORT SECONDS [RATE]

prints one line of JSON. RATE: requests in a second that the good ones ask for together; without it
each asks as soon as it has its answer. The hostile ones idle, dribble a frame byte by byte, promise
a hundred megabytes and stall, ask and read no answer, send bombs (a small batch of very many
records, for a compacted topic), or hang up and come again; a sixth of them each.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from typing import Final

from spindle.model.batches import Record
from spindle.wire import batch
from spindle.wire.apis import Key
from spindle.wire.compression import Compression
from spindle.wire.entities import make, ms, request_types
from spindle.wire.framing import decode_response, encode_request

GOOD, BAD = 500, 500
TOPIC, COMPACTED = "bench-good", "bench-compacted"
PARTITIONS: Final = 8
BOMB_RECORDS: Final = 400_000
_LENGTH = struct.Struct(">i")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def produce(topic: str, partition: int, records: bytes) -> tuple[object, bytes]:
    """A Produce request of one batch, acks=1: the entity and its bytes."""
    t = request_types(Key.PRODUCE, 9)
    data = make(t.PartitionProduceData, index=partition, records=records)
    topics = (make(t.TopicProduceData, name=topic, partition_data=(data,)),)
    request = make(t.ProduceRequest, acks=1, timeout=ms(30_000), topic_data=topics)
    return request, encode_request(request, 1, "bench")


def packed(count: int, compression: Compression) -> bytes:
    """A batch of records with a key and nothing else."""
    records = (Record(n, 0, b"k", None) for n in range(count))
    made = batch.build(records, compression=compression)
    return b"".join(bytes(piece) for piece in batch.stamped(made))


async def good(port: int, seconds: float, rate: float = 0.0) -> dict[str, float]:
    """Requests per second of all, the 99th percentile of one's time, and connections lost."""
    pause = GOOD / rate if rate else 0.0
    record = packed(1, Compression.NONE)
    times: list[float] = []
    lost = 0
    begun = time.monotonic()

    async def one(number: int) -> None:
        nonlocal lost
        request, frame = produce(TOPIC, number % PARTITIONS, record)
        streams: Streams | None = None
        await asyncio.sleep(pause * number / GOOD)
        due = time.monotonic()
        while time.monotonic() < begun + seconds:
            try:
                if streams is None:
                    streams = await asyncio.open_connection("127.0.0.1", port)
                reader, writer = streams
                asked = time.monotonic()
                writer.write(frame)
                (size,) = _LENGTH.unpack(await reader.readexactly(4))
                answer = decode_response(request, await reader.readexactly(size))
                assert answer.responses[0].partition_responses[0].error_code == 0, answer
                times.append(time.monotonic() - asked)
                due = max(due + pause, time.monotonic() - pause)
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            except (OSError, asyncio.IncompleteReadError):
                lost += 1
                streams = None
                await asyncio.sleep(0.1)
        if streams is not None:
            streams[1].close()

    await asyncio.gather(*(one(number) for number in range(GOOD)))
    times.sort()
    took = time.monotonic() - begun
    return {
        "rate": len(times) / took,
        "p99": times[len(times) * 99 // 100] * 1000 if times else 0.0,
        "lost": lost,
    }


# --- hostile ones --------------------------------------------------------------------------------

Deed = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def idle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Nothing."""
    await asyncio.sleep(3600)


async def dribble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A frame, byte by byte."""
    writer.write(_LENGTH.pack(10_000))
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.5)


async def promise(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A hundred megabytes, of which a few come."""
    writer.write(_LENGTH.pack(100_000_000) + bytes(4_000_000))
    await writer.drain()
    await reader.read(1)
    raise ConnectionError


async def unread(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Questions, as fast as they are taken; no answer is read."""
    t = request_types(Key.METADATA, 12)
    frame = encode_request(make(t.MetadataRequest, topics=None), 1, "bench") * 100
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    while True:
        writer.write(frame)
        await writer.drain()
        await asyncio.sleep(0.1)


async def bomb(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Records by the hundred thousand, a few kilobytes on the wire, one after the other."""
    while True:
        writer.write(_bomb())
        (size,) = _LENGTH.unpack(await reader.readexactly(4))
        await reader.readexactly(size)


async def come_and_go(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Nothing for long."""
    await asyncio.sleep(0.5)
    raise ConnectionError


DEEDS: Final[tuple[Deed, ...]] = (idle, dribble, promise, unread, bomb, come_and_go)


@cache
def _bomb() -> bytes:
    return produce(COMPACTED, 0, packed(BOMB_RECORDS, Compression.ZSTD))[1]


async def bad(port: int, seconds: float) -> dict[str, float]:
    """How often each kind had to come again."""
    os.nice(10)
    _bomb()
    came: Counter[str] = Counter()

    async def one(deed: Deed) -> None:
        while True:
            writer = None
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                came[deed.__name__] += 1
                await deed(reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.1)
            finally:
                if writer is not None:
                    writer.transport.abort()

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*(one(DEEDS[n % len(DEEDS)]) for n in range(BAD)))
    return dict(came)


def main() -> None:
    """Run one side and print its figures."""
    kind, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    rate = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    side = good(port, seconds, rate) if kind == "good" else bad(port, seconds)
    print(json.dumps(asyncio.run(side)))


if __name__ == "__main__":
    main()
