"""Clients' batches of compacted topics: looked into off the loop, in their order (S-08)."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest

from spindle.model.batches import Record, RecordBatch
from spindle.model.computing import CheckRecords
from spindle.model.errors import DiskFailed, Error, Refusal
from spindle.model.ids import PartitionId, TopicPartition
from spindle.model.outbox import JobAsked, Outbox
from spindle.model.settings.setting import MAX_LONG
from spindle.node.produce.record_check import look
from spindle.node.replicas.checking import Checking
from spindle.node.replicas.hosted import HostedPartition
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import beside
from spindle.wire.batch import Compression, build

ID = PartitionId(cast("Any", "topic"), 0)


def hosted(compact: bool = True, id: PartitionId = ID) -> HostedPartition:
    """A partition of a topic that is compacted, or not."""
    topic = SimpleNamespace(
        compact=compact, append_time=False, oldest_ms=MAX_LONG, newest_ms=MAX_LONG
    )
    return cast("HostedPartition", SimpleNamespace(id=id, topic=topic, directory="/d1"))


def batch(key: bytes | None = b"k", count: int = 1, packed: bool = True) -> RecordBatch:
    """Records of which all have this key."""
    compression = Compression.ZSTD if packed else Compression.NONE
    return build([Record(n, 0, key, None) for n in range(count)], compression=compression)


@cache
def record_bomb() -> RecordBatch:
    """Few bytes with 300,000 records."""
    return batch(count=300_000)


class Desk:
    """Checking with its jobs carried out when a test says so."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.checking = Checking(self.out)
        self.told: list[tuple[str, str | None]] = []
        self.lanes: set[tuple[str, str]] = set()

    def check(self, name: str, what: RecordBatch, where: HostedPartition | None = None) -> None:
        where = where or hosted()
        rules = cast("Any", where.topic)
        self.checking.check(
            where,
            look(what, rules, TopicPartition("t", 0), 0),
            lambda refusal: self.told.append((name, refusal.error.name if refusal else None)),
        )

    @property
    def jobs(self) -> list[JobAsked]:
        ready = self.out.take()
        return ready.jobs if ready is not None else []

    def work(self, steps: int = 1_000_000) -> int:
        """Carry out so many steps, and let the time pass that they want in between; how many."""
        for done in range(steps):
            jobs = self.jobs
            if not jobs:
                if self.out.wake_at is None:
                    return done
                self.out.now = self.out.wake_at
                self.out.tick()
                jobs = self.jobs
            (asked,) = jobs
            self.lanes.add(cast("CheckRecords", asked.job).lane)
            self.out.done(asked.ticket, beside.run(MemoryDisk(), asked.job))
        return steps


@pytest.mark.spec("S-08")
def test_what_must_be_unpacked_waits_for_a_thread() -> None:
    desk = Desk()
    desk.check("packed", batch())
    desk.check("large", batch(count=1000, packed=False))
    assert (desk.told, desk.checking.waiting) == ([], 2)
    desk.work()
    assert desk.lanes == {("/d1 check", "/d1")}
    assert (desk.told, desk.checking.waiting) == ([("packed", None), ("large", None)], 0)


def test_what_is_quickly_seen_is_seen_at_once() -> None:
    desk = Desk()
    desk.check("small", batch(packed=False))
    desk.check("without a key", batch(None, packed=False))
    desk.check("no compaction", batch(None, count=1000), hosted(compact=False))
    assert not desk.jobs
    assert desk.told == [
        ("small", None),
        ("without a key", "INVALID_RECORD"),
        ("no compaction", None),
    ]


@pytest.mark.spec("S-08")
def test_batches_of_a_partition_keep_their_order() -> None:
    desk = Desk()
    desk.check("first", batch())
    desk.check("second", batch(packed=False))
    desk.check("third", batch(None), hosted(compact=False))
    other = PartitionId(cast("Any", "topic"), 1)
    desk.check("another partition's", batch(packed=False), hosted(id=other))
    assert desk.told == [("another partition's", None)]
    desk.work()
    assert desk.told[1:] == [("first", None), ("second", None), ("third", None)]
    desk.check("fourth", batch(packed=False))
    assert desk.told[-1] == ("fourth", None)


def test_what_is_wrong_is_reported() -> None:
    desk = Desk()
    desk.check("without a key", batch(None))
    packed = batch()
    desk.check("broken", replace(packed, data=packed.data[:-3]))
    desk.work()
    assert desk.told == [("without a key", "INVALID_RECORD"), ("broken", "INVALID_RECORD")]
    desk.check("dead disk", batch())
    (asked,) = desk.jobs
    desk.out.done(asked.ticket, DiskFailed("/d1", "CheckRecords", 5))
    assert desk.told[-1] == ("dead disk", Error.KAFKA_STORAGE_ERROR.name)
    assert isinstance(
        beside.run(
            MemoryDisk(),
            CheckRecords(
                "/d1",
                cast(
                    "Any", look(batch(None), cast("Any", hosted().topic), TopicPartition("t", 0), 0)
                ),
                9,
            ),
        ),
        Refusal,
    )


@pytest.mark.spec("S-08")
def test_a_bomb_costs_the_loop_next_to_nothing() -> None:
    bomb = record_bomb()
    assert len(bomb.data) < 1_000_000
    took = []
    for _ in range(3):  # In one of them Python may look for garbage, of a whole process of tests.
        desk = Desk()
        begun = time.thread_time()
        desk.check("bomb", bomb)
        took.append(time.thread_time() - begun)
    assert min(took) < 0.02
    assert desk.checking.waiting == 1
    desk.work(1)
    assert desk.checking.waiting == 1, "it goes in steps"


@pytest.mark.spec("S-08")
def test_beside_a_bomb_another_partition_has_its_turn() -> None:
    desk = Desk()
    desk.check("bomb", record_bomb())
    desk.work(5)
    desk.check("small", batch(), hosted(id=PartitionId(cast("Any", "topic"), 1)))
    assert desk.work(3) == 3
    assert desk.told == [("small", None)]
    desk.work()
    assert desk.told[-1] == ("bomb", None)


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(("busy", "seconds"), [(0.0, 0.0), (0.7, 0.0), (0.85, 2.0), (1.0, 5.0)])
def test_the_busier_the_loop_the_longer_it_rests(busy: float, seconds: float) -> None:
    """50,000 records a second beside a loop with no time to spare, after the first second's."""
    desk = Desk()
    desk.out.busy = busy
    desk.check("bomb", record_bomb())
    desk.work()
    assert desk.told == [("bomb", None)]
    assert desk.out.now == pytest.approx(seconds, abs=0.1)
