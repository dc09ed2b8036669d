"""Sequence numbers of idempotent producers that a broker refused and that will be sent again.

A producer has five batches in flight (KIP-98). Where a leader refuses the first one, because it
does not lead yet or too few replicas are in sync, and takes the second, the first one fits nowhere
any more: librdkafka, which relies on the order, takes it for delivered then. A partition that knows
a producer refuses such a gap. For one that it does not know, this is the memory of the gap. Apache
Kafka has it for transactions only (KIP-890).
"""

from __future__ import annotations

from typing import Final, NamedTuple

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
    epoch: int
    least: int
    until: float


class RefusedSequences:
    """The lowest sequence number that was refused, for each producer and partition."""

    def __init__(self) -> None:
        self._refused: dict[ProducerOfPartition, _Refused] = {}

    def __len__(self) -> int:
        return len(self._refused)

    def on_refused(
        self, topic: TopicId | str | None, partition: int, batch: RecordBatch, now: float
    ) -> None:
        """A batch was not appended and will be sent again. `now`: s."""
        if batch.producer_id == NO_PRODUCER:
            return
        key = ProducerOfPartition(topic, partition, batch.producer_id)
        least, before = batch.base_sequence, self._refused.pop(key, None)
        if before is not None and before.epoch == batch.producer_epoch and now < before.until:
            least = min(least, before.least)
        self._refused[key] = _Refused(batch.producer_epoch, least, now + REMEMBERED_S)
        if len(self._refused) > REFUSED_MAX:
            del self._refused[next(iter(self._refused))]

    def take(
        self, topic: TopicId | str | None, partition: int, batch: RecordBatch, now: float
    ) -> None:
        """The partition is about to take a producer's first batch, which it does not know yet.

        Refusal: OUT_OF_ORDER_SEQUENCE_NUMBER where one before it was refused and is missing.
        """
        if not self._refused:
            return
        key = ProducerOfPartition(topic, partition, batch.producer_id)
        refused = self._refused.get(key)
        if refused is None:
            return
        is_behind = refused.epoch == batch.producer_epoch and batch.base_sequence > refused.least
        if is_behind and now < refused.until:
            raise Refusal(
                Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"sequence {refused.least} of producer {batch.producer_id} was refused here and"
                f" has to come before {batch.base_sequence}: send it again first",
            )
        del self._refused[key]
