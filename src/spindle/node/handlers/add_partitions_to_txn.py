"""AddPartitionsToTxn (24), versions 0-5.

Behaviour: partitions take part in a producer's transaction once that is committed in
`__transaction_state`. All of a transaction or none: where one does not exist, it is told so and the
others OPERATION_NOT_ATTEMPTED.

Version notes: before 2 PRODUCER_FENCED is told as INVALID_PRODUCER_EPOCH; from 4 on brokers ask,
for many transactions at once, or only verify that partitions take part (KIP-890).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.core.transactions.values import Producer
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

BATCHED_FROM: Final = 4
FENCED_FROM: Final = 2

Results = dict[TopicPartition, Error]


def on_broker(broker: Broker, call: Call) -> None:
    """Add or verify partitions."""
    if call.version < BATCHED_FROM:
        body = call.body
        _Asked(
            broker,
            call,
            body.v3_and_below_transactional_id,
            Producer(body.v3_and_below_producer_id, body.v3_and_below_producer_epoch),
            body.v3_and_below_topics,
            False,
        ).run(lambda results: call.answer(_old(call, results)))
        return
    told: list[tuple[str, Results] | None] = [None] * len(call.body.transactions)

    def settle(place: int, name: str, results: Results) -> None:
        told[place] = (name, results)
        if all(one is not None for one in told):
            call.answer(_batched(call, told))

    if not told:
        call.answer(_batched(call, told))
    for place, t in enumerate(call.body.transactions):
        asked = _Asked(
            broker,
            call,
            t.transactional_id,
            Producer(t.producer_id, t.producer_epoch),
            t.topics,
            t.verify_only,
        )
        asked.run(
            lambda results, place=place, name=t.transactional_id: settle(place, name, results)
        )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error as a whole, where there is a place for it."""
    if call.version >= BATCHED_FROM:
        return make(call.reply.AddPartitionsToTxnResponse, error_code=error)
    return _old(call, dict.fromkeys(_partitions(call.body.v3_and_below_topics), error))


class _Asked:
    """One transaction of a request."""

    def __init__(
        self, broker: Broker, call: Call, name: str, producer: Producer, topics: Any, verifies: bool
    ) -> None:
        self._broker = broker
        self._call = call
        self._name = name
        self._producer = producer
        self._partitions = _partitions(topics)
        self._verifies = verifies

    def run(self, then: Any) -> None:
        """`then` gets an error for each partition."""

        def all_of(error: Error) -> None:
            if error is Error.PRODUCER_FENCED and self._call.version < FENCED_FROM:
                error = Error.INVALID_PRODUCER_EPOCH
            then(dict.fromkeys(self._partitions, error))

        try:
            coordinator = self._broker.transactions.coordinator(self._name)
            if self._verifies:
                coordinator.verify(self._name, self._producer, self._partitions, then)
                return
            unknown = [p for p in self._partitions if not self._exists(p)]
            if unknown:
                then(
                    {
                        p: Error.UNKNOWN_TOPIC_OR_PARTITION
                        if p in unknown
                        else Error.OPERATION_NOT_ATTEMPTED
                        for p in self._partitions
                    }
                )
                return
            bumps = self._call.version >= BATCHED_FROM
            coordinator.add(self._name, self._producer, self._partitions, bumps, all_of)
        except Refusal as refusal:
            all_of(refusal.error)

    def _exists(self, partition: TopicPartition) -> bool:
        topic = self._broker.image.topic(partition.topic)
        return topic is not None and partition.partition in topic.partitions


def _partitions(topics: Any) -> list[TopicPartition]:
    return [TopicPartition(topic.name, number) for topic in topics for number in topic.partitions]


def _topics(call: Call, results: Results) -> tuple[Any, ...]:
    types = call.reply
    topics: dict[str, list[Any]] = {}
    for partition, error in results.items():
        topics.setdefault(partition.topic, []).append(
            make(
                types.AddPartitionsToTxnPartitionResult,
                partition_index=partition.partition,
                partition_error_code=error,
            )
        )
    return tuple(
        make(types.AddPartitionsToTxnTopicResult, name=name, results_by_partition=tuple(told))
        for name, told in topics.items()
    )


def _old(call: Call, results: Results) -> Any:
    return make(
        call.reply.AddPartitionsToTxnResponse,
        results_by_topic_v3_and_below=_topics(call, results),
    )


def _batched(call: Call, told: Any) -> Any:
    types = call.reply
    return make(
        types.AddPartitionsToTxnResponse,
        results_by_transaction=tuple(
            make(
                types.AddPartitionsToTxnResult,
                transactional_id=name,
                topic_results=_topics(call, results),
            )
            for name, results in told
        ),
    )
