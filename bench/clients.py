"""librdkafka as the one client of both peers; each measure runs in a process of its own.

    python -m bench.clients MEASURE BOOTSTRAP TOPIC AMOUNT SIZE

prints one line of JSON; the measures stand in a table at the end. AMOUNT: records where a topic is
filled, records a second of `load`, seconds in all other measures.
"""

from __future__ import annotations

import itertools
import json
import random
import struct
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

_TIME = struct.Struct(">d")
_WAITING = 200
"""Small records that the client holds at most: enough for five requests to be on their way."""


def fill(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """Write `count` records in batches of 16 KiB, as Apache Kafka's producer makes by default."""
    return _written(bootstrap, topic, range(count), size, 16_384)


def fill_large(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """The same in batches of 1 MB."""
    return _written(bootstrap, topic, range(count), size, 1_000_000)


def produce(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """Records per second and MB/s of a window of so many seconds, acks=all."""
    return _written(bootstrap, topic, _for(seconds), size, 1_000_000)


def _for(seconds: float) -> Iterator[int]:
    """Numbers, until the time is up; the clock is looked at now and then."""
    end = time.monotonic() + seconds
    for number in itertools.count():
        if number % 256 == 0 and time.monotonic() >= end:
            return
        yield number


def _written(
    bootstrap: str, topic: str, numbers: Iterable[int], size: int, batch: int
) -> dict[str, float]:
    client = Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": "all",
            "linger.ms": 5,
            "batch.size": batch,
            "queue.buffering.max.messages": 200_000,
            "queue.buffering.max.kbytes": 1_000_000,
        }
    )
    value = random.Random(1).randbytes(size)
    failed: list[str] = []
    count = 0

    def delivered(error: Any, _: Any) -> None:
        if error is not None:
            failed.append(str(error))

    began = time.monotonic()
    for _ in numbers:
        while True:
            try:
                client.produce(topic, value, on_delivery=delivered)
                break
            except BufferError:
                client.poll(0.01)
        client.poll(0)
        count += 1
    assert client.flush(120) == 0, "not everything was acknowledged within 120 s"
    seconds = time.monotonic() - began
    assert not failed, failed[:3]
    return {"mb_per_s": count * size / seconds / 1e6, "records": float(count), "seconds": seconds}


def consume(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """MB/s of reading for so many seconds, from the beginning again whenever the end is reached."""
    client = _consumer(bootstrap, topic)
    places = client.assignment()
    ends = {p.partition: client.get_watermark_offsets(p, timeout=30)[1] for p in places}
    every = sum(ends.values())
    client.consume(1, timeout=30)
    began, got, of_this_pass = time.monotonic(), 0, 1
    while time.monotonic() < began + seconds:
        # Never ask for more than is left: the call would wait for it.
        read = len(client.consume(min(10_000, every - of_this_pass), timeout=1))
        got, of_this_pass = got + read, of_this_pass + read
        if of_this_pass >= every:
            client.assign([TopicPartition(topic, number, 0) for number in ends])
            of_this_pass = 0
    took = time.monotonic() - began
    client.close()
    assert got, "nothing was read"
    return {"mb_per_s": got * size / took / 1e6, "records": float(got), "seconds": took}


def latency(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """From produce to consume, in ms, at 200 records/s with acks=all, for so many seconds."""
    rate = 200.0
    count = int(seconds * rate)
    client = _consumer(bootstrap, topic, "latest")
    client.poll(1)
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0})
    waits: list[float] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            message = client.poll(0.1)
            if message is not None and message.error() is None:
                waits.append(time.monotonic() - _TIME.unpack_from(message.value())[0])

    reader = threading.Thread(target=read)
    reader.start()
    began = time.monotonic()
    for number in range(count):
        while time.monotonic() < began + number / rate:
            producer.poll(0.001)
        producer.produce(topic, _TIME.pack(time.monotonic()) + bytes(size - 8))
        producer.poll(0)
    producer.flush(30)
    deadline = time.monotonic() + 10
    while len(waits) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    stop.set()
    reader.join()
    waits = sorted(waits[len(waits) // 10 :])
    assert len(waits) > count // 2, f"only {len(waits)} of {count} records came back"
    return {"p50_ms": waits[len(waits) // 2] * 1e3, "p99_ms": waits[len(waits) * 99 // 100] * 1e3}


def acknowledged(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """From produce to the acknowledgement by all replicas, in ms, at 500 records/s."""
    rate = 500.0
    waits, _ = _paced(bootstrap, topic, rate, size, range(int(seconds * rate)))
    waits = sorted(waits[len(waits) // 10 :])
    return {
        "p50_ms": waits[len(waits) // 2] * 1e3,
        "p99_ms": waits[len(waits) * 99 // 100] * 1e3,
        "max_ms": waits[-1] * 1e3,
    }


def load(bootstrap: str, topic: str, rate: int, size: int) -> dict[str, float]:
    """So many records a second with acks=all until the standard input ends; how many came there.

    Says so on a line of its own once the first one is acknowledged.
    """
    ended = threading.Event()

    def listen() -> None:
        sys.stdin.buffer.read()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    _paced(bootstrap, topic, float(rate), size, range(1))
    print("begun", flush=True)
    numbers = itertools.takewhile(lambda _: not ended.is_set(), itertools.count())
    waits, seconds = _paced(bootstrap, topic, float(rate), size, numbers)
    return {"records_per_s": len(waits) / seconds}


def _paced(
    bootstrap: str, topic: str, rate: float, size: int, numbers: Iterable[int]
) -> tuple[list[float], float]:
    """How long each record waited for its acknowledgement, and how long all of them took, in s."""
    client = Producer({"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0})
    client.list_topics(topic, timeout=30)
    waits: list[float] = []
    failed: list[str] = []

    def send() -> None:
        sent = time.monotonic()

        def delivered(error: Any, _: Any) -> None:
            if error is not None:
                failed.append(str(error))
            waits.append(time.monotonic() - sent)

        client.produce(topic, bytes(size), partition=0, on_delivery=delivered)

    began = time.monotonic()
    for number in numbers:
        while time.monotonic() < began + number / rate:
            client.poll(0.001)  # Less would be no wait at all: the client would take a core.
        send()
        client.poll(0)
    client.flush(60)
    assert not failed, failed[:3]
    return waits, time.monotonic() - began


def small(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """Produce requests of one record each per second, five in flight, for so many seconds."""
    return _small(bootstrap, topic, seconds, size, 5)


def small_in_turn(bootstrap: str, topic: str, seconds: int, size: int) -> dict[str, float]:
    """The same with one in flight."""
    return _small(bootstrap, topic, seconds, size, 1)


def _small(bootstrap: str, topic: str, seconds: int, size: int, in_flight: int) -> dict[str, float]:
    client = Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": "all",
            "linger.ms": 0,
            "batch.num.messages": 1,
            "max.in.flight.requests.per.connection": in_flight,
        }
    )
    acknowledged = 0
    failed: list[str] = []

    def delivered(error: Any, _: Any) -> None:
        nonlocal acknowledged
        acknowledged += error is None
        if error is not None:
            failed.append(str(error))

    began = time.monotonic()
    while time.monotonic() < began + seconds:
        if len(client) < _WAITING:
            client.produce(topic, bytes(size), partition=0, on_delivery=delivered)
        client.poll(0 if len(client) < _WAITING else 0.001)
    took, done = time.monotonic() - began, acknowledged
    assert client.flush(120) == 0, "not everything was acknowledged within 120 s"
    assert not failed, failed[:3]
    return {"requests_per_s": done / took, "requests": float(acknowledged)}


def _consumer(bootstrap: str, topic: str, begin: str = "earliest") -> Consumer:
    client = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": f"bench-{uuid.uuid4()}",
            "enable.auto.commit": False,
            "auto.offset.reset": begin,
            "fetch.message.max.bytes": 4_000_000,
            "queued.min.messages": 1_000_000,
        }
    )
    partitions = client.list_topics(topic, timeout=30).topics[topic].partitions
    offset = -2 if begin == "earliest" else -1
    client.assign([TopicPartition(topic, number, offset) for number in partitions])
    return client


MEASURES = {
    "fill": fill,
    "fill_large": fill_large,
    "produce": produce,
    "consume": consume,
    "latency": latency,
    "small": small,
    "small_in_turn": small_in_turn,
    "acknowledged": acknowledged,
    "load": load,
}

if __name__ == "__main__":
    name, bootstrap, topic, amount, size = sys.argv[1:]
    print(json.dumps(MEASURES[name](bootstrap, topic, int(amount), int(size))))
