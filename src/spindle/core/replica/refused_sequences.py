"""Sequence numbers of idempotent producers that a broker refused and that will be sent again.

A producer has five batches in flight (KIP-98). Where a leader refuses the first one, because it
does not lead yet or too few replicas are in sync, those behind it must wait for it. To take one, as
a producer that is not known may begin anywhere, loses the first: librdkafka relies on the order,
and takes it for delivered then. To answer one with OUT_OF_ORDER_SEQUENCE_NUMBER, as Apache Kafka
does where it knows the producer, has librdkafka begin a new epoch in all partitions, and what
another leader had written and could not confirm is written twice. So they get the answer that the
first one got: a client sends all of them again, in order, in the same epoch.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from spindle.core.replica.producer_state_manager import SEQUENCES, sequence_after
from spindle.model.batches import NO_PRODUCER, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId

SENT_AGAIN: Final = frozenset(
    {
        Error.KAFKA_STORAGE_ERROR,
        Error.NOT_ENOUGH_REPLICAS,
        Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.REQUEST_TIMED_OUT,
        Error.UNKNOWN_TOPIC_ID,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""After these a producer sends the same batch again. After others it gives the batch up."""
REMEMBERED_S: Final = 600.0
"""No client tries for longer: librdkafka's delivery.timeout.ms is 5 minutes, Java's 2."""
REFUSED_MAX: Final = 10_000
"""Producers and partitions remembered by one broker; the oldest give way."""


class ProducerOfPartition(NamedTuple):
    """One producer in one partition, as it names the topic."""

    topic: TopicId | str | None
    partition: int
    producer_id: int


class _Refused(NamedTuple):
    """All that was refused of one epoch: its first and last sequence number, and with what."""

    epoch: int
    first: int
    last: int
    error: Error
    until: float

    def is_next(self, due: int) -> bool:
        """Whether `due` is among it."""
        return _distance(self.first, due) <= _distance(self.first, self.last)


class RefusedSequences:
    """What was refused, for each producer and partition."""

    def __init__(self) -> None:
        self._refused: dict[ProducerOfPartition, _Refused] = {}

    def __len__(self) -> int:
        return len(self._refused)

    def on_refused(
        self,
        topic: TopicId | str | None,
        partition: int,
        batch: RecordBatch,
        error: Error,
        now: float,
    ) -> None:
        """A batch was answered with one of SENT_AGAIN. `now`: s."""
        if batch.producer_id == NO_PRODUCER or batch.base_sequence < 0:
            return
        key = ProducerOfPartition(topic, partition, batch.producer_id)
        first, last = batch.base_sequence, _last_of(batch)
        before = self._refused.pop(key, None)
        if before is not None and before.epoch == batch.producer_epoch and now < before.until:
            if _is_before(before.first, first):
                first, error = before.first, before.error
            if _is_before(last, before.last):
                last = before.last
        until = now + REMEMBERED_S
        self._refused[key] = _Refused(batch.producer_epoch, first, last, error, until)
        if len(self._refused) > REFUSED_MAX:
            del self._refused[next(iter(self._refused))]

    def check_gap(
        self,
        topic: TopicId | str | None,
        partition: int,
        batch: RecordBatch,
        due: int | None,
        now: float,
    ) -> None:
        """A batch came while sequence `due` was next (None: the producer is not known).

        Refusal, as the one that is missing got it, if what is missing was refused here.
        """
        refused = self._refused.get(ProducerOfPartition(topic, partition, batch.producer_id))
        if refused is None or refused.epoch != batch.producer_epoch or now >= refused.until:
            return
        if due is None:
            due = refused.first
        if refused.is_next(due) and _is_before(due, batch.base_sequence):
            raise Refusal(
                refused.error,
                f"sequence {due} of producer {batch.producer_id} was refused here and has to come"
                f" before {batch.base_sequence}: send it again first",
            )

    def on_taken(self, topic: TopicId | str | None, partition: int, batch: RecordBatch) -> None:
        """A batch has its place in the log: what it was refused with is over."""
        key = ProducerOfPartition(topic, partition, batch.producer_id)
        refused = self._refused.get(key)
        if refused is not None and (
            refused.epoch != batch.producer_epoch or not _is_before(_last_of(batch), refused.last)
        ):
            del self._refused[key]


def _last_of(batch: RecordBatch) -> int:
    return sequence_after(batch.base_sequence, batch.last_offset_delta)


def _distance(one: int, other: int) -> int:
    return (other - one) % SEQUENCES


def _is_before(one: int, other: int) -> bool:
    """Whether a sequence number comes before another one; they wrap around."""
    return 0 < _distance(one, other) < SEQUENCES // 2
