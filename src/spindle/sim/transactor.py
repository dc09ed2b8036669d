"""A client that writes in transactions, as far as all such clients do the same (KIP-98, KIP-890).

Gets its id and epoch, adds partitions where the cluster's transaction.version wants that said,
writes batch by batch, commits a group's offsets, ends. Being fenced is an outcome; being fenced
without a cause is a violation. Subclasses decide what is written. Part of the workload.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from spindle.model.batches import TRANSACTIONAL, Buffer, Record, RecordBatch
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.flight import Flight
from spindle.sim.group_history import Commit, Membership
from spindle.sim.producer import AGAIN, ALL, CLOSE_SECONDS
from spindle.sim.script import GROUP, TRANSACTION, Go, Scripted, Step, Steps
from spindle.sim.told_history import History
from spindle.sim.transaction_history import Attempt, Fate
from spindle.sim.violation import Violation
from spindle.wire.batch import build
from spindle.wire.codec import ErrorCode
from spindle.wire.compression import Compression
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from spindle.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
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

BUMPING: Final = 2
"""The transaction.version from which on partitions need not be added, and epochs grow by ends."""
PATIENCE_MS: Final = 2000
APART: Final = 0.5
"""The share of batches that leave a little after the one before, and not with it."""
FENCED: Final = frozenset(
    {
        Error.PRODUCER_FENCED,
        Error.INVALID_PRODUCER_EPOCH,
        Error.INVALID_PRODUCER_ID_MAPPING,
        Error.INVALID_TXN_STATE,
        Error.TRANSACTION_ABORTABLE,
    }
)
"""Errors for a producer whose transaction was ended by another, or by time."""
OUT: Final = frozenset(
    {
        Error.ILLEGAL_GENERATION,
        Error.UNKNOWN_MEMBER_ID,
        Error.FENCED_INSTANCE_ID,
        Error.REBALANCE_IN_PROGRESS,
    }
)
"""Errors for a member of a group that has to join again."""


@dataclass(frozen=True, slots=True)
class TransactorManner:
    """How a client writes in transactions. `excused`: others, or clocks, may fence it at any time.

    `timeout`: of its transactions, s; `version`: of Produce; `flight`: batches of a partition that
    may be under way at once, 5 at most; `codecs`: each batch is compressed with one of them.
    """

    level: int = BUMPING
    version: int = 13
    timeout: float = 6.0
    excused: bool = False
    flight: int = 1
    codecs: tuple[Compression, ...] = (Compression.NONE,)


PLAIN: Final = TransactorManner()


class _Parcel(NamedTuple):
    """A batch, and which one it is of several for its partition."""

    number: int
    values: list[bytes]
    batch: RecordBatch


class Transactor(Scripted):
    """A producer with a transactional id."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        transactional_id: str,
        manner: TransactorManner,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._id = transactional_id
        self._manner = manner
        self._producer_id = -1
        self._epoch = -1
        self._sequences: dict[PartitionId, int] = {}
        self._begun: dict[PartitionId, None] = {}
        """Where something was acknowledged since it got its epoch."""
        self._added: dict[PartitionId | str, None] = {}
        """What takes part, or may, in the transaction that is open (before KIP-890)."""
        self._lost = 0
        """Tries of InitProducerId without an answer: one may come late and take the epoch away."""
        self.finished = False
        """It has drained, and its last transaction has ended."""

    @property
    def waits_for(self) -> str:
        """What it has still to do before it has finished."""
        return "the end of its last transaction"

    def _is_deleted(self, id: PartitionId) -> bool:
        return id.topic_id in self.history.deleted

    def by_name(self, ids: Iterable[PartitionId]) -> dict[str, dict[int, PartitionId]]:
        """Partitions as requests name them."""
        found: dict[str, dict[int, PartitionId]] = {}
        for id in ids:
            found.setdefault(self.history.names[id.topic_id], {})[id.partition] = id
        return found

    def targets(self) -> list[PartitionId]:
        """Partitions that can be written to."""
        return [
            PartitionId(topic_id, index)
            for topic_id, topic in self.topics.items()
            for index in topic.leaders
            if topic_id not in self.history.deleted
        ]

    # --- the beginning ----------------------------------------------------------------------

    def identify(self, again: bool = False) -> Steps[None]:
        """Get an id and an epoch; `again`: the next epoch of those that it has (KIP-360)."""
        while True:
            request = InitProducerIdRequest(
                transactional_id=self._id,
                transaction_timeout_ms=int(self._manner.timeout * 1000),
                producer_id=self._producer_id if again else -1,
                producer_epoch=self._epoch if again else -1,
            )
            answer, _, lost = yield from self.ask_coordinator(
                TRANSACTION, self._id, request, lambda a: a.error_code
            )
            self._lost += lost
            if answer.error_code == Error.NONE:
                break
            if answer.error_code not in FENCED or not again:
                raise Violation(f"{self.name} gets no epoch: {Error(answer.error_code).name}")
            again = False
        self._producer_id, self._epoch = answer.producer_id, answer.producer_epoch
        self._sequences, self._begun, self._added = {}, {}, {}
        self.history.count("producers fenced and begun")
        self.history.transactions.on_given(self._id, self._producer_id, self._epoch, self.out.now)

    def open_transaction(self) -> Attempt:
        """Begin; no request is sent."""
        self._added = {}
        given = (self._producer_id, self._epoch)
        return self.history.transactions.begin(self._id, self.name, given, self.out.now)

    def judge(self, attempt: Attempt, code: ErrorCode, what: str) -> Error:
        """An error that ends a transaction; Violation if there is no cause for it."""
        error = Error(code)
        age = self.out.now - attempt.began_at
        excused = self._manner.excused or self._lost > 0 or age > 0.8 * self._manner.timeout
        if error not in FENCED or not excused:
            raise Violation(f"{what} was refused with {error.name} to {attempt} after {age:.3f} s")
        self.history.count("transactions refused")
        return error

    # --- records ----------------------------------------------------------------------------

    def write(
        self, attempt: Attempt, id: PartitionId, batches: Sequence[list[bytes]]
    ) -> Steps[Error]:
        """Write batches in this order, however often it takes; an error ends the transaction."""
        for value in chain.from_iterable(batches):
            self.history.on_sent(id, value, self.name)
            self.history.transactions.on_sent(attempt, id, value)
        if self._manner.level < BUMPING and id not in self._added:
            error = yield from self._add(attempt, id)
            if error:
                return error
        flight = Flight()
        parcels = [_Parcel(n, values, self._build(id, values)) for n, values in enumerate(batches)]
        yield self.together([self._carry(attempt, id, flight, parcel) for parcel in parcels])
        return flight.error

    def _build(self, id: PartitionId, values: list[bytes]) -> RecordBatch:
        codecs = self._manner.codecs
        sequence = self._sequences.get(id, 0)
        self._sequences[id] = sequence + len(values)
        return build(
            [Record(n, self.out.wall_ms, v.rpartition(b"/")[0], v) for n, v in enumerate(values)],
            attributes=TRANSACTIONAL,
            compression=self.choose(list(codecs)) if len(codecs) > 1 else codecs[0],
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=sequence,
        )

    def _carry(
        self, attempt: Attempt, id: PartitionId, flight: Flight, parcel: _Parcel
    ) -> Steps[None]:
        """Send one batch of several until it is acknowledged."""
        number = parcel.number
        # Before KIP-890 brokers take any batch as the first of a producer that they do not know.
        alone = self._manner.level < BUMPING and id not in self._begun
        least = max(min(number, int(alone)), number + 1 - self._manner.flight)
        yield flight.when(lambda: flight.sent == number and flight.through >= least)
        if number and self.out.rng.random() < APART:
            yield self.pausing(self.between(0.0, CLOSE_SECONDS))
        while not flight.error and not self._is_deleted(id):
            topic = self.topics.get(id.topic_id)
            leader = topic.leaders.get(id.partition, -1) if topic else -1
            answer: ProduceResponse | PeerFailed | None = None
            was_first = flight.through == number
            if leader >= 0:
                request = self._produce_request(id, parcel.batch.data)
                answer = yield self._sending(flight, number, leader, request)
            if answer is not None and not isinstance(answer, PeerFailed):
                told = answer.responses[0].partition_responses[0]
                if told.error_code == Error.NONE:
                    self._on_written(attempt, id, told.base_offset, parcel.values)
                    flight.on_acknowledged(number)
                    return
                if told.error_code == Error.OUT_OF_ORDER_SEQUENCE_NUMBER and not was_first:
                    self.history.count("gaps answered in transactions")
                elif told.error_code not in AGAIN:
                    flight.on_failed(self.judge(attempt, told.error_code, f"a batch for {id}"))
                    return
            self.refresh()
            yield self.retrying()
            yield flight.when(lambda: flight.through >= number)
        flight.on_failed(Error.UNKNOWN_TOPIC_OR_PARTITION)

    def _sending(
        self, flight: Flight, number: int, leader: NodeId, request: ProduceRequest
    ) -> Step:
        def begin(go: Go) -> None:
            self.ask(leader, request, go, version=self._manner.version)
            if flight.sent == number:  # The next one may leave, behind this one.
                flight.on_sent()

        return begin

    def _on_written(
        self, attempt: Attempt, id: PartitionId, base: int, values: list[bytes]
    ) -> None:
        self._begun[id] = None
        self.history.on_acknowledged(id, base, values)
        attempt.acknowledged.setdefault(id, {}).update(enumerate(values, base))

    def _produce_request(self, id: PartitionId, data: Buffer) -> ProduceRequest:
        name = self.history.names[id.topic_id]
        partition = PartitionProduceData(index=id.partition, records=data)
        topic = TopicProduceData(topic_id=id.topic_id, name=name, partition_data=(partition,))
        return ProduceRequest(
            transactional_id=self._id,
            acks=ALL,
            timeout_ms=PATIENCE_MS,
            topic_data=(topic,),
        )

    def _add(self, attempt: Attempt, id: PartitionId) -> Steps[Error]:
        """Say that a partition takes part (before KIP-890)."""
        topic = AddPartitionsToTxnTopic(
            name=self.history.names[id.topic_id],
            partitions=(id.partition,),
        )
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._id,
            v3_and_below_producer_id=self._producer_id,
            v3_and_below_producer_epoch=self._epoch,
            v3_and_below_topics=(topic,),
        )
        self._added[id] = None

        def error_of(answer: AddPartitionsToTxnResponse) -> Error:
            told = answer.results_by_topic_v3_and_below[0].results_by_partition[0]
            return Error(told.partition_error_code)

        in_vain = 0
        while not self._is_deleted(id):
            answer, _, lost = yield from self.ask_coordinator(
                TRANSACTION, self._id, request, error_of
            )
            in_vain += lost
            error = error_of(answer)
            if error == Error.NONE:
                return error
            if error != Error.UNKNOWN_TOPIC_OR_PARTITION:
                return self.judge(attempt, error, f"{id} as a part")
            yield self.retrying()
        if not in_vain:
            self._added.pop(id, None)  # Without any part there is no transaction to end.
        return Error.UNKNOWN_TOPIC_OR_PARTITION

    # --- offsets ----------------------------------------------------------------------------

    def commit_in(
        self, attempt: Attempt, who: Membership, commits: Mapping[PartitionId, Commit]
    ) -> Steps[Error]:
        """Commit a group's offsets in the transaction; an error ends it."""
        bumps = self._manner.level >= BUMPING
        if not bumps:
            error = yield from self._add_group(attempt, who.group)
            if error:
                return error
        request = TxnOffsetCommitRequest(
            transactional_id=self._id,
            group_id=who.group,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=tuple(
                TxnOffsetCommitRequestTopic(
                    name=name,
                    partitions=tuple(
                        TxnOffsetCommitRequestPartition(
                            partition_index=index,
                            committed_offset=commits[id].offset,
                            committed_metadata=commits[id].label,
                        )
                        for index, id in places.items()
                    ),
                )
                for name, places in self.by_name(commits).items()
            ),
        )
        answer, _, _ = yield from self.ask_coordinator(
            GROUP, who.group, request, first_error, version=5 if bumps else 3
        )
        error = first_error(answer)
        if error in OUT or error == Error.UNKNOWN_TOPIC_OR_PARTITION:
            self.history.count("members out")
            return error
        if error:
            return self.judge(attempt, error, f"offsets of {who.group}")
        for commit in commits.values():
            self.history.groups.check_commit(who, commit)
        return Error.NONE

    def _add_group(self, attempt: Attempt, group: str) -> Steps[Error]:
        request = AddOffsetsToTxnRequest(
            transactional_id=self._id,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            group_id=group,
        )
        self._added[group] = None
        answer, _, _ = yield from self.ask_coordinator(
            TRANSACTION, self._id, request, lambda a: a.error_code
        )
        if answer.error_code != Error.NONE:
            return self.judge(attempt, answer.error_code, f"{group} as a part")
        return Error.NONE

    # --- the end ----------------------------------------------------------------------------

    def end(self, attempt: Attempt, commit: bool) -> Steps[Error]:
        """Commit or abort. After an error the producer has to identify itself again."""
        history = self.history.transactions
        if commit:
            history.on_commit_asked(attempt, self.out.now)
        else:
            attempt.fate = Fate.ABORTED
        bumps = self._manner.level >= BUMPING
        if not bumps and not self._added:
            return Error.NONE
        request = EndTxnRequest(
            transactional_id=self._id,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            committed=commit,
        )
        answer, _, _ = yield from self.ask_coordinator(
            TRANSACTION, self._id, request, lambda a: a.error_code, version=5 if bumps else 3
        )
        if answer.error_code != Error.NONE:
            return self.judge(attempt, answer.error_code, "the end")
        if commit:
            history.on_committed(attempt)
        self.history.count(f"transactions {'committed' if commit else 'aborted'}")
        if bumps:
            self._producer_id, self._epoch = answer.producer_id, answer.producer_epoch
            self._sequences, self._begun = {}, {}
            self._lost = 0
        return Error.NONE

    def finish(self, attempt: Attempt, commit: bool, error: Error) -> Steps[bool]:
        """Bring a transaction to its end, after an error too; whether it was committed."""
        if error in FENCED:
            attempt.fate = Fate.ABORTED
        else:
            error = yield from self.end(attempt, commit and not error)
        if error:
            # A zombie does not know at once that it is one.
            yield self.pausing(self.between(0.2, 3.0))
            yield from self.identify()
        elif attempt.fate is Fate.ABORTED and self._manner.level < BUMPING:
            yield from self.identify(again=True)  # What it last sent may not have arrived.
        return attempt.fate is Fate.COMMITTED


def first_error(answer: TxnOffsetCommitResponse | OffsetCommitResponse) -> Error:
    """The first error at a partition of an answer about offsets."""
    for topic in answer.topics:
        for partition in topic.partitions:
            if partition.error_code != Error.NONE:
                return Error(partition.error_code)
    return Error.NONE
