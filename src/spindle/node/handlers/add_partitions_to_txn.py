"""AddPartitionsToTxn (24), versions 0-5.

Behaviour: partitions take part in a producer's transaction once that is committed in
`__transaction_state`. All of a transaction or none: one that does not exist gets its error, the
others OPERATION_NOT_ATTEMPTED.

Version notes: before 2 PRODUCER_FENCED becomes INVALID_PRODUCER_EPOCH; from 4 on brokers ask,
for many transactions at once, or only verify that partitions take part (KIP-890).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.topology import exists
from spindle.wire.codec import Whole
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from spindle.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

BATCHED_FROM: Final = 4
FENCED_FROM: Final = 2

Results = dict[TopicPartition, Error]


def on_broker(
    broker: Broker,
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
) -> Later:
    """Add or verify partitions."""
    seen = context.survey if isinstance(context.survey, RequestedPartitions) else None
    if context.version < BATCHED_FROM:
        _RequestedTransaction(
            broker,
            context.version,
            request.v3_and_below_transactional_id,
            ProducerIdAndEpoch(
                request.v3_and_below_producer_id, request.v3_and_below_producer_epoch
            ),
            request.v3_and_below_topics,
            False,
            None if seen is None else seen.of_one(request),
        ).run(lambda results: context.answer(_old(results)))
        return LATER
    told: dict[int, tuple[str, Results]] = {}

    def settle(place: int, name: str, results: Results) -> None:
        told[place] = (name, results)
        if len(told) == len(request.transactions):
            context.answer(_batched(told))

    if not request.transactions:
        context.answer(_batched(told))
    for place, t in enumerate(request.transactions):
        asked = _RequestedTransaction(
            broker,
            context.version,
            t.transactional_id,
            ProducerIdAndEpoch(t.producer_id, t.producer_epoch),
            t.topics,
            t.verify_only,
            None if seen is None else seen.of(t),
        )
        asked.run(partial(settle, place, t.transactional_id))
    return LATER


def refuse(
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
    error: Error,
    message: str,
) -> AddPartitionsToTxnResponse:
    """The error as a whole, where there is a place for it."""
    if context.version >= BATCHED_FROM:
        return AddPartitionsToTxnResponse(error_code=error)
    return _old(dict.fromkeys(_partitions(request.v3_and_below_topics), error))


class _Seen:
    """All that a request which is served in parts adds to one transaction: all or none take part.

    The first part adds those of all; the others get the same.
    """

    __slots__ = ("error", "partitions", "some_unknown")

    def __init__(self) -> None:
        self.partitions: list[TopicPartition] = []
        self.some_unknown = False
        self.error: Error | None = None
        """What became of them, once that is known."""


class RequestedPartitions:
    """All partitions of a request that is served in parts, by transaction and producer."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int, int], _Seen] = {}

    def of(self, t: AddPartitionsToTxnTransaction) -> _Seen:
        """Those of one of several transactions."""
        return self._of(t.transactional_id, t.producer_id, t.producer_epoch)

    def of_one(self, request: AddPartitionsToTxnRequest) -> _Seen:
        """Those of the one transaction that a request of an old version is about."""
        return self._of(
            request.v3_and_below_transactional_id,
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
        )

    def _of(self, name: str, producer_id: int, producer_epoch: int) -> _Seen:
        return self._seen.setdefault((name, producer_id, producer_epoch), _Seen())

    def take(self, broker: Broker, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, AddPartitionsToTxnRequest)
        for t in request.transactions:
            if not t.verify_only:
                self._take(broker, self.of(t), t.topics)
        if request.v3_and_below_topics:
            self._take(broker, self.of_one(request), request.v3_and_below_topics)

    def _take(self, broker: Broker, seen: _Seen, topics: Sequence[AddPartitionsToTxnTopic]) -> None:
        more = _partitions(topics)
        seen.partitions += more
        seen.some_unknown = seen.some_unknown or not all(exists(broker.image, p) for p in more)


class _RequestedTransaction:
    """One transaction of a request."""

    def __init__(
        self,
        broker: Broker,
        version: int,
        name: str,
        producer: ProducerIdAndEpoch,
        topics: Sequence[AddPartitionsToTxnTopic],
        verifies: bool,
        seen: _Seen | None = None,
    ) -> None:
        self._broker = broker
        self._version = version
        self._name = name
        self._producer = producer
        self._partitions = _partitions(topics)
        self._verifies = verifies
        self._seen = seen

    def run(self, then: Callable[[Results], None]) -> None:
        """`then` gets an error for each partition."""

        def all_of(error: Error) -> None:
            if error is Error.PRODUCER_FENCED and self._version < FENCED_FROM:
                error = Error.INVALID_PRODUCER_EPOCH
            then(dict.fromkeys(self._partitions, error))

        def added(error: Error) -> None:
            if seen is not None:
                seen.error = error
            all_of(error)

        seen = self._seen
        if seen is not None and seen.error is not None:
            all_of(seen.error)
            return
        try:
            coordinator = self._broker.transactions.coordinator(self._name)
            if self._verifies:
                coordinator.verify(self._name, self._producer, self._partitions, then)
                return
            image = self._broker.image
            unknown = {p for p in self._partitions if not exists(image, p)}
            if unknown or (seen is not None and seen.some_unknown):
                then(
                    {
                        p: Error.UNKNOWN_TOPIC_OR_PARTITION
                        if p in unknown
                        else Error.OPERATION_NOT_ATTEMPTED
                        for p in self._partitions
                    }
                )
                return
            bumps = self._version >= BATCHED_FROM
            partitions = self._partitions if seen is None else seen.partitions
            coordinator.add(self._name, self._producer, partitions, bumps, added)
        except Refusal as refusal:
            all_of(refusal.error)


def _partitions(topics: Sequence[AddPartitionsToTxnTopic]) -> list[TopicPartition]:
    return [TopicPartition(topic.name, number) for topic in topics for number in topic.partitions]


def _topics(results: Results) -> tuple[AddPartitionsToTxnTopicResult, ...]:
    topics: dict[str, list[AddPartitionsToTxnPartitionResult]] = {}
    for partition, error in results.items():
        topics.setdefault(partition.topic, []).append(
            AddPartitionsToTxnPartitionResult(
                partition_index=partition.partition, partition_error_code=error
            )
        )
    return tuple(
        AddPartitionsToTxnTopicResult(name=name, results_by_partition=tuple(told))
        for name, told in topics.items()
    )


def _old(results: Results) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_topics(results))


def _batched(told: Mapping[int, tuple[str, Results]]) -> AddPartitionsToTxnResponse:
    in_order = [told[place] for place in sorted(told)]
    return AddPartitionsToTxnResponse(
        results_by_transaction=tuple(
            AddPartitionsToTxnResult(transactional_id=name, topic_results=_topics(results))
            for name, results in in_order
        ),
    )
