"""A producer of the search over transactions: a list of steps, each asked until it is answered.

Makes requests and reads answers; their node, and whether an answer comes, is the choice of the
search. Belongs to `transacting`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from spindle.model.batches import TRANSACTIONAL, Record
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.sim.exhaustive.side import WALL_MS
from spindle.sim.transaction_history import Fate
from spindle.wire.batch import build
from spindle.wire.codec import Request, Response
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from spindle.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.end_txn_response import EndTxnResponse
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.init_producer_id_response import InitProducerIdResponse
from spindle.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from spindle.wire.messages.offset_commit_response import OffsetCommitResponse
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from spindle.wire.messages.produce_response import ProduceResponse
from spindle.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from spindle.wire.messages.txn_offset_commit_response import TxnOffsetCommitResponse

TOPIC: Final = "t"
GROUP: Final = "g"
PLAINLY: Final = b"plainly"
"""The metadata of the offset that is committed in no transaction."""
BUMPING: Final = 2
LONG: Final = 600_000
VERSIONS: Final = {"init": 4, "add": 3, "offsets": 5, "plainly": 8}


@dataclass(slots=True, eq=False)
class HeldEpoch:
    """What a producer writes with: its id, its epoch, and the sequence that comes next."""

    producer_id: int = -1
    epoch: int = -1
    sequence: int = 0

    def take(self, answer: InitProducerIdResponse | EndTxnResponse) -> None:
        """A coordinator has given another id or epoch."""
        self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch
        self.sequence = 0


@dataclass(slots=True, eq=False)
class Asker:
    """A producer. `steps`: what it does, one after the other; `at`: how far it has come."""

    name: str
    transactional_id: str
    steps: tuple[str, ...]
    level: int
    at: int = 0
    held: HeldEpoch = field(default_factory=HeldEpoch)
    number: int = 1
    """Of its transaction."""
    asked: int = 0
    """Requests so far; an answer to an older one is not heard."""
    waits: bool = False
    not_before: float = 0.0
    is_stale: bool = False
    """A younger producer got its epoch before the commit was asked for: it stays open."""
    fates: dict[bytes, Fate] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.at >= len(self.steps)

    @property
    def step(self) -> str:
        """What comes next."""
        return self.steps[self.at]

    def may_ask(self, now: float) -> bool:
        """Whether its next request may go out."""
        return not self.is_done and not self.waits and self.not_before <= now

    @property
    def value(self) -> bytes:
        """The record of the transaction that is open."""
        return f"{self.name} {self.number}".encode()

    def request(self, id: PartitionId) -> Request[Response]:
        """The request of the next step; `id`: the partition that is written to."""
        if self.step == "write":
            self.fates.setdefault(self.value, Fate.OPEN)
        elif self.step == "commit" and not self.is_stale:
            self.fates[self.value] = Fate.ASKED
        elif self.step == "abort":
            self.fates[self.value] = Fate.ABORTED
        elif self.step == "plainly":
            self.fates[PLAINLY] = Fate.ASKED
        made: Request[Response] = getattr(self, f"_{self.step}")(id)
        return made

    @property
    def version(self) -> int:
        """In which version the next step is asked."""
        if self.step == "write":
            return 12 if self.level >= BUMPING else 11
        if self.step in ("commit", "abort"):
            return 5 if self.level >= BUMPING else 3
        return VERSIONS[self.step]

    def _init(self, _: PartitionId) -> InitProducerIdRequest:
        return InitProducerIdRequest(
            transactional_id=self.transactional_id,
            transaction_timeout_ms=LONG,
            producer_id=-1,
            producer_epoch=-1,
        )

    def _add(self, id: PartitionId) -> AddPartitionsToTxnRequest:
        topic = AddPartitionsToTxnTopic(name=TOPIC, partitions=(id.partition,))
        return AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.held.producer_id,
            v3_and_below_producer_epoch=self.held.epoch,
            v3_and_below_topics=(topic,),
        )

    def _write(self, id: PartitionId) -> ProduceRequest:
        batch = build(
            [Record(0, WALL_MS, b"k", self.value)],
            attributes=TRANSACTIONAL,
            producer_id=self.held.producer_id,
            producer_epoch=self.held.epoch,
            base_sequence=self.held.sequence,
        )
        partition = PartitionProduceData(index=id.partition, records=bytes(batch.data))
        return ProduceRequest(
            transactional_id=self.transactional_id,
            acks=-1,
            timeout_ms=LONG,
            topic_data=(TopicProduceData(name=TOPIC, partition_data=(partition,)),),
        )

    def _offsets(self, id: PartitionId) -> TxnOffsetCommitRequest:
        partition = TxnOffsetCommitRequestPartition(
            partition_index=id.partition,
            committed_offset=self.number,
            committed_metadata=self.value.decode(),
        )
        topic = TxnOffsetCommitRequestTopic(name=TOPIC, partitions=(partition,))
        return TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            group_id=GROUP,
            producer_id=self.held.producer_id,
            producer_epoch=self.held.epoch,
            topics=(topic,),
        )

    def _plainly(self, id: PartitionId) -> OffsetCommitRequest:
        partition = OffsetCommitRequestPartition(
            partition_index=id.partition,
            committed_offset=self.number,
            committed_metadata=PLAINLY.decode(),
        )
        topic = OffsetCommitRequestTopic(name=TOPIC, partitions=(partition,))
        return OffsetCommitRequest(
            group_id=GROUP, generation_id_or_member_epoch=-1, member_id="", topics=(topic,)
        )

    def _commit(self, _: PartitionId) -> EndTxnRequest:
        return EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.held.producer_id,
            producer_epoch=self.held.epoch,
            committed=self.step == "commit",
        )

    _abort = _commit

    def error_of(self, answer: Response) -> Error:
        """What an answer to the current step says."""
        if isinstance(answer, ProduceResponse):
            return Error(answer.responses[0].partition_responses[0].error_code)
        if isinstance(answer, AddPartitionsToTxnResponse):
            told = answer.results_by_topic_v3_and_below[0].results_by_partition[0]
            return Error(told.partition_error_code)
        if isinstance(answer, TxnOffsetCommitResponse | OffsetCommitResponse):
            return Error(answer.topics[0].partitions[0].error_code)
        assert isinstance(answer, InitProducerIdResponse | EndTxnResponse), self.step
        return Error(answer.error_code)

    def go_on(self, answer: Response) -> None:
        """The current step has succeeded."""
        if isinstance(answer, InitProducerIdResponse):
            self.held.take(answer)
        elif self.step == "write":
            self.held.sequence += 1
        elif self.step == "plainly":
            self.fates[PLAINLY] = Fate.COMMITTED
        elif isinstance(answer, EndTxnResponse):
            if self.step == "commit":
                self.fates[self.value] = Fate.COMMITTED
            self.number += 1
            if self.level >= BUMPING:
                self.held.take(answer)
        self.at += 1

    def give_up(self) -> None:
        """It was fenced, and will not learn whether its commit counts."""
        if self.fates.get(self.value) is Fate.OPEN:
            self.fates[self.value] = Fate.ABORTED
        self.at = len(self.steps)
