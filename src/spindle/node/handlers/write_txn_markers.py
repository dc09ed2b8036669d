"""WriteTxnMarkers (27), versions 1-2.

Behaviour: a transaction coordinator (or an administrator who aborts a hanging transaction) has
markers written into partitions that are led here; answered once all in-sync replicas have them.

Version notes: 2 tells which transaction.version the transaction is of (KIP-1228).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spindle.core.transactions.values import Ending, Producer
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Write the markers."""
    _Writing(broker, call).begin()


class _Writing:
    """One request until every partition is settled."""

    def __init__(self, broker: Broker, call: Call) -> None:
        self._broker = broker
        self._call = call
        self._told: list[dict[TopicPartition, Error]] = [{} for _ in call.body.markers]
        self._left = 1

    def begin(self) -> None:
        for marker, told in zip(self._call.body.markers, self._told, strict=True):
            partitions = [
                TopicPartition(topic.name, number)
                for topic in marker.topics
                for number in topic.partition_indexes
            ]
            ending = Ending(
                transactional_id="",
                producer=Producer(marker.producer_id, marker.producer_epoch),
                committed=marker.transaction_result,
                coordinator_epoch=marker.coordinator_epoch,
                partitions=tuple(partitions),
                version=getattr(marker, "transaction_version", 0),
            )
            for partition in partitions:
                self._left += 1
                self._broker.transactions.marking.write(
                    partition,
                    ending,
                    partial(self._settle, told, partition),
                )
        self._finish()

    def _settle(
        self, told: dict[TopicPartition, Error], where: TopicPartition, error: Error
    ) -> None:
        told[where] = error
        self._finish()

    def _finish(self) -> None:
        self._left -= 1
        if self._left:
            return
        types = self._call.reply
        self._call.answer(
            make(
                types.WriteTxnMarkersResponse,
                markers=tuple(
                    make(
                        types.WritableTxnMarkerResult,
                        producer_id=marker.producer_id,
                        topics=_topics(types, told),
                    )
                    for marker, told in zip(self._call.body.markers, self._told, strict=True)
                ),
            )
        )


def _topics(types: Any, told: dict[TopicPartition, Error]) -> tuple[Any, ...]:
    topics: dict[str, list[Any]] = {}
    for where, error in told.items():
        topics.setdefault(where.topic, []).append(
            make(
                types.WritableTxnMarkerPartitionResult,
                partition_index=where.partition,
                error_code=error,
            )
        )
    return tuple(
        make(types.WritableTxnMarkerTopicResult, name=name, partitions=tuple(partitions))
        for name, partitions in topics.items()
    )
