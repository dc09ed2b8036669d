"""A produce on its way: its batches are checked, admitted and appended, then waited for.

Kafka's DelayedProduce. One request with one batch for each partition; it is answered when every
batch is held by the replicas that its acks ask for, or when its time is up. Knows no messages: the
handler of Produce makes it and tells what became of each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from spindle.core.replica.producer_state_manager import AppendedBatch, ProducerStateManager
from spindle.core.replica.refused_sequences import SENT_AGAIN
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.batches import COMPRESSION_MASK, LOG_APPEND_TIME, NO_PRODUCER, RecordBatch
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import PartitionId, TopicId
from spindle.model.settings.scrutiny import INTERNAL_TOPICS
from spindle.node.broker_context import BrokerContext
from spindle.node.produce import record_check
from spindle.node.produce.recompression import recompression
from spindle.node.replicas.broker_topic_stats import BrokerTopicMetrics
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.transactions.enlisting import Enlisting
from spindle.wire import batch as batches
from spindle.wire.codec import Records, one_buffer
from spindle.wire.compression import Compression

ALL: Final = -1
ZSTD_FROM: Final = 7
ABORTABLE_FROM: Final = 11
ADDS_FROM: Final = 12
ADMIN_CLIENT: Final = "__admin_client"
"""The client id that lets a producer write to internal topics, as in Apache Kafka."""
_IN_PRODUCERS_WORDS: Final = {
    Error.CONCURRENT_TRANSACTIONS: Error.NOT_ENOUGH_REPLICAS,
    Error.COORDINATOR_LOAD_IN_PROGRESS: Error.NOT_ENOUGH_REPLICAS,
    Error.COORDINATOR_NOT_AVAILABLE: Error.NOT_ENOUGH_REPLICAS,
    Error.NOT_COORDINATOR: Error.NOT_ENOUGH_REPLICAS,
    Error.NETWORK_EXCEPTION: Error.NOT_ENOUGH_REPLICAS,
    Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH,
}
"""What the coordinator's error means to a producer; any other stays."""
WAIT_MAX: Final = 600.0
"""Seconds that a produce may wait at most, whatever it asks for."""

Named: TypeAlias = TopicId | str | None
"""A topic as the client names it."""


class ProduceParams(NamedTuple):
    """What a request asks for as a whole, and what its client knows of."""

    acks: int
    timeout: float
    """Seconds."""
    transactional_id: str | None
    takes_zstd: bool
    takes_abortable: bool
    """It knows the error TRANSACTION_ABORTABLE."""
    adds: bool
    """A first batch has its partition take part in the transaction (KIP-890)."""
    takes_internal: bool
    """It may write to topics of coordinators."""

    @classmethod
    def of(
        cls, version: int, acks: int, timeout_ms: int, transactional_id: str | None, client: str
    ) -> ProduceParams:
        """Those of a request in a version of Produce; `client`: what its sender calls itself."""
        return cls(
            acks,
            timeout_ms / 1000,
            transactional_id,
            takes_zstd=version >= ZSTD_FROM,
            takes_abortable=version >= ABORTABLE_FROM,
            adds=version >= ADDS_FROM,
            takes_internal=client == ADMIN_CLIENT,
        )


@dataclass(slots=True, eq=False)
class ProducedPartition:
    """One partition's share of a request, and what becomes of it."""

    produce: DelayedProduce
    topic: Named
    index: int
    hosted: HostedPartition | None = None
    error: Error = Error.NONE
    refusal: Refusal | None = None
    """Why it was not taken; it says more than the error."""
    base: int = -1
    end: int = -1
    append_time: int = -1
    done: bool = False
    wait: tuple[int, int] | None = None
    batch: RecordBatch | None = None
    """What was sent, as far as it could be read."""

    def refuse(self, refusal: Refusal) -> None:
        """It is not taken."""
        self.refusal = refusal
        self._end(refusal.error)

    def _end(self, error: Error) -> None:
        self.done = True
        self.error = error
        if error in SENT_AGAIN and self.batch is not None:
            self.produce.on_refused(self, self.batch, error)

    def settle(self, error: Error) -> None:
        """It is written and held by whom it must be; or never will be."""
        if self.done:
            return
        if error is Error.KAFKA_STORAGE_ERROR and self.hosted is not None:
            self.produce.stats_of(self.hosted).failed_produce += 1
            if self.produce.await_successor(self, self.hosted.id):
                return
        self.conclude(error)

    def conclude(self, error: Error) -> None:
        """Nothing more is waited for, if anything still is."""
        if self.done:
            return
        if error == Error.NONE and self.produce.params.acks == ALL and self._too_few():
            error = Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        self._end(error)
        self.produce.on_settled()

    def give_up(self) -> None:
        """Time is up."""
        if self.hosted is None:
            self._end(Error.KAFKA_STORAGE_ERROR)  # It would only have heard where to go on.
            return
        if self.wait is not None:
            delayed = self.hosted.delayed
            waiters = delayed.at_mark if self.produce.params.acks == ALL else delayed.at_end
            waiters.discard(self.wait)
        few = self.produce.params.acks == ALL and self._too_few()
        self._end(Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND if few else Error.REQUEST_TIMED_OUT)

    def _too_few(self) -> bool:
        assert self.hosted is not None
        machine = self.hosted.partition
        return machine.leads and len(machine.maximal_isr) < machine.required_isr


@dataclass(slots=True, eq=False)
class DelayedProduce:
    """One request until it is answered: `then` gets all its partitions."""

    _context: BrokerContext
    _replicas: ReplicaManager
    _enlisting: Enlisting
    params: ProduceParams
    _then: Callable[[list[ProducedPartition]], None]
    _shares: list[ProducedPartition] = field(default_factory=list)
    _left: int = 0

    def begin(self, asked: Iterable[tuple[Named, int, Records | None]]) -> None:
        """Append what is asked for each partition; answer now or when the last one is settled."""
        appends: list[tuple[ProducedPartition, Records | None]] = []
        for topic, index, records in asked:
            share = ProducedPartition(self, topic, index)
            self._shares.append(share)
            appends.append((share, records))
        self._left = len(appends) + 1  # The last one is this method itself.
        for share, records in appends:
            try:
                self._append(share, records)
            except Refusal as refusal:
                if refusal.error in SENT_AGAIN:
                    share.batch = _first_of(records)
                self._turn_away(share, refusal)
        self.on_settled()
        if self._left and self.params.acks != 0:
            wait = min(max(self.params.timeout, 0.0), WAIT_MAX)
            self._replicas.purgatory.park(wait, self)

    def stats_of(self, hosted: HostedPartition) -> BrokerTopicMetrics:
        """What is counted of a partition's topic."""
        return self._replicas.writes.stats.of(hosted.name.topic)

    def await_successor(self, share: ProducedPartition, id: PartitionId) -> bool:
        """Answer a share whose disk has failed along with where to go on, if that is known soon.

        Meanwhile what comes behind it is refused: the replica may be back before it is answered.
        """
        if self.params.acks == 0:
            return False  # Its client gets no answer, but the end of its connection.
        partitions = self._replicas.partitions

        def then() -> None:
            found = partitions.leader(share.topic, share.index)
            share.conclude(found if isinstance(found, Error) else Error.KAFKA_STORAGE_ERROR)

        if not partitions.successors.wait(id, then):
            return False
        if share.batch is not None:
            self.on_refused(share, share.batch, Error.KAFKA_STORAGE_ERROR)
        return True

    def _turn_away(self, share: ProducedPartition, refusal: Refusal) -> None:
        """It is not taken; where its disk has failed, the next leader's name may come along."""
        if refusal.error is Error.KAFKA_STORAGE_ERROR:
            id = self._replicas.partitions.id_of(share.topic, share.index)
            if id is not None and self.await_successor(share, id):
                return
        share.refuse(refusal)
        self.on_settled()

    def on_refused(self, share: ProducedPartition, batch: RecordBatch, error: Error) -> None:
        """A batch is refused that its producer sends again: none behind it may take its place."""
        refused, now = self._replicas.writes.refused, self._context.out.now
        refused.on_refused(share.topic, share.index, batch, error, now)

    def on_settled(self) -> None:
        """One less to wait for."""
        self._left -= 1
        if self._left == 0:
            self._replicas.purgatory.leave(self)
            self._answer()

    def on_deadline(self) -> None:
        """The client's patience is over: what is not settled has timed out."""
        for share in self._shares:
            if not share.done:
                share.give_up()
        self._left = 0
        self._answer()

    def _answer(self) -> None:
        # Shares know their request: not to let go of them would leave both, and the megabytes
        # that the call came with, to the garbage collector, which comes by rarely.
        shares, self._shares = self._shares, []
        self._then(shares)

    # --- appending ------------------------------------------------------------------------------

    def _append(self, share: ProducedPartition, records: Records | None) -> None:
        if self.params.acks not in (ALL, 0, 1):
            raise Refusal(
                Error.INVALID_REQUIRED_ACKS, f"acks={self.params.acks} is none of -1, 0, 1"
            )
        hosted = self._replicas.partitions.leader(share.topic, share.index)
        name = hosted.name.topic if isinstance(hosted, HostedPartition) else share.topic
        if name in INTERNAL_TOPICS and not self.params.takes_internal:
            raise Refusal(Error.INVALID_TOPIC_EXCEPTION, f"coordinators alone write to {name}")
        if not isinstance(hosted, HostedPartition):
            raise Refusal(hosted)
        share.hosted = hosted
        self.stats_of(hosted).produce_requests += 1
        batch = share.batch = self._batch(hosted, records)

        def checked(refusal: Refusal | None) -> None:
            if share.done:
                return  # Its time was up.
            try:
                if refusal is not None:
                    raise refusal
                if not hosted.partition.leads or hosted.gone:
                    raise Refusal(self._why_not(hosted))
                taken = batch if packed is None else packed.batch
                _check_size(hosted, taken)
                self._admit(share, hosted, taken)
            except Refusal as refused:
                self._turn_away(share, refused)

        look = record_check.look(batch, hosted.topic, hosted.name, self._context.out.wall_ms)
        packed = recompression(batch, hosted.topic.packing, look)
        self._replicas.checking.check(hosted, packed or look, checked)

    def _why_not(self, hosted: HostedPartition) -> Error:
        """Why a partition takes nothing any more that it took when the request came."""
        if hosted.gone:
            return Error.NOT_LEADER_OR_FOLLOWER
        return self._replicas.partitions.offline(hosted) or Error.NOT_LEADER_OR_FOLLOWER

    def _admit(self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch) -> None:
        if batch.is_transactional and not self._takes_part(hosted, batch):
            self._enlist(share, hosted, batch)
        else:
            self._write(share, hosted, batch)

    def _takes_part(self, hosted: HostedPartition, batch: RecordBatch) -> bool:
        return hosted.partition.log.has_begun(batch.producer_id, batch.producer_epoch) or (
            not self._context.settings.flag("transaction.partition.verification.enable")
            and not self.params.adds
            and not self._enlisting.is_waiting(hosted.id, batch.producer_id)
        )

    def _enlist(
        self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch
    ) -> None:
        name, adds = self.params.transactional_id, self.params.adds
        assert name is not None, "else the batch was refused"
        # Also where it is refused below: a later batch must not begin the transaction before it.
        hosted.partition.log.producers.on_asked(batch, adds, self._context.out.wall_ms)

        def admitted(error: Error) -> None:
            if share.done:
                return  # Its time was up.
            if error:
                share.settle(self._in_producers_words(error))
            elif not hosted.partition.leads or hosted.gone:
                share.settle(self._why_not(hosted))
            else:
                try:
                    self._write(share, hosted, batch)
                except Refusal as refusal:
                    share.refusal = refusal
                    share.settle(refusal.error)

        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        self._enlisting.admit(hosted.id, hosted.name, name, producer, adds, admitted)

    def _in_producers_words(self, error: Error) -> Error:
        if error is Error.TRANSACTION_ABORTABLE and not self.params.takes_abortable:
            return Error.INVALID_TXN_STATE
        return _IN_PRODUCERS_WORDS.get(error, error)

    def _write(self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch) -> None:
        self._check_room(hosted)
        machine, log = hosted.partition, hosted.partition.log
        if batch.producer_id in log.transactions.open and not batch.is_transactional:
            raise Refusal(
                Error.INVALID_TXN_STATE,
                f"producer {batch.producer_id} has a transaction open in {hosted.name}",
            )
        if batch.producer_id != NO_PRODUCER:
            before = self._find(share, log.producers, batch)
            if before is not None:
                share.base, share.end = before.base_offset, before.last_offset + 1
                if hosted.topic.append_time:
                    share.append_time = before.timestamp
                self._wait(share, hosted)
                return
        if hosted.topic.append_time:
            share.append_time = self._context.out.wall_ms
            batch = batches.with_append_time(batch, share.append_time)
        machine.assign(batch)
        share.base, share.end = batch.base_offset, batch.next_offset
        self._wait(share, hosted)
        self._replicas.writes.append(hosted, [batch])

    def _find(
        self, share: ProducedPartition, producers: ProducerStateManager, batch: RecordBatch
    ) -> AppendedBatch | None:
        """Where a batch was appended before; None: it is new. Refusal for a gap before it."""
        refused, now = self._replicas.writes.refused, self._context.out.now
        try:
            before = producers.check(batch)
        except Refusal as refusal:
            if refused and refusal.error is Error.OUT_OF_ORDER_SEQUENCE_NUMBER:
                due = producers.due(batch.producer_id, batch.producer_epoch)
                refused.check_gap(share.topic, share.index, batch, due, now)
            raise
        if refused:
            if producers.epoch_of(batch.producer_id) < 0:
                refused.check_gap(share.topic, share.index, batch, None, now)
            refused.on_taken(share.topic, share.index, batch)
        return before

    def _check_room(self, hosted: HostedPartition) -> None:
        """Whether the partition takes anything now: a batch that waited may find it changed."""
        if not hosted.has_room:
            raise Refusal(Error.KAFKA_STORAGE_ERROR, f"the disk of {hosted.name} is full")
        machine = hosted.partition
        if self.params.acks == ALL and len(machine.isr) < machine.required_isr:
            raise Refusal(
                Error.NOT_ENOUGH_REPLICAS,
                f"{hosted.name} has {len(machine.isr)} replicas in sync, "
                f"min.insync.replicas is {machine.required_isr}",
            )

    def _wait(self, share: ProducedPartition, hosted: HostedPartition) -> None:
        log, delayed = hosted.partition.log, hosted.delayed
        if self.params.acks == 0:
            share.settle(Error.NONE)
        elif self.params.acks == ALL:
            if log.high_watermark >= share.end:
                share.settle(Error.NONE)
            else:
                share.wait = delayed.at_mark.add(share.end, share.settle)
        elif log.end >= share.end:
            share.settle(Error.NONE)
        else:
            share.wait = delayed.at_end.add(share.end, share.settle)

    def _batch(self, hosted: HostedPartition, records: Records | None) -> RecordBatch:
        try:
            found = batches.split(b"" if records is None else one_buffer(records), partial=True)
            if len(found) != 1:
                raise Refusal(
                    Error.INVALID_RECORD, f"a partition takes one batch, not {len(found)}"
                )
            batch = found[0]
            batches.check_crc(batch)
        except Corrupt as corrupt:
            raise Refusal(Error.CORRUPT_MESSAGE, str(corrupt)) from None
        except Refusal as refusal:  # The old formats are none of what a producer may send now.
            raise Refusal(Error.INVALID_RECORD, refusal.message) from None
        batches.check_from_client(batch)
        if hosted.topic.append_time and batch.attributes & LOG_APPEND_TIME:
            raise Refusal(
                Error.INVALID_TIMESTAMP, "the time of the log is not the client's to tell"
            )
        _check_size(hosted, batch)
        if batch.is_transactional and not self.params.transactional_id:
            raise Refusal(Error.INVALID_REQUEST, "a transactional batch needs a transactional id")
        is_zstd = batch.attributes & COMPRESSION_MASK == Compression.ZSTD
        if is_zstd and not self.params.takes_zstd:
            raise Refusal(Error.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs version 7 of Produce")
        return batch


def _first_of(records: Records | None) -> RecordBatch | None:
    """The header of what was refused before it was looked at, if it has a sound one."""
    try:
        found = batches.split(b"" if records is None else one_buffer(records), partial=True)
    except (Corrupt, Refusal):
        return None
    return found[0] if len(found) == 1 else None


def _check_size(hosted: HostedPartition, batch: RecordBatch) -> None:
    if batch.size > hosted.topic.max_message_bytes:
        raise Refusal(
            Error.MESSAGE_TOO_LARGE,
            f"a batch of {batch.size} bytes exceeds max.message.bytes of {hosted.name}, "
            f"{hosted.topic.max_message_bytes}",
        )
