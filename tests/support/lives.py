"""Live clients of the kinds of logs that are not plain, each of which knows what must be true.

A group that commits (`__consumer_offsets`), a table of few keys (a compacted topic), transactions
that are committed and aborted (a transactional topic and `__transaction_state`). Each is a thread
that works all the time, whatever happens to the cluster; `rest` lets it pause between two pieces
of work, so that what it was promised can be compared with what is there.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from tests.support.clients import consumer, flushed, read_all
from tests.support.deadlines import Deadline
from tests.support.waiting import TimeIsUp, eventually

T = TypeVar("T")
PAUSE = 0.05
"""Seconds between two pieces of work: they must not outrun a slow move."""
PATIENCE = 60.0
"""Seconds after which a client that is refused again and again gives up."""
BALLAST = "b" * 3000
"""Makes logs large enough for a slow move to be met in the middle."""
KEYS = 100
LIVE_KEYS = 5
"""Of them, those that are written all the time."""
MEMBERS = 40
"""Transactional ids that no producer uses any more."""


_HASTY = {"fetch.wait.max.ms": 50, "reconnect.backoff.max.ms": 500}
"""Else librdkafka's questions for the coordinator wait behind a fetch for half a second each: it
takes up old answers, closes its new connections for them, and goes on so for up to a minute."""


class Life(threading.Thread):
    """Does one piece of work after the other until the end; `done` counts them."""

    def __init__(self, name: str, bootstrap: str) -> None:
        super().__init__(name=name, daemon=True)
        self.bootstrap = bootstrap
        self.done = 0
        self.failure: BaseException | None = None
        self._ending = False
        self._work = threading.Lock()
        self._free = threading.Event()
        self._free.set()

    @abstractmethod
    def piece(self) -> None:
        """One piece of work; all that the brokers said of it is remembered."""

    @abstractmethod
    def check(self) -> None:
        """What is there is what was promised. Only while it rests."""

    def close(self) -> None:
        """Let go of its clients."""

    def run(self) -> None:
        """Work until `end`."""
        try:
            while not self._ending:
                self._free.wait()
                with self._work:
                    self.piece()
                    self.done += 1
                time.sleep(PAUSE)
        except BaseException as failure:
            self.failure = failure

    @contextmanager
    def rest(self) -> Iterator[None]:
        """Within, it does nothing and has nothing under way."""
        self._free.clear()
        try:
            with self._work:
                self.alive()
                yield
        finally:
            self._free.set()

    def alive(self) -> None:
        """Tell of what has ended it, if anything has."""
        if self.failure is not None:
            raise AssertionError(f"{self.name} has failed") from self.failure

    def go_on(self, pieces: int = 3) -> None:
        """Wait until it has done some more."""
        wanted = self.done + pieces

        def went() -> bool:
            self.alive()
            return self.done >= wanted

        eventually(went, f"{self.name} goes on", PATIENCE + 30)

    def end(self) -> None:
        """Stop it."""
        self._ending = True
        self._free.set()
        self.join(PATIENCE + 30)
        if self.is_alive():
            raise TimeIsUp(f"{self.name} does not end")
        self.close()
        self.alive()


class Group(Life):
    """A member of a group that commits ever higher offsets, and another that watches them."""

    def __init__(self, bootstrap: str, topic: str, ballast: str) -> None:
        super().__init__("a group", bootstrap)
        self._place = TopicPartition(topic, 0)
        self._member = consumer(bootstrap, "live", **_HASTY)
        self._member.subscribe([topic])
        self._watcher = consumer(bootstrap, "live")
        self._weigh(ballast)
        self.acknowledged = self._tried = self._seen = 0

    def _weigh(self, topic: str) -> None:
        """Another group commits once for each partition, with much to say."""
        heavy = consumer(self.bootstrap, "heavy")
        partitions = heavy.list_topics(topic, 30).topics[topic].partitions
        offsets = [TopicPartition(topic, n, 1, BALLAST) for n in partitions]
        for at in range(0, len(offsets), 5):
            _repeated(partial(heavy.commit, offsets=offsets[at : at + 5], asynchronous=False))
        heavy.close()

    def piece(self) -> None:
        """Commit one more, and look."""
        self._tried += 1
        offsets = [TopicPartition(self._place.topic, 0, self._tried)]
        _repeated(
            lambda: self._member.commit(offsets=offsets, asynchronous=False),
            lambda: self._member.poll(0.1),
        )
        self.acknowledged = self._tried
        if self._tried % 5 == 0:
            self._look()
        self._member.poll(0)

    def _look(self) -> None:
        found = _repeated(lambda: self._watcher.committed([self._place], 5))[0]
        assert found.error is None, found.error
        assert found.offset >= max(self.acknowledged, self._seen), "a committed offset went back"
        assert found.offset <= self._tried, "an offset that no client committed"
        self._seen = found.offset

    def check(self) -> None:
        """The last offset counts, also for a client that asks for the first time."""
        self._look()
        stranger = consumer(self.bootstrap, "live")
        found = _repeated(lambda: stranger.committed([self._place], 5))[0]
        stranger.close()
        assert found.offset == self.acknowledged

    def close(self) -> None:
        """Leave the group."""
        self._member.close()
        self._watcher.close()


class Table(Life):
    """Keys of which a few are written again and again; some of these end as tombstones."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__("a table", bootstrap)
        self._topic = topic
        self._producer = _producer(bootstrap, **{"enable.idempotence": True})
        self.wanted: dict[bytes, bytes | None] = {}
        self._number = 0
        self._write(range(KEYS), BALLAST.encode())

    def piece(self) -> None:
        """Write some keys again."""
        self._write(range(LIVE_KEYS))

    def _write(self, keys: range, weight: bytes = b"") -> None:
        failed: list[object] = []
        for n in keys:
            self._number += 1
            key = b"key-%d" % n
            value = None if self._number % 7 == 0 else b"%d " % self._number + weight
            self._producer.produce(
                self._topic,
                value,
                key,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )
            self.wanted[key] = value
        flushed(self._producer, PATIENCE)
        assert not failed, failed

    def check(self) -> None:
        """The last value of each key is the one that was written last."""
        found: dict[bytes | None, bytes | None] = {}
        for message in read_all(self.bootstrap, self._topic)[0]:
            found[message.key()] = message.value()
        live = {key: value for key, value in self.wanted.items() if value is not None}
        assert {key: value for key, value in found.items() if value is not None} == live


class Transactions(Life):
    """Transactions of three records; every third is aborted. `hold` keeps another one open."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__("transactions", bootstrap)
        self._topic = topic
        self.committed: list[str] = []
        self._number = 0
        self._producer = self._transactional("live")
        self._weigh()

    def _transactional(self, name: str) -> Producer:
        made = _producer(self.bootstrap, **{"transactional.id": name})
        _repeated(lambda: made.init_transactions(10))
        return made

    def _weigh(self) -> None:
        """Long records, and long transactional ids: the coordinator remembers each."""
        values = [f"{n} " + BALLAST for n in range(100)]
        assert self._run(self._producer, values, commits=True)
        self.committed += values
        for n in range(MEMBERS):
            self._transactional(f"{n} " + BALLAST * 2)

    def piece(self) -> None:
        """One transaction, to its end; the client says how it has ended."""
        self._number += 1
        values = [f"{self._number}-{n} " + "t" * 100 for n in range(3)]
        if self._run(self._producer, values, commits=self._number % 3 != 0):
            self.committed += values

    def _run(self, producer: Producer, values: list[str], commits: bool) -> bool:
        """Whether it was committed."""
        producer.begin_transaction()
        try:
            for value in values:
                producer.produce(self._topic, value.encode(), partition=0)
            if commits:
                _repeated(lambda: producer.commit_transaction(10))
                return True
        except KafkaException as refused:
            if not refused.args[0].txn_requires_abort():
                raise
        _repeated(lambda: producer.abort_transaction(10))
        return False

    @contextmanager
    def hold(self, commits: bool) -> Iterator[None]:
        """Keep a transaction open within; nothing behind its record is stable until it ends."""
        held = self._transactional("held")
        value = f"held while {self._number} " + ("committed" if commits else "aborted")
        held.begin_transaction()
        held.produce(self._topic, value.encode(), partition=0)
        flushed(held, PATIENCE)
        with self.rest():
            assert value not in self.seen(), "a reader of committed records sees what is undecided"
        yield
        if commits:
            _repeated(lambda: held.commit_transaction(10))
            with self.rest():
                self.committed.append(value)
        else:
            _repeated(lambda: held.abort_transaction(10))

    def seen(self) -> list[str]:
        """All that a reader of committed records is given up to the last stable offset."""
        return committed_values(self.bootstrap, self._topic)

    def check(self) -> None:
        """A reader of committed records sees these alone, each once, each producer's in order."""

        def complete() -> bool:
            return len(self.seen()) >= len(self.committed)  # Markers come after the answer.

        eventually(complete, "all that was committed is stable", PATIENCE)
        found = self.seen()
        assert sorted(found) == sorted(self.committed)
        ours = [value for value in self.committed if not value.startswith("held")]
        assert [value for value in found if not value.startswith("held")] == ours


def committed_values(bootstrap: str, topic: str) -> list[str]:
    """What a reader of committed records is given of partition 0, to the end that it sees."""
    settings: dict[str, Any] = {"isolation.level": "read_committed", "enable.partition.eof": True}
    reader: Consumer = consumer(bootstrap, **settings)
    reader.assign([TopicPartition(topic, 0, 0)])
    found: list[str] = []
    deadline = Deadline(PATIENCE)
    try:
        while not deadline.is_over:
            for message in reader.consume(500, 0.1):
                if message.error() is None:
                    value = message.value()
                    assert value is not None
                    found.append(value.decode())
                elif not message.error().retriable():
                    return found
    finally:
        reader.close()
    raise TimeIsUp(f"no end of {topic}; {len(found)} records so far")


def _producer(bootstrap: str, **settings: Any) -> Producer:
    quiet = {"log_level": 0, "linger.ms": 0, "batch.size": 16_000}
    return Producer({"bootstrap.servers": bootstrap, "acks": "all"} | quiet | settings)


def _repeated(ask: Callable[[], T], meanwhile: Callable[[], object] = lambda: None) -> T:
    """Ask until it is not refused, as clients do while brokers change their places."""
    deadline = Deadline(PATIENCE)
    while True:
        try:
            return ask()
        except KafkaException as refused:
            error = refused.args[0]
            if error.fatal() or error.txn_requires_abort():
                raise
            deadline.hold(f"not refused; last: {refused}")
            meanwhile()
            time.sleep(0.05)
