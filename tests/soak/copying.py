"""Copies the input exactly once: reads, writes, and commits offsets, all in transactions.

A program of its own, `python -m tests.soak.copying BOOTSTRAP NAME`, which says a word at each step.
`Copier` kills it where it stops saying anything: librdkafka 2.16 may wait for ever in
`send_offsets_to_transaction` once the group's coordinator has left the metadata. Another process
takes its name over then, and fences it. SIGTERM ends it between two transactions.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from tests.soak.topics import COPY, INPUT, origin
from tests.support.processes import tied

GROUP: Final = "copiers"
SILENCE_S: Final = 50.0
"""After so long without a word the process hangs: each call of the library has 30 s."""
CALL_S: Final = 30
ABORTED_SHARE: Final = 0.1
READ, COMMITTED, ABORTED, TROUBLE = "read", "committed", "aborted", "trouble"
_ROOT: Final = Path(__file__).parents[2]


class Copier(threading.Thread):
    """Keeps one copying process alive."""

    def __init__(self, bootstrap: str, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._command = [sys.executable, "-m", "tests.soak.copying", bootstrap, name]
        self._ending = threading.Event()
        self.words: Counter[str] = Counter()
        """How often it has said what; `hung`: how often it was killed for its silence."""

    def run(self) -> None:
        """Start it again and again until `end`."""
        while not self._ending.is_set():
            process = subprocess.Popen(
                tied(self._command), stdout=subprocess.PIPE, text=True, cwd=_ROOT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
            heard = [time.monotonic()]
            reader = threading.Thread(target=self._hear, args=(process, heard), daemon=True)
            reader.start()
            self._watch(process, heard)
            process.wait()
            reader.join()

    def end(self) -> None:
        """Have it finish its transaction and end."""
        self._ending.set()
        self.join()

    def _hear(self, process: subprocess.Popen[str], heard: list[float]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            heard[0] = time.monotonic()
            self.words[line.strip()] += 1

    def _watch(self, process: subprocess.Popen[str], heard: list[float]) -> None:
        while process.poll() is None:
            if self._ending.is_set():
                process.terminate()
            time.sleep(0.5)
            if time.monotonic() > heard[0] + SILENCE_S:
                self.words["hung"] += 1
                process.kill()
                return


class Copying:
    """What the process does."""

    def __init__(self, bootstrap: str, name: str) -> None:
        self._common = {"bootstrap.servers": bootstrap, "log_level": 0}
        self._name, self._rng = name, random.Random()
        self._consumer = Consumer(
            {
                **self._common,
                "group.id": GROUP,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "session.timeout.ms": 10_000,
            }
        )
        self._consumer.subscribe([INPUT])
        self._producer = self._fresh()
        self.ending = False

    def run(self) -> None:
        """Copy until `ending`."""
        while not self.ending:
            print(READ, flush=True)
            found = self._consumer.consume(self._rng.choice([1, 10, 100]), 1.0)
            records = [message for message in found if message.error() is None]
            if records:
                try:
                    self._copy(records)
                except KafkaException as failed:
                    self._begin_again(failed)
        self._consumer.close()

    def _copy(self, records: list[Message]) -> None:
        producer = self._producer
        producer.begin_transaction()
        ends: dict[int, int] = {}
        for one in records:
            key = origin(one.partition(), one.offset())
            producer.produce(COPY, one.value(), key, partition=one.partition())
            ends[one.partition()] = one.offset() + 1
        places = [TopicPartition(INPUT, number, end) for number, end in ends.items()]
        producer.send_offsets_to_transaction(
            places, self._consumer.consumer_group_metadata(), CALL_S
        )
        if self._rng.random() < ABORTED_SHARE:
            producer.abort_transaction(CALL_S)
            self._rewind()
            print(ABORTED, flush=True)
        else:
            producer.commit_transaction(CALL_S)
            print(COMMITTED, flush=True)

    def _begin_again(self, failed: KafkaException) -> None:
        """Another producer fences this one: its transaction ends, whatever had become of it."""
        print(TROUBLE, flush=True)
        if failed.args[0].txn_requires_abort():
            with suppress(KafkaException):
                self._producer.abort_transaction(CALL_S)
                self._rewind()
                return
        self._producer = self._fresh()
        self._rewind()

    def _fresh(self) -> Producer:
        while True:
            settings = {"transactional.id": self._name, "transaction.timeout.ms": 20_000}
            producer = Producer({**self._common, **settings})
            with suppress(KafkaException):
                producer.init_transactions(CALL_S)
                return producer
            print(TROUBLE, flush=True)

    def _rewind(self) -> None:
        """Read on where the group has committed. What is taken away meanwhile is another's."""
        while True:
            print(READ, flush=True)
            try:
                for place in self._consumer.committed(self._consumer.assignment(), CALL_S):
                    with suppress(KafkaException):
                        self._consumer.seek(
                            TopicPartition(INPUT, place.partition, max(0, place.offset))
                        )
                return
            except KafkaException:
                time.sleep(0.2)


def main(bootstrap: str, name: str) -> None:
    """Copy until SIGTERM."""
    copying = Copying(bootstrap, name)

    def end(_number: int, _frame: object) -> None:
        copying.ending = True

    signal.signal(signal.SIGTERM, end)
    copying.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
