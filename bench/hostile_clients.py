"""The clients of `bench.hostile`: well-behaved ones that are measured, and hostile ones.

    python -m bench.hostile_clients good PORT SECONDS RATE PID
    python -m bench.hostile_clients bad 0 0
    python -m bench.hostile_clients swallow 0 SECONDS

prints one line of JSON. RATE: requests in a second that the good ones ask for together; with 0
each asks as soon as it has its answer. PID: the broker, whose processor time they count.

The hostile ones turn to each port that they read from their standard input, and leave the one
before; at its end they stop. They idle, dribble a frame byte by byte, promise a hundred megabytes
and stall, ask and read no answer, send bombs (a small batch of very many records, for a compacted
topic), have a thousand partitions described, send what is no request, or hang up and come again; an
eighth of them each.

`swallow` is what they work upon instead of a broker
when their own share of the machine is measured: it prints its port, reads what they send, and gives
them an empty answer or hangs up, each at the pace at which a broker does.
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

import psutil

from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.wire import batch
from spindle.wire.compression import Compression
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)

GOOD, BAD = 500, 500
PRODUCE_VERSION, METADATA_VERSION = 9, 12
TOPIC, COMPACTED, WIDE = "bench-good", "bench-compacted", "bench-wide"
PARTITIONS: Final = 8
WIDE_PARTITIONS: Final = 1_000
BOMB_RECORDS: Final = 400_000
PATIENCE_SECONDS: Final = 2.0
"""How long a good one waits for its last answer."""
_LENGTH = struct.Struct(">i")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def produce(topic: str, partition: int, records: bytes) -> tuple[ProduceRequest, bytes]:
    """A Produce request of one batch, acks=1, and its bytes."""
    data = PartitionProduceData(index=partition, records=records)
    topics = (TopicProduceData(name=topic, partition_data=(data,)),)
    request = ProduceRequest(acks=1, timeout_ms=30_000, topic_data=topics)
    return request, request_frame(request, PRODUCE_VERSION, 1, "bench")


def packed(count: int, compression: Compression) -> bytes:
    """A batch of records with a key and nothing else."""
    records = (Record(n, 0, b"k", None) for n in range(count))
    made = batch.build(records, compression=compression)
    return b"".join(bytes(piece) for piece in batch.stamped(made))


async def good(port: int, seconds: float, rate: float, pid: int) -> dict[str, float]:
    """Requests per second of all, and per second that the broker has used of a processor, the 99th
    percentile of one's time, and how often one lost its connection or was refused."""
    broker = psutil.Process(pid)
    pause = GOOD / rate if rate else 0.0
    record = packed(1, Compression.NONE)
    times: list[float] = []
    under_way: dict[int, float] = {}
    lost = 0
    used, begun = sum(broker.cpu_times()[:2]), time.monotonic()

    async def one(number: int) -> None:
        nonlocal lost
        request, frame = produce(TOPIC, number % PARTITIONS, record)
        streams: Streams | None = None
        await asyncio.sleep(pause * number / GOOD)
        due = time.monotonic()
        while time.monotonic() < begun + seconds:
            asked = under_way[number] = time.monotonic()
            try:
                if streams is None:
                    streams = await asyncio.open_connection("127.0.0.1", port)
                reader, writer = streams
                writer.write(frame)
                answer = response_in(await _answer(reader), request, PRODUCE_VERSION)
                if answer.responses[0].partition_responses[0].error_code != Error.NONE:
                    raise ConnectionError
                times.append(time.monotonic() - asked)
                del under_way[number]
                due = max(due + pause, time.monotonic() - pause)
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            except (OSError, asyncio.IncompleteReadError):
                lost += 1
                under_way.pop(number, None)
                if streams is not None:
                    streams[1].close()
                streams = None
                await asyncio.sleep(0.1)
        if streams is not None:
            streams[1].close()

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds + PATIENCE_SECONDS):
            await asyncio.gather(*(one(number) for number in range(GOOD)))
    answered, ended = len(times), time.monotonic()
    # Unanswered ones wait still: a broker that stands still is not let off.
    times += [ended - asked for asked in under_way.values()]
    times.sort()
    return {
        "rate": answered / (ended - begun),
        "per cpu": answered / (sum(broker.cpu_times()[:2]) - used),
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
    topic = MetadataRequestTopic(name=TOPIC)
    frame = request_frame(MetadataRequest(topics=(topic,)), METADATA_VERSION, 1, "bench") * 100
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    while True:
        writer.write(frame)
        await writer.drain()
        await asyncio.sleep(0.1)


async def describe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """All partitions of all topics, again and again."""
    frame = request_frame(MetadataRequest(topics=None), METADATA_VERSION, 1, "bench")
    while True:
        writer.write(frame)
        await _answer(reader)


async def garble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What is no request."""
    writer.write(_LENGTH.pack(100) + bytes(range(100, 200)))
    await reader.readexactly(1)


async def bomb(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Records by the hundred thousand, a few kilobytes on the wire, one after the other."""
    while True:
        writer.write(_bomb())
        await _answer(reader)


async def come_and_go(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Nothing for long."""
    await asyncio.sleep(0.5)
    raise ConnectionError


DEEDS: Final[tuple[Deed, ...]] = (
    idle,
    dribble,
    promise,
    unread,
    bomb,
    describe,
    garble,
    come_and_go,
)


async def _answer(reader: asyncio.StreamReader) -> bytes:
    (size,) = _LENGTH.unpack(await reader.readexactly(4))
    return await reader.readexactly(size)


@cache
def _bomb() -> bytes:
    return produce(COMPACTED, 0, packed(BOMB_RECORDS, Compression.ZSTD))[1]


async def bad() -> dict[str, float]:
    """How often each kind came. Each line of the standard input is a port to turn to."""
    os.nice(10)
    _bomb()
    came: Counter[str] = Counter()

    async def one(deed: Deed, port: int) -> None:
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

    at_work: list[asyncio.Task[None]] = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)
        at_work = [asyncio.create_task(one(DEEDS[n % len(DEEDS)], int(line))) for n in range(BAD)]
    for task in at_work:
        task.cancel()
    await asyncio.gather(*at_work, return_exceptions=True)
    return dict(came)


# --- what stands in a broker's place -------------------------------------------------------------

SWALLOW_SECONDS: Final = 1.0
"""How long a bomb's answer, or a client that stalls or is refused, is kept waiting."""
SWALLOW_BYTES: Final = 1 << 20
"""From so much on it hangs up: a client that sends that wants no answer."""


async def swallow(seconds: float) -> dict[str, float]:
    """How many came. It works at their priority: its share is a part of their share."""
    os.nice(10)
    came = 0

    async def on_connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal came
        came += 1
        with suppress(OSError):
            seen = 0
            while seen < SWALLOW_BYTES and (chunk := await reader.read(1 << 16)):
                seen += len(chunk)
                if len(chunk) == 104:  # garbled
                    await asyncio.sleep(SWALLOW_SECONDS)
                    break
                if len(chunk) > 1:  # not a dribble
                    await asyncio.sleep(SWALLOW_SECONDS)
                    writer.write(_LENGTH.pack(0))
        writer.transport.abort()

    server = await asyncio.start_server(on_connected, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(seconds)
    server.close()
    return {"came": came}


def main() -> None:
    """Run one side and print its figures."""
    kind, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    rate = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    if kind == "swallow":
        print(json.dumps(asyncio.run(swallow(seconds))))
        return
    if kind == "good":
        print(json.dumps(asyncio.run(good(port, seconds, rate, int(sys.argv[5])))))
    else:
        print(json.dumps(asyncio.run(bad())))


if __name__ == "__main__":
    main()
