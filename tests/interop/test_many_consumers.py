"""500 consumers of one broker, on a busy machine, beside some that read no answers (S-08).

Raw connections, each with one fetch under way all the time: what a client library computes between
two fetches does not count. The slowest client must have about as many answers as the others.
"""

from __future__ import annotations

import multiprocessing
import selectors
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from tests.interop.conftest import MEASURED
from tests.support.clients import produce
from tests.support.local import Local
from tests.support.waiting import TimeIsUp

from spindle.wire.apis import Key

TOPIC, PARTITIONS = "many", 25
CONSUMERS, GREEDY, BUSY = 500, 60, 4
PIPELINED = 30
ANSWERS = 10
"""Each must have so many."""
FAIR = 5
"""The most that another client may have for each answer of the client with the fewest."""
PATIENCE = 60
MIB = 1 << 20


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    settings = {"default.replication.factor": "1", "offsets.topic.replication.factor": "1"}
    with Local(tmp_path, brokers=1, settings=settings) as cluster:
        cluster.start()
        cluster.create(TOPIC, [[1]] * PARTITIONS)
        for number in range(PARTITIONS):
            produce(cluster.bootstrap, TOPIC, [bytes(1000)] * (1200 if not number else 60), number)
        yield cluster


def fetch(partition: int, most: int) -> bytes:
    """A request for what lies at a partition's beginning."""
    name = TOPIC.encode()
    body = struct.pack(">hhih", Key.FETCH, 4, 1, -1) + struct.pack(">iiiib", -1, 500, 1, most, 0)
    body += struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iiqi", 1, partition, 0, most)
    return struct.pack(">i", len(body)) + body


def burn(until: float) -> None:
    """Compute, in a process of its own, until that time."""
    while time.monotonic() < until:
        sum(range(10_000))


@dataclass
class Consumer:
    """One connection with a fetch under way."""

    link: socket.socket
    request: bytes
    answers: int = 0
    missing: int = 0
    """Bytes of the answer that is coming."""
    head: bytes = b""

    def on_readable(self) -> None:
        """Take what has come; ask again after a whole answer."""
        if not self.missing:
            self.head += self.link.recv(4 - len(self.head))
            if len(self.head) == 4:
                (self.missing,) = struct.unpack(">i", self.head)
                self.head = b""
            return
        taken = len(self.link.recv(self.missing))
        assert taken, "the broker has closed the connection"
        self.missing -= taken
        if not self.missing:
            self.answers += 1
            self.link.sendall(self.request)


def consume(consumers: list[Consumer], done: Callable[[], bool]) -> None:
    """Have all of them go on until it is done, or the time is up."""
    deadline = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as selector:
        for consumer in consumers:
            selector.register(consumer.link, selectors.EVENT_READ, consumer)
            consumer.link.sendall(consumer.request)
        while not done() and time.monotonic() < deadline:
            for key, _ in selector.select(0.2):
                key.data.on_readable()


@pytest.mark.spec("S-08")
def test_each_of_many_consumers_has_its_turn(
    cluster: Local, record_property: Callable[[str, object], None]
) -> None:
    def connect() -> socket.socket:
        link = socket.create_connection(("127.0.0.1", cluster.nodes[1].port), timeout=30)
        return stack.enter_context(link)

    fork = multiprocessing.get_context("fork")
    busy = [fork.Process(target=burn, args=(time.monotonic() + 30,)) for _ in range(BUSY)]
    with ExitStack() as stack:
        for process in busy:
            stack.callback(process.join)
            stack.callback(process.terminate)
            process.start()
        for _ in range(GREEDY):
            connect().sendall(fetch(0, MIB) * PIPELINED)
        consumers = [
            Consumer(connect(), fetch(1 + n % (PARTITIONS - 1), MIB)) for n in range(CONSUMERS)
        ]
        began = time.monotonic()
        consume(consumers, lambda: min(each.answers for each in consumers) >= ANSWERS)
        took = time.monotonic() - began
    counts = sorted(each.answers for each in consumers)
    line = f"{CONSUMERS} consumers: {counts[0]} answers, {median(counts):.0f} and {counts[-1]}"
    record_property(MEASURED, f"{line} (fewest, median, most) in {took:.1f} s")
    if counts[0] < ANSWERS:
        raise TimeIsUp(f"not within {PATIENCE} s: {ANSWERS} answers for each; {line}")
    assert counts[-1] <= FAIR * counts[0]
