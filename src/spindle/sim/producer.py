"""A client that writes: idempotent, acks=all, every batch repeated until it is acknowledged.

One batch of each partition is under way at a time. Values are unique, so that a record which is
there twice, or not at all, shows. Part of the workload; tells the history what it was promised.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from spindle.model.batches import Batch, Record
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.client import RETRY_SECONDS, Client
from spindle.sim.history import History
from spindle.sim.violation import Violation
from spindle.wire.apis import Key
from spindle.wire.batch import build
from spindle.wire.compression import Compression
from spindle.wire.entities import make, ms, request_types

IDS_FROM: Final = 13
ALL: Final = -1
AGAIN: Final = frozenset(
    {
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.UNKNOWN_TOPIC_ID,
        Error.LEADER_NOT_AVAILABLE,
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.REQUEST_TIMED_OUT,
        Error.KAFKA_STORAGE_ERROR,
        Error.NOT_ENOUGH_REPLICAS,
        Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    }
)
"""What a producer that was promised nothing may be told; any other error is a fault."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a producer works. `pause`: mean s between batches of a partition."""

    pause: float = 0.2
    records_max: int = 4
    bytes_max: int = 200
    version: int = IDS_FROM
    patience_ms: int = 3000


@dataclass(slots=True)
class Lane:
    """One partition's batches: the next sequence, and what is under way."""

    id: PartitionId
    sequence: int = 0
    number: int = 0
    values: list[bytes] = field(default_factory=list)
    batch: Batch | None = None
    asking: bool = False


class Producer(Client):
    """Writes to every partition of every topic that it sees."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        pace: Pace,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._pace = pace
        self._producer_id = -1
        self._epoch = -1
        self._lanes: dict[PartitionId, Lane] = {}

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return all(lane.batch is None for lane in self._lanes.values())

    @property
    def waits_for(self) -> str:
        """What is under way, for the report."""
        return ", ".join(str(lane.id) for lane in self._lanes.values() if lane.batch is not None)

    # --- getting to know the cluster --------------------------------------------------------

    def begin(self) -> None:
        """Get a producer id, then write."""
        t = request_types(Key.INIT_PRODUCER_ID, 4)
        request = make(
            t.InitProducerIdRequest,
            transactional_id=None,
            transaction_timeout=ms(60_000),
            producer_id=-1,
            producer_epoch=-1,
        )
        self.ask(None, request, self._on_identified)

    def _on_identified(self, answer: Any) -> None:
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            self.out.after(RETRY_SECONDS, self.begin)
            return
        self._producer_id, self._epoch = answer.producer_id, answer.producer_epoch
        self.refresh_often()

    def on_topics(self) -> None:
        """Begin with partitions that are new; give up what is deleted."""
        for id in list(self._lanes):
            if id.topic_id in self.history.deleted and id.topic_id not in self.topics:
                del self._lanes[id]
        for topic_id, topic in self.topics.items():
            for index in topic.leaders:
                id = PartitionId(topic_id, index)
                if id not in self._lanes and topic_id not in self.history.deleted:
                    lane = self._lanes[id] = Lane(id)
                    self.out.after(self.between(0, self._pace.pause), partial(self._next, lane))

    # --- writing ----------------------------------------------------------------------------

    def _is_current(self, lane: Lane) -> bool:
        return self._lanes.get(lane.id) is lane

    def _next(self, lane: Lane) -> None:
        """Make the next batch and send it."""
        if not self._is_current(lane) or self.draining:
            return
        count = 1 + self.out.rng.randrange(self._pace.records_max)
        for _ in range(count):
            lane.number += 1
            pad = "x" * self.out.rng.randrange(self._pace.bytes_max)
            value = f"{self.name}/{lane.id}/{lane.number}/{pad}".encode()
            self.history.on_sent(lane.id, value)
            lane.values.append(value)
        codec = Compression.GZIP if self.out.rng.random() < 0.2 else Compression.NONE
        lane.batch = build(
            # Each has a key of its own: compaction may rewrite them, and drop none.
            (
                Record(n, self.out.wall_ms, v.rpartition(b"/")[0], v)
                for n, v in enumerate(lane.values)
            ),
            compression=codec,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=lane.sequence,
        )
        self._send(lane)

    def _send(self, lane: Lane) -> None:
        if not self._is_current(lane) or lane.batch is None or lane.asking:
            return
        topic = self.topics.get(lane.id.topic_id)
        leader = topic.leaders.get(lane.id.partition, -1) if topic else -1
        name = self.history.names[lane.id.topic_id]
        if leader < 0:
            self._later(lane)
            return
        version = self._pace.version
        t = request_types(Key.PRODUCE, version)
        data = make(t.PartitionProduceData, index=lane.id.partition, records=lane.batch.data)
        named = {"topic_id": lane.id.topic_id} if version >= IDS_FROM else {"name": name}
        lane.asking = True
        request = make(
            t.ProduceRequest,
            transactional_id=None,
            acks=ALL,
            timeout=ms(self._pace.patience_ms),
            topic_data=(make(t.TopicProduceData, partition_data=(data,), **named),),
        )
        self.ask(leader, request, partial(self._on_answer, lane))

    def _later(self, lane: Lane) -> None:
        self.refresh()
        self.out.after(self.between(0.5, 2.0) * RETRY_SECONDS, partial(self._send, lane))

    def _on_answer(self, lane: Lane, answer: Any) -> None:
        lane.asking = False
        if not self._is_current(lane):
            return
        if isinstance(answer, PeerFailed):
            self._later(lane)
            return
        told = answer.responses[0].partition_responses[0]
        error = told.error_code
        if error == Error.NONE:
            self.history.on_acknowledged(lane.id, told.base_offset, lane.values)
            lane.sequence += len(lane.values)
            lane.values, lane.batch = [], None
            self.out.after(self.between(0.0, 2.0) * self._pace.pause, partial(self._next, lane))
        elif error in AGAIN:
            self.history.count("appends repeated")
            self._later(lane)
        else:
            raise Violation(
                f"{self.name}: {lane.id} from sequence {lane.sequence} on was refused with "
                f"{Error(error).name}: {told.error_message}"
            )
