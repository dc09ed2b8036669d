"""Produce (0), versions 3-13.

Behaviour:
- Each partition takes one batch of format 2; its CRC and size are checked, its records are not
  touched (but for keys of compacted topics, `replicas.checking`; LogAppendTime, which stamps the
  header; and compression.type, for which they are compressed again).
- acks: 0 no answer (an error ends the connection, so that the client looks again), 1 once written
  here, -1 once all in-sync replicas have it. Fewer than `min.insync.replicas`: NOT_ENOUGH_REPLICAS
  before, NOT_ENOUGH_REPLICAS_AFTER_APPEND after the append; not in time: REQUEST_TIMED_OUT.
- Idempotent producers: what was appended before is answered with its old offset (KIP-98).
- The first batch of a transaction in a partition waits until the coordinator knows the partition
  as part of it: up to version 11 it is asked, from 12 on it is notified (KIP-890). What cannot be
  found out now is NOT_ENOUGH_REPLICAS: clients try again.

Version notes: 5 log start offset; 7 zstd; 8 record errors and messages; 9 flexible; 10 where the
leader is now; 13 topic ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.batches import COMPRESSION_MASK, NO_PRODUCER, RecordBatch
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import NodeId, TopicId
from spindle.node.handlers import _bad_records
from spindle.node.handlers._bad_records import BadRecords
from spindle.node.handlers._recompression import recompression
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire import batch as batches
from spindle.wire.codec import Records, one_buffer
from spindle.wire.compression import Compression
from spindle.wire.messages.produce_request import ProduceRequest
from spindle.wire.messages.produce_response import (
    DEFAULT_LEADER_ID_AND_EPOCH,
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

ALL: Final = -1
ZSTD_FROM: Final = 7
IDS_FROM: Final = 13
ADDS_FROM: Final = 12
ABORTABLE_FROM: Final = 11
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


def on_broker(
    broker: Broker, request: ProduceRequest, context: RequestContext[ProduceResponse]
) -> Later:
    """Append what a producer sends."""
    Produce(broker, request, context).begin()
    return LATER


class ProducedPartition:
    """One partition's share of a request, and what becomes of it."""

    __slots__ = (
        "append_time",
        "bad",
        "base",
        "done",
        "end",
        "error",
        "hosted",
        "index",
        "message",
        "produce",
        "topic",
        "wait",
    )

    def __init__(self, produce: Produce, topic: TopicId | str | None, index: int) -> None:
        self.produce = produce
        self.topic = topic
        self.index = index
        self.hosted: HostedPartition | None = None
        self.error = Error.NONE
        self.message: str | None = None
        self.bad: tuple[tuple[int, str], ...] = ()
        """The records for which it is refused, and why each."""
        self.base = -1
        self.end = -1
        self.append_time = -1
        self.done = False
        self.wait: tuple[int, int] | None = None

    def refuse(self, refusal: Refusal) -> None:
        """It is not taken."""
        self.error, self.message = refusal.error, refusal.message
        if isinstance(refusal, BadRecords):
            self.bad = refusal.bad
        self.done = True

    def settle(self, error: Error) -> None:
        """It is written and held by whom it must be; or never will be."""
        if self.done:
            return
        self.done = True
        self.error = error
        if error == Error.NONE and self.produce.acks == ALL and self._too_few():
            self.error = Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        self.produce.on_settled()

    def give_up(self) -> None:
        """Time is up."""
        assert self.hosted is not None
        if self.wait is not None:
            waiters = (
                self.hosted.delayed.at_mark
                if self.produce.acks == ALL
                else self.hosted.delayed.at_end
            )
            waiters.discard(self.wait)
        self.done = True
        few = self.produce.acks == ALL and self._too_few()
        self.error = Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND if few else Error.REQUEST_TIMED_OUT

    def _too_few(self) -> bool:
        assert self.hosted is not None
        machine = self.hosted.partition
        return machine.leads and len(machine.maximal_isr) < machine.required_isr


class Produce:
    """One request until it is answered."""

    __slots__ = ("_broker", "_context", "_left", "_request", "_shares", "acks")

    def __init__(
        self, broker: Broker, request: ProduceRequest, context: RequestContext[ProduceResponse]
    ) -> None:
        self._broker = broker
        self._request = request
        self._context = context
        self.acks = request.acks
        self._shares: list[ProducedPartition] = []
        self._left = 0

    def begin(self) -> None:
        """Append all shares; answer now or when the last one is settled."""
        by_id = self._context.version >= IDS_FROM
        appends: list[tuple[ProducedPartition, Records | None]] = []
        for topic in self._request.topic_data:
            name = topic.topic_id if by_id else topic.name
            for data in topic.partition_data:
                share = ProducedPartition(self, name, data.index)
                self._shares.append(share)
                appends.append((share, data.records))
        self._left = len(appends) + 1  # The last one is this method itself.
        for share, records in appends:
            try:
                self._append(share, records)
            except Refusal as refusal:
                share.refuse(refusal)
                self._left -= 1
        self.on_settled()
        if self._left and self.acks != 0:
            wait = min(max(self._request.timeout_ms, 0) / 1000, WAIT_MAX)
            self._broker.replicas.purgatory.park(wait, self)

    def on_settled(self) -> None:
        """One less to wait for."""
        self._left -= 1
        if self._left == 0:
            self._broker.replicas.purgatory.leave(self)
            self._answer()

    def on_deadline(self) -> None:
        """The client's patience is over: what is not settled has timed out."""
        for share in self._shares:
            if not share.done:
                share.give_up()
        self._left = 0
        self._answer()

    # --- appending ------------------------------------------------------------------------------

    def _append(self, share: ProducedPartition, records: Records | None) -> None:
        replicas = self._broker.replicas
        if self.acks not in (ALL, 0, 1):
            raise Refusal(Error.INVALID_REQUIRED_ACKS, f"acks={self.acks} is none of -1, 0, 1")
        hosted = replicas.partitions.leader(share.topic, share.index)
        if not isinstance(hosted, HostedPartition):
            raise Refusal(hosted)
        share.hosted = hosted
        batch = self._batch(hosted, records)

        def checked(refusal: Refusal | None) -> None:
            if share.done:
                return  # Its time was up.
            try:
                if refusal is not None:
                    raise refusal
                if not hosted.partition.leads or hosted.gone:
                    raise Refusal(Error.NOT_LEADER_OR_FOLLOWER)
                taken = batch if packed is None else packed.batch
                _check_size(hosted, taken)
                self._admit(share, hosted, taken)
            except Refusal as refused:
                share.refuse(refused)
                self.on_settled()

        look = _bad_records.look(batch, hosted.topic, hosted.name, self._broker.out.wall_ms)
        packed = recompression(batch, hosted.topic.packing, look)
        self._broker.replicas.checking.check(hosted, packed or look, checked)

    def _admit(self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch) -> None:
        if batch.is_transactional and not self._takes_part(hosted, batch):
            self._enlist(share, hosted, batch)
        else:
            self._write(share, hosted, batch)

    def _takes_part(self, hosted: HostedPartition, batch: RecordBatch) -> bool:
        enlisting = self._broker.transactions.enlisting
        return hosted.partition.log.has_begun(batch.producer_id, batch.producer_epoch) or (
            not self._broker.settings.flag("transaction.partition.verification.enable")
            and self._context.version < ADDS_FROM
            and not enlisting.is_waiting(hosted.id, batch.producer_id)
        )

    def _enlist(
        self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch
    ) -> None:
        name = self._request.transactional_id
        assert name is not None, "else the batch was refused"
        adds = self._context.version >= ADDS_FROM
        # Also where it is refused below: a later batch must not begin the transaction before it.
        hosted.partition.log.producers.on_asked(batch, adds, self._broker.out.wall_ms)

        def admitted(error: Error) -> None:
            if share.done:
                return  # Its time was up.
            if error:
                share.settle(self._in_producers_words(error))
            elif not hosted.partition.leads or hosted.gone:
                share.settle(Error.NOT_LEADER_OR_FOLLOWER)
            else:
                try:
                    self._write(share, hosted, batch)
                except Refusal as refusal:
                    share.message = refusal.message
                    share.settle(refusal.error)

        self._broker.transactions.enlisting.admit(
            hosted.id,
            hosted.name,
            name,
            ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch),
            adds,
            admitted,
        )

    def _in_producers_words(self, error: Error) -> Error:
        if error is Error.TRANSACTION_ABORTABLE and self._context.version < ABORTABLE_FROM:
            return Error.INVALID_TXN_STATE
        return _IN_PRODUCERS_WORDS.get(error, error)

    def _write(self, share: ProducedPartition, hosted: HostedPartition, batch: RecordBatch) -> None:
        self._check_room(hosted)
        machine = hosted.partition
        if batch.producer_id in machine.log.transactions.open and not batch.is_transactional:
            raise Refusal(
                Error.INVALID_TXN_STATE,
                f"producer {batch.producer_id} has a transaction open in {hosted.name}",
            )
        if batch.producer_id != NO_PRODUCER:
            before = machine.log.producers.check(batch)
            if before is not None:
                share.base, share.end = before.base_offset, before.last_offset + 1
                self._wait(share, hosted)
                return
        if hosted.topic.append_time:
            share.append_time = self._broker.out.wall_ms
            batch = batches.with_append_time(batch, share.append_time)
        machine.assign(batch)
        share.base, share.end = batch.base_offset, batch.next_offset
        self._wait(share, hosted)
        self._broker.replicas.writes.append(hosted, [batch])

    def _check_room(self, hosted: HostedPartition) -> None:
        """Whether the partition takes anything now: a batch that waited may find it changed."""
        if not hosted.has_room:
            raise Refusal(Error.KAFKA_STORAGE_ERROR, f"the disk of {hosted.name} is full")
        machine = hosted.partition
        if self.acks == ALL and len(machine.isr) < machine.required_isr:
            raise Refusal(
                Error.NOT_ENOUGH_REPLICAS,
                f"{hosted.name} has {len(machine.isr)} replicas in sync, "
                f"min.insync.replicas is {machine.required_isr}",
            )

    def _wait(self, share: ProducedPartition, hosted: HostedPartition) -> None:
        machine = hosted.partition
        if self.acks == 0:
            share.settle(Error.NONE)
        elif self.acks == ALL:
            if machine.log.high_watermark >= share.end:
                share.settle(Error.NONE)
            else:
                share.wait = hosted.delayed.at_mark.add(share.end, share.settle)
        elif machine.log.end >= share.end:
            share.settle(Error.NONE)
        else:
            share.wait = hosted.delayed.at_end.add(share.end, share.settle)

    def _batch(self, hosted: HostedPartition, records: Records | None) -> RecordBatch:
        try:
            found = batches.split(b"" if records is None else one_buffer(records))
            if len(found) != 1:
                raise Refusal(
                    Error.INVALID_RECORD, f"a partition takes one batch, not {len(found)}"
                )
            batch = found[0]
            batches.check(batch)
        except Corrupt as corrupt:
            raise Refusal(Error.CORRUPT_MESSAGE, str(corrupt)) from None
        batches.check_from_client(batch)
        _check_size(hosted, batch)
        if batch.is_transactional and not self._request.transactional_id:
            raise Refusal(Error.INVALID_REQUEST, "a transactional batch needs a transactional id")
        if (
            batch.attributes & COMPRESSION_MASK == Compression.ZSTD
            and self._context.version < ZSTD_FROM
        ):
            raise Refusal(Error.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs version 7 of Produce")
        return batch

    # --- answering ------------------------------------------------------------------------------

    def _answer(self) -> None:
        # Shares know their request: not to let go of them would leave both, and the megabytes
        # that the call came with, to the garbage collector, which comes by rarely.
        shares, self._shares = self._shares, []
        context = self._context
        if self.acks == 0:
            context.answer_nothing()
            if any(share.error != Error.NONE for share in shares):
                self._broker.out.hang_up(context.connection)
            return
        topics: dict[TopicId | str | None, list[PartitionProduceResponse]] = {}
        leaders: dict[NodeId, None] = {}
        for share in shares:
            topics.setdefault(share.topic, []).append(self._told(share, leaders))
        reached = self._broker.context.reached(context.listener, leaders)
        context.answer(
            ProduceResponse(
                responses=[_topic(name, told) for name, told in topics.items()],
                node_endpoints=[
                    NodeEndpoint(node_id=broker, host=at.host, port=at.port)
                    for broker, at in reached
                ],
            )
        )

    def _told(
        self, share: ProducedPartition, leaders: dict[NodeId, None]
    ) -> PartitionProduceResponse:
        if share.error == Error.NONE:
            assert share.hosted is not None
            return PartitionProduceResponse(
                index=share.index,
                base_offset=share.base,
                log_append_time_ms=share.append_time,
                log_start_offset=share.hosted.partition.log.start,
            )
        current = DEFAULT_LEADER_ID_AND_EPOCH
        if share.error == Error.NOT_LEADER_OR_FOLLOWER:
            hint = self._broker.replicas.partitions.leader_hint(share.topic, share.index)
            if hint is not None:
                leader, epoch = hint
                leaders[leader] = None
                current = LeaderIdAndEpoch(leader_id=leader, leader_epoch=epoch)
        return PartitionProduceResponse(
            index=share.index,
            error_code=share.error,
            base_offset=-1,
            log_append_time_ms=-1,
            error_message=share.message,
            record_errors=[
                BatchIndexAndErrorMessage(batch_index=i, batch_index_error_message=why)
                for i, why in share.bad
            ],
            current_leader=current,
        )


def _topic(
    name: TopicId | str | None, told: list[PartitionProduceResponse]
) -> TopicProduceResponse:
    if isinstance(name, str):
        return TopicProduceResponse(name=name, partition_responses=told)
    return TopicProduceResponse(topic_id=name, partition_responses=told)


def _check_size(hosted: HostedPartition, batch: RecordBatch) -> None:
    if batch.size > hosted.topic.max_message_bytes:
        raise Refusal(
            Error.MESSAGE_TOO_LARGE,
            f"a batch of {batch.size} bytes exceeds max.message.bytes of {hosted.name}, "
            f"{hosted.topic.max_message_bytes}",
        )
