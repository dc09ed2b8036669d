"""A broker that coordinates groups over partitions in memory, asked through its handlers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from spindle.model.batches import TRANSACTIONAL, Record
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.jobs import ReadResult
from spindle.model.outbox import Outbox
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.handlers import BROKER
from spindle.node.slices import Slices
from spindle.node.topic_creation import OFFSETS_TOPIC, TopicCreation
from spindle.wire.batch import build
from tests.support.broker_context import context
from tests.support.cluster_image import add_topic, three_brokers
from tests.support.consumer_world import share_states
from tests.support.desk import Desk

PARTITIONS = 4


class MemoryReplicas:
    """Partitions as lists of batches. Appends are answered at once, or held, or refused."""

    def __init__(self, out: Outbox) -> None:
        self.out = out
        self.listeners: list[Callable[[PartitionId, bool], None]] = []
        self.logs: dict[PartitionId, list[bytes]] = {}
        self.ends: dict[PartitionId, int] = {}
        self.held: list[Callable[[], None]] | None = None
        self.held_reads: list[Callable[[], None]] | None = None
        self.error: Error | None = None
        self.read_error: Error | None = None
        self.reads = 0

    def append(
        self,
        id: PartitionId,
        records: Iterable[Any],
        then: Callable[[int | Error], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        if self.error is not None:
            then(self.error)
            return
        fields: dict[str, Any] = {}
        if producer is not None:
            fields = {"producer_id": producer[0], "producer_epoch": producer[1]}
            fields["attributes"] = TRANSACTIONAL
        base = self.write(id, [(x.key, x.value) for x in records], **fields)
        if self.held is None:
            then(base)
        else:
            self.held.append(lambda: then(base))

    def write(self, id: PartitionId, pairs: list[tuple[bytes, bytes | None]], **fields: Any) -> int:
        """Put a batch at the end."""
        base = self.ends.get(id, 0)
        records = [Record(base + n, 0, key, value) for n, (key, value) in enumerate(pairs)]
        batch = build(records, base_offset=base, leader_epoch=0, **fields)
        self.logs.setdefault(id, []).append(bytes(batch.data))
        self.ends[id] = batch.next_offset
        return base

    def read(
        self,
        id: PartitionId,
        offset: int,
        max_bytes: int,
        then: Callable[[ReadResult | Error], None],
    ) -> None:
        self.reads += 1
        if self.held_reads is not None:
            self.held_reads.append(lambda: self._read(id, offset, max_bytes, then))
        else:
            self._read(id, offset, max_bytes, then)

    def _read(
        self, id: PartitionId, offset: int, max_bytes: int, then: Callable[..., None]
    ) -> None:
        if self.read_error is not None:
            then(self.read_error)
            return
        found = b""
        for data in self.logs.get(id, ()):
            first = int.from_bytes(data[:8], "big")
            delta = int.from_bytes(data[23:27], "big")
            if first + delta < offset:
                continue
            if found and len(found) + len(data) > max_bytes:
                break
            found += data
        then(ReadResult(data=found, start=0, end=self.ends.get(id, 0)))


class GroupBroker:
    """Broker 1 of three, which leads all partitions of `__consumer_offsets`."""

    def __init__(self, *, with_topic: bool = True, **settings: str) -> None:
        self.out = Outbox(random.Random(3))
        self.out.wall_ms = 1_000_000
        self.node_id = 1
        self.image = three_brokers()
        given = {"group.initial.rebalance.delay.ms": "0"} | settings
        ground = context(given, image=self.image, out=self.out, ask=self._ask_controller)
        self.settings = ground.settings
        self.replicas = MemoryReplicas(self.out)
        self.wanted: list[str] = []
        """Topics that the controller was asked for."""
        self.groups = GroupCoordinatorService(
            ground, self.replicas, TopicCreation(ground), share_states()
        )
        add_topic(self.image, "t", (1, 2), (2, 1))
        add_topic(self.image, "u", (1, 2))
        if with_topic:
            add_topic(self.image, OFFSETS_TOPIC, *[(1, 2)] * PARTITIONS)
            self.lead()
        self.slices = Slices(self.out, "/d1")
        self.desk = Desk(BROKER, self, self.out)

    def _ask_controller(
        self, channel: str, entity: Any, version: int, then: Any, timeout: float
    ) -> None:
        self.wanted += [topic.name for topic in entity.topics]

    def partitions(self) -> list[PartitionId]:
        topic = self.image.topic(OFFSETS_TOPIC)
        assert topic is not None
        return [PartitionId(topic.topic_id, n) for n in topic.partitions]

    def lead(self, leads: bool = True) -> None:
        """Begin (or cease) to lead every partition of the offsets topic."""
        for id in self.partitions():
            for listener in self.replicas.listeners:
                listener(id, leads)

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self._set_time(max(at, self.out.now))
            self.out.tick()
        self._set_time(end)

    def _set_time(self, now: float) -> None:
        self.out.now, self.out.wall_ms = now, 1_000_000 + int(now * 1000)

    def ask(self, key: int, version: int, /, **fields: Any) -> Any:
        return self.desk.ask(key, version, **fields)
