"""Producers whose records number themselves: what was acknowledged is known by its place."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from typing import Final

from confluent_kafka import KafkaError, Message, Producer

from tests.soak.topics import INPUT, Place

KEYS: Final = 20
PAUSE_S: Final = 0.01
"""Between two records: the machine is to have time for trouble."""
PATIENCE_S: Final = 300
"""How long a record may wait for its acknowledgement: longer than any trouble."""
CODECS: Final = ("none", "zstd", "lz4")
SIZES: Final = (10, 100, 2000)


class Produced:
    """All records that brokers have acknowledged, and what librdkafka has given up on."""

    def __init__(self) -> None:
        self.acknowledged: defaultdict[Place, dict[int, bytes]] = defaultdict(dict)
        self.somewhere: defaultdict[Place, set[bytes]] = defaultdict(set)
        """Acknowledged without an offset: librdkafka had no answer, but one for a later batch."""
        self.given_up: Counter[str] = Counter()

    @property
    def number(self) -> int:
        """How many records brokers have acknowledged."""
        return sum(map(len, [*self.acknowledged.values(), *self.somewhere.values()]))

    def on_delivery(self, error: KafkaError | None, message: Message) -> None:
        """librdkafka tells what has become of a record."""
        place, offset = Place(message.topic(), message.partition()), message.offset()
        if error is not None:
            self.given_up[str(error)] += 1
        elif offset is None:
            self.somewhere[place].add(message.value())
        else:
            self.acknowledged[place][offset] = message.value()


class NumberedProducer(threading.Thread):
    """An idempotent producer: each of its keys counts up from 1, and no number comes twice."""

    def __init__(self, bootstrap: str, number: int, seed: int, produced: Produced) -> None:
        super().__init__(name=f"producer {number}", daemon=True)
        self._number, self._rng = number, random.Random(f"{seed} producer {number}")
        self._produced, self._ending = produced, threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "compression.type": CODECS[number % len(CODECS)],
                "linger.ms": self._rng.choice([0, 5, 50]),
                "delivery.timeout.ms": PATIENCE_S * 1000,
                "log_level": 0,
            }
        )

    def run(self) -> None:
        """Produce until `end`."""
        counts: Counter[str] = Counter()
        while not self._ending.is_set():
            key = f"{self._number}.{self._rng.randrange(KEYS)}"
            counts[key] += 1
            value = f"{key}:{counts[key]}:".encode() + b"x" * self._rng.choice(SIZES)
            self._producer.produce(INPUT, value, key, on_delivery=self._produced.on_delivery)
            self._producer.poll(0)
            time.sleep(PAUSE_S)

    def end(self) -> int:
        """Stop, and wait for what is under way; how many records are left all the same."""
        self._ending.set()
        self.join()
        return int(self._producer.flush(PATIENCE_S))
