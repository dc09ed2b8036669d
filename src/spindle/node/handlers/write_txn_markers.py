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
from spindle.model.ids import TopicPartition, by_topic
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WriteTxnMarkersRequest,
)
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
    endings = [_ending(marker) for marker in request.markers]
    places = [(n, where) for n, ending in enumerate(endings) for where in ending.partitions]

    def respond(errors: dict[int, Error]) -> None:
        told: list[dict[TopicPartition, Error]] = [{} for _ in endings]
        for place, (number, where) in enumerate(places):
            told[number][where] = errors[place]
        context.answer(_respond(request, told))

    gathering = Gathering[int, Error](range(len(places)), respond)
    for place, (number, where) in enumerate(places):
        then = partial(gathering.settle, place)
        broker.transactions.marking.write(where, endings[number], then)
    return LATER


def _ending(marker: WritableTxnMarker) -> Ending:
    return Ending(
        transactional_id="",
        producer=ProducerIdAndEpoch(marker.producer_id, marker.producer_epoch),
        committed=marker.transaction_result,
        coordinator_epoch=marker.coordinator_epoch,
        partitions=tuple(
            TopicPartition(topic.name, number)
            for topic in marker.topics
            for number in topic.partition_indexes
        ),
        version=marker.transaction_version,
    )


def _respond(
    request: WriteTxnMarkersRequest, told: list[dict[TopicPartition, Error]]
) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        markers=tuple(
            WritableTxnMarkerResult(producer_id=marker.producer_id, topics=_topics(errors))
            for marker, errors in zip(request.markers, told, strict=True)
        )
    )


def _topics(errors: dict[TopicPartition, Error]) -> tuple[WritableTxnMarkerTopicResult, ...]:
    return tuple(
        WritableTxnMarkerTopicResult(
            name=name,
            partitions=tuple(
                WritableTxnMarkerPartitionResult(partition_index=number, error_code=error)
                for number, error in told
            ),
        )
        for name, told in by_topic(errors.items()).items()
    )


def refuse(
    request: WriteTxnMarkersRequest,
    context: RequestContext[WriteTxnMarkersResponse],
    error: Error,
    message: str,
) -> WriteTxnMarkersResponse:
    """The error at each partition."""
    endings = map(_ending, request.markers)
    return _respond(request, [dict.fromkeys(each.partitions, error) for each in endings])
