"""librdkafka as the one client of both peers; each measure runs in a process of its own.

    python -m bench.clients MEASURE BOOTSTRAP TOPIC COUNT SIZE

prints one line of JSON; the measures stand in a table at the end.
"""

from __future__ import annotations

import json
import random
import struct
import sys
import threading
import time
import uuid
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

_TIME = struct.Struct(">d")


def fill(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """As `produce`, in batches of 16 KiB, as Apache Kafka's own producer makes them by default."""
    return produce(bootstrap, topic, count, size, 16_384)


def produce(
    bootstrap: str, topic: str, count: int, size: int, batch: int = 1_000_000
) -> dict[str, float]:
    """Records per second and MB/s of `count` records, acks=all."""
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

    def told(error: Any, _: Any) -> None:
        if error is not None:
            failed.append(str(error))

    began = time.monotonic()
    for _ in range(count):
        while True:
            try:
                client.produce(topic, value, on_delivery=told)
                break
            except BufferError:
                client.poll(0.01)
        client.poll(0)
    client.flush(120)
    seconds = time.monotonic() - began
    assert not failed, failed[:3]
    return {"mb_per_s": count * size / seconds / 1e6, "records_per_s": count / seconds}


def consume(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """MB/s of reading `count` records from the beginning."""
    client = _consumer(bootstrap, topic)
    client.consume(1, timeout=30)
    began, got = time.monotonic(), 1
    while got < count and time.monotonic() < began + 120:
        # Never ask for more than is left: the call would wait for it.
        got += len(client.consume(min(10_000, count - got), timeout=1))
    seconds = time.monotonic() - began
    client.close()
    assert got >= count, f"only {got} of {count} records came"
    return {"mb_per_s": got * size / seconds / 1e6, "records_per_s": got / seconds}


def latency(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """From produce to consume, in ms, at 200 records/s with acks=all."""
    rate = 200.0
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


def acknowledged(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """From produce to the acknowledgement by all replicas, in ms, at 500 records/s."""
    rate = 500.0
    client = Producer({"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0})
    client.list_topics(topic, timeout=30)
    waits: list[float] = []
    failed: list[str] = []

    def send() -> None:
        sent = time.monotonic()

        def told(error: Any, _: Any) -> None:
            if error is not None:
                failed.append(str(error))
            waits.append(time.monotonic() - sent)

        client.produce(topic, bytes(size), partition=0, on_delivery=told)

    began = time.monotonic()
    for number in range(count):
        while time.monotonic() < began + number / rate:
            client.poll(0.001)  # Less would be no wait at all: the client would take a core.
        send()
        client.poll(0)
    client.flush(60)
    assert not failed, failed[:3]
    waits = sorted(waits[len(waits) // 10 :])
    return {
        "p50_ms": waits[len(waits) // 2] * 1e3,
        "p99_ms": waits[len(waits) * 99 // 100] * 1e3,
        "max_ms": waits[-1] * 1e3,
    }


def small(bootstrap: str, topic: str, count: int, size: int) -> dict[str, float]:
    """Produce requests of one record each per second, five in flight."""
    client = Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": "all",
            "linger.ms": 0,
            "batch.num.messages": 1,
            "max.in.flight.requests.per.connection": 5,
        }
    )
    began = time.monotonic()
    for _ in range(count):
        while True:
            try:
                client.produce(topic, bytes(size), partition=0)
                break
            except BufferError:
                client.poll(0.01)
        client.poll(0)
    left = client.flush(120)
    assert left == 0, f"{left} records were not acknowledged"
    return {"requests_per_s": count / (time.monotonic() - began)}


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
    "produce": produce,
    "consume": consume,
    "latency": latency,
    "small": small,
    "acknowledged": acknowledged,
}

if __name__ == "__main__":
    name, bootstrap, topic, count, size = sys.argv[1:]
    print(json.dumps(MEASURES[name](bootstrap, topic, int(count), int(size))))
