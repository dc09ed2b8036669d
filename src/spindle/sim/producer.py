"""A client that writes: idempotent, acks=all, every batch repeated until it is acknowledged.

Up to five batches of each partition are under way at a time. Where one is refused because those
before it are missing, it waits for them as the Java client does, or takes a new epoch and sends all
again, as librdkafka does. Values are unique, so that a record which is there twice, or not at all,
shows. Part of the workload; tells the history what it was promised.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.client import RETRY_SECONDS, Client
from spindle.sim.told_history import History
from spindle.sim.violation import Violation
from spindle.wire.batch import build
from spindle.wire.compression import Compression
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.init_producer_id_response import InitProducerIdResponse
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from spindle.wire.messages.produce_response import ProduceResponse

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
"""Errors that a producer without a promise may get; any other error is a fault."""
CLOSE_SECONDS: Final = 0.01
"""How close batches follow each other that are under way together."""
UNSURE: Final = frozenset({Error.REQUEST_TIMED_OUT, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND})
"""After these a batch may be in the log, and stay there."""


@dataclass(frozen=True, slots=True)
class ProducerPace:
    """How a producer works. `pause`: s for each batch of a partition, in the mean.

    `flight`: batches of a partition that may be under way at once, 5 at most. `bumps`: a gap in the
    sequence numbers leads to a new epoch (librdkafka); else to another try (Java).
    """

    pause: float = 0.2
    records_max: int = 4
    bytes_max: int = 200
    version: int = IDS_FROM
    patience_ms: int = 3000
    flight: int = 1
    bumps: bool = False
    codecs: tuple[Compression, ...] = (Compression.GZIP, *4 * (Compression.NONE,))
    """Each batch is compressed with one of these."""


@dataclass(slots=True, eq=False)
class Parcel:
    """A batch until it is acknowledged. `batch`: None until it has its sequence numbers.

    `unsure`: some try ended without a word on whether it was appended. `was_first`: at its last try
    all batches before it had been acknowledged.
    """

    number: int
    values: list[bytes]
    codec: Compression
    made_ms: int
    batch: RecordBatch | None = None
    asking: bool = False
    leader: NodeId = -1
    """It was sent there last."""
    tried: bool = False
    unsure: bool = False
    was_first: bool = False


@dataclass(slots=True)
class PartitionSequence:
    """One partition's batches: the next sequence, and what is not acknowledged, in order."""

    id: PartitionId
    sequence: int = 0
    number: int = 0
    """Of its last record."""
    made: int = 0
    """Batches so far."""
    parcels: list[Parcel] = field(default_factory=list)
    resting: bool = False
    """Something was refused: it is tried again in a while."""
    draining: bool = False
    """And only once no other answer is missing (librdkafka)."""
    known: bool = False
    """Something was acknowledged. Before, a leader takes any batch as the producer's first, unless
    it refused one before it: nothing is sent to a leader while another one has to answer."""
    planned: bool = False
    """The next batch will be made in a while."""


class SimProducer(Client):
    """Writes to every partition of every topic that it sees."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        pace: ProducerPace,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._pace = pace
        self._producer_id = -1
        self._epoch = -1
        self._lanes: dict[PartitionId, PartitionSequence] = {}
        self._bumping = False
        """Nothing is sent until all answers are there; then a new epoch begins."""

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return not any(lane.parcels for lane in self._lanes.values())

    @property
    def waits_for(self) -> str:
        """What is under way, for the report."""
        return ", ".join(str(lane.id) for lane in self._lanes.values() if lane.parcels)

    # --- getting to know the cluster --------------------------------------------------------

    def begin(self) -> None:
        """Get a producer id, then write."""
        request = InitProducerIdRequest(
            transactional_id=None,
            transaction_timeout_ms=60_000,
            producer_id=-1,
            producer_epoch=-1,
        )
        self.ask(None, request, self._on_identified)

    def _on_identified(self, answer: InitProducerIdResponse | PeerFailed) -> None:
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
        self._bump_if_drained()
        for topic_id, topic in self.topics.items():
            for index in topic.leaders:
                id = PartitionId(topic_id, index)
                if id not in self._lanes and topic_id not in self.history.deleted:
                    lane = self._lanes[id] = PartitionSequence(id, planned=True)
                    self.out.after(self.between(0, self._pace.pause), partial(self._next, lane))

    # --- writing ----------------------------------------------------------------------------

    def _is_current(self, lane: PartitionSequence) -> bool:
        return self._lanes.get(lane.id) is lane

    def _next(self, lane: PartitionSequence) -> None:
        lane.planned = False
        if not self._is_current(lane) or self.draining:
            return
        values: list[bytes] = []
        for _ in range(1 + self.out.rng.randrange(self._pace.records_max)):
            lane.number += 1
            pad = "x" * self.out.rng.randrange(self._pace.bytes_max)
            values.append(f"{self.name}/{lane.id}/{lane.number}/{pad}".encode())
            self.history.on_sent(lane.id, values[-1], self.name)
        codecs = self._pace.codecs
        codec = codecs[int(self.out.rng.random() * len(codecs))]
        lane.made += 1
        lane.parcels.append(Parcel(lane.made, values, codec, self.out.wall_ms))
        self._send(lane)
        self._plan(lane)

    def _plan(self, lane: PartitionSequence) -> None:
        """Have the next batch made in a while, where one more may be under way."""
        # Brokers recognise the last five: what is behind the first one counts, acknowledged or not.
        first = lane.parcels[0].number if lane.parcels else lane.made + 1
        flight = self._pace.flight
        if lane.planned or lane.made + 1 - first >= flight:
            return
        lane.planned = True
        pause = self.between(0.0, 2.0) * self._pace.pause * flight
        if flight > 1 and self.out.rng.random() > 1 / flight:
            pause = self.between(0.0, CLOSE_SECONDS)
        self.out.after(pause, partial(self._next, lane))

    def _build(self, lane: PartitionSequence, parcel: Parcel) -> RecordBatch:
        batch = build(
            # Each has a key of its own: compaction may rewrite them, and drop none.
            (
                Record(n, parcel.made_ms, v.rpartition(b"/")[0], v)
                for n, v in enumerate(parcel.values)
            ),
            compression=parcel.codec,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=lane.sequence,
        )
        lane.sequence += len(parcel.values)
        return batch

    def _send(self, lane: PartitionSequence) -> None:
        if not self._is_current(lane) or lane.resting or self._bumping:
            return
        if lane.draining and any(parcel.asking for parcel in lane.parcels):
            return
        lane.draining = False
        for parcel in list(lane.parcels):
            if parcel.asking:
                continue
            is_first = parcel is lane.parcels[0]
            if parcel.tried and not is_first and not self._pace.bumps:
                return  # Tries after the first one go one by one (Java).
            topic = self.topics.get(lane.id.topic_id)
            leader = topic.leaders.get(lane.id.partition, -1) if topic else -1
            if leader < 0:
                self._later(lane)
                return
            waits = self._pace.bumps or not lane.known
            if waits and any(p.asking and p.leader != leader for p in lane.parcels):
                return
            if parcel.batch is None:
                parcel.batch = self._build(lane, parcel)
            parcel.asking, parcel.tried, parcel.was_first = True, True, is_first
            parcel.leader = leader
            request = self._request(lane, parcel.batch)
            then = partial(self._on_answer, lane, parcel)
            self.ask(leader, request, then, version=self._pace.version)

    def _request(self, lane: PartitionSequence, batch: RecordBatch) -> ProduceRequest:
        data = PartitionProduceData(index=lane.id.partition, records=batch.data)
        name = self.history.names[lane.id.topic_id]
        topic = TopicProduceData(topic_id=lane.id.topic_id, name=name, partition_data=(data,))
        return ProduceRequest(
            transactional_id=None,
            acks=ALL,
            timeout_ms=self._pace.patience_ms,
            topic_data=(topic,),
        )

    def _later(self, lane: PartitionSequence) -> None:
        lane.draining = self._pace.bumps
        if lane.resting:
            return
        lane.resting = True

        def again() -> None:
            lane.resting = False
            self._send(lane)

        self.refresh()
        self.out.after(self.between(0.5, 2.0) * RETRY_SECONDS, again)

    # --- answers ----------------------------------------------------------------------------

    def _on_answer(
        self, lane: PartitionSequence, parcel: Parcel, answer: ProduceResponse | PeerFailed
    ) -> None:
        parcel.asking = False
        if self._is_current(lane):
            self._judge(lane, parcel, answer)
        self._bump_if_drained()

    def _judge(
        self, lane: PartitionSequence, parcel: Parcel, answer: ProduceResponse | PeerFailed
    ) -> None:
        if isinstance(answer, PeerFailed):
            parcel.unsure = True
            self._later(lane)
            return
        told = answer.responses[0].partition_responses[0]
        error = told.error_code
        if error == Error.NONE:
            self.history.on_acknowledged(lane.id, told.base_offset, parcel.values)
            lane.parcels.remove(parcel)
            lane.known = True
            self._plan(lane)
            if lane.parcels:
                self._send(lane)
        elif error in AGAIN:
            parcel.unsure |= error in UNSURE
            self.history.count("appends repeated")
            self._later(lane)
        elif error == Error.OUT_OF_ORDER_SEQUENCE_NUMBER and not parcel.was_first:
            self.history.count("gaps answered")
            self._bumping |= self._pace.bumps
            self._later(lane)
        else:
            raise Violation(
                f"{self.name}: batch {parcel.number} for {lane.id} was refused with "
                f"{Error(error).name}: {told.error_message}"
            )

    def _bump_if_drained(self) -> None:
        """Begin a new epoch once nothing of the old one is under way, and send all again."""
        lanes = self._lanes.values()
        if not self._bumping or any(parcel.asking for lane in lanes for parcel in lane.parcels):
            return
        self._bumping = False
        self._epoch += 1
        self.history.count("epochs after gaps")
        for lane in lanes:
            lane.sequence = 0
            for parcel in lane.parcels:
                if parcel.tried:
                    self.history.on_sent_again(parcel.values, parcel.unsure)
                parcel.batch = None
            self._send(lane)
