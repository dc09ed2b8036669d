"""Real load by librdkafka: a producer that remembers what was acknowledged, a consumer that
remembers what it got. Each runs in a thread of its own. Used by the demo, the tests, the bench.
"""

from __future__ import annotations

import itertools
import random
import struct
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from confluent_kafka import Consumer, KafkaError, Message, Producer

_STAMP = struct.Struct(">iqd")
"""producer, sequence, time of sending: what every value begins with."""
QUEUE_MAX = 20_000
"""Records under way at most; then the producer waits."""
PAUSE_MIN, PAUSE_MAX = 0.005, 0.05
"""Seconds between two looks at what is due: about as long as a record takes to fall due."""


@dataclass(slots=True)
class Events:
    """Columns of the pipeline's EVENT table, filled as things happen; `at` in s (monotonic)."""

    topic: list[str] = field(default_factory=list)
    partition: list[int] = field(default_factory=list)
    offset: list[int] = field(default_factory=list)
    producer: list[int] = field(default_factory=list)
    sequence: list[int] = field(default_factory=list)
    checksum: list[int] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    def add(self, topic: str, partition: int, offset: int, value: bytes) -> None:
        """Note a record, by its place and what its value says."""
        producer, sequence, _ = _STAMP.unpack_from(value)
        self.topic.append(topic)
        self.partition.append(partition)
        self.offset.append(offset)
        self.producer.append(producer)
        self.sequence.append(sequence)
        self.checksum.append(zlib.crc32(value))
        self.at.append(time.monotonic())

    def columns(self) -> dict[str, list[object]]:
        """All columns by name, as they are now."""
        return {f.name: list(getattr(self, f.name)) for f in fields(self)}

    def __len__(self) -> int:
        return len(self.at)


class DemoLoad(threading.Thread):
    """Produces at a steady rate with acks=all and idempotence, skewed over the partitions.

    `weights`: how often each partition is chosen. `failed` lists what was given up on.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        weights: list[float],
        rate: float,
        size: int = 1024,
        producer: int = 1,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(name=f"load-{producer}", daemon=True)
        self.acknowledged = Events()
        self.failed: list[str] = []
        self.sent = 0
        self._client = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "enable.idempotence": True,
                "linger.ms": 5,
                "topic.metadata.refresh.interval.ms": 5000,
                "log_level": 0,
                **(settings or {}),
            }
        )
        self._topic = topic
        self._weights = weights
        self._rate = rate
        self._pause = min(max(PAUSE_MIN, 1 / rate), PAUSE_MAX)
        self._producer = producer
        self._rng = random.Random(producer)
        self._payload = self._rng.randbytes(max(0, size - _STAMP.size))
        self._ending = threading.Event()

    def run(self) -> None:
        """Produce until `finish`."""
        partitions = range(len(self._weights))
        began = time.monotonic()
        while not self._ending.is_set():
            due = int((time.monotonic() - began) * self._rate)
            for partition in self._rng.choices(
                partitions, self._weights, k=max(0, min(due - self.sent, 1000))
            ):
                self._send(partition)
            self._client.poll(self._pause)
        self._client.flush(60)

    def finish(self) -> None:
        """Stop sending; wait until all that was sent is acknowledged or given up."""
        self._ending.set()
        self.join(90)

    def _send(self, partition: int) -> None:
        value = _STAMP.pack(self._producer, self.sent, time.time()) + self._payload
        while len(self._client) >= QUEUE_MAX and not self._ending.is_set():
            self._client.poll(0.05)
        self._client.produce(self._topic, value, partition=partition, on_delivery=self._on_delivery)
        self.sent += 1

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.failed.append(f"{message.topic()}-{message.partition()}: {error}")
            return
        self.acknowledged.add(
            message.topic(), message.partition(), message.offset(), message.value()
        )


class Drain(threading.Thread):
    """Consumes a topic in a group, from the beginning, and remembers every record."""

    def __init__(
        self, bootstrap: str, topic: str, group: str, settings: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(name=f"drain-{group}", daemon=True)
        self.consumed = Events()
        self.errors: list[str] = []
        self._client = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": True,
                "log_level": 0,
                **(settings or {}),
            }
        )
        self._topic = topic
        self._ending = threading.Event()

    def run(self) -> None:
        """Consume until `finish`."""
        self._client.subscribe([self._topic])
        while not self._ending.is_set():
            for message in self._client.consume(500, timeout=0.1):
                error = message.error()
                if error is None:
                    self.consumed.add(
                        message.topic(), message.partition(), message.offset(), message.value()
                    )
                elif not error.retriable() and len(self.errors) < 100:
                    self.errors.append(str(error))
        self._client.close()

    def wait_for(self, count: int, seconds: float) -> bool:
        """Wait until that many records have come; whether they did in time."""
        deadline = time.monotonic() + seconds
        while len(self.consumed) < count and time.monotonic() < deadline:
            self._ending.wait(0.05)
        return len(self.consumed) >= count

    def finish(self) -> None:
        """Stop consuming, commit and leave the group."""
        self._ending.set()
        self.join(30)


def longest_gap(times: list[float], begin: float, end: float) -> tuple[float, float]:
    """(longest time without an event within [begin, end], when it began), both in s."""
    inside = [begin, *sorted(t for t in times if begin <= t <= end), end]
    return max((later - earlier, earlier) for earlier, later in itertools.pairwise(inside))
