"""WriteTxnMarkers (27), versions 1-2.

Behaviour: a transaction coordinator (or an administrator, to abort a hanging transaction) has
markers written into partitions that are led here; answered once all in-sync replicas have them.

Version notes: 2 tells which transaction.version the transaction is of (KIP-1228).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.transactions.transaction_values import Ending, ProducerIdAndEpoch
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest
from spindle.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: WriteTxnMarkersRequest,
    context: RequestContext[WriteTxnMarkersResponse],
) -> Later:
    """Write the markers."""
    _Writing(broker, request, context).begin()
    return LATER


class _Writing:
    """One request until every partition is settled."""

    def __init__(
        self,
        broker: Broker,
        request: WriteTxnMarkersRequest,
        context: RequestContext[WriteTxnMarkersResponse],
    ) -> None:
        self._broker = broker
        self._request = request
        self._context = context
        self._told: list[dict[TopicPartition, Error]] = [{} for _ in request.markers]
        self._left = 1

    def begin(self) -> None:
        for marker, told in zip(self._request.markers, self._told, strict=True):
            partitions = [
                TopicPartition(topic.name, number)
                for topic in marker.topics
                for number in topic.partition_indexes
            ]
            ending = Ending(
                transactional_id="",
                producer=ProducerIdAndEpoch(marker.producer_id, marker.producer_epoch),
                committed=marker.transaction_result,
                coordinator_epoch=marker.coordinator_epoch,
                partitions=tuple(partitions),
                version=marker.transaction_version,
            )
            for partition in partitions:
                self._left += 1
                self._broker.transactions.marking.write(
                    partition, ending, partial(self._settle, told, partition)
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
        self._context.answer(
            WriteTxnMarkersResponse(
                markers=tuple(
                    WritableTxnMarkerResult(producer_id=marker.producer_id, topics=_topics(told))
                    for marker, told in zip(self._request.markers, self._told, strict=True)
                )
            )
        )


def _topics(told: dict[TopicPartition, Error]) -> tuple[WritableTxnMarkerTopicResult, ...]:
    topics: dict[str, list[WritableTxnMarkerPartitionResult]] = {}
    for where, error in told.items():
        topics.setdefault(where.topic, []).append(
            WritableTxnMarkerPartitionResult(partition_index=where.partition, error_code=error)
        )
    return tuple(
        WritableTxnMarkerTopicResult(name=name, partitions=tuple(partitions))
        for name, partitions in topics.items()
    )
