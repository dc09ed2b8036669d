"""DeleteRecords (21), versions 0-2.

Behaviour: for each partition that is led here, the log start moves up to the offset (-1: to the
high watermark, past which nothing may be deleted: OFFSET_OUT_OF_RANGE). Answered with the low
watermark once every replica that can be waited for has moved its start too, or REQUEST_TIMED_OUT;
the timeout (0, too) concerns the followers only.
Compacted topics that are not also deleted from refuse it (POLICY_VIOLATION). Of a partition that is
named more than once the last offset counts, and it has one answer, as in Apache Kafka.

Version notes: 2 is flexible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error, Refusal
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.delete_records_request import DeleteRecordsRequest
from spindle.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

TO_HIGH_WATERMARK: Final = -1
WAIT_MAX: Final = 600.0
"""Seconds that a deletion may wait for the followers at most, whatever it asks for."""


def on_broker(
    broker: Broker, request: DeleteRecordsRequest, context: RequestContext[DeleteRecordsResponse]
) -> Later:
    """Move the starts, then wait for the followers."""
    Deletion(broker, request, context).begin()
    return LATER


class Deletion:
    """One request until it is answered."""

    def __init__(
        self,
        broker: Broker,
        request: DeleteRecordsRequest,
        context: RequestContext[DeleteRecordsResponse],
    ) -> None:
        self._broker = broker
        self._request = request
        self._context = context
        self._asked = {
            (topic.name, partition.partition_index): partition.offset
            for topic in request.topics
            for partition in topic.partitions
        }
        """The offset for each partition: the last one that was named."""
        self._told: dict[tuple[str, int], tuple[Error, int]] = {}
        self._waits: dict[tuple[str, int], tuple[HostedPartition, tuple[int, int]]] = {}
        self._left = 1
        self._moving: set[tuple[str, int]] = set()
        """Partitions whose own log has not moved its start yet."""
        self._late = False

    def begin(self) -> None:
        """Begin with all partitions."""
        for key, offset in self._asked.items():
            self._left += 1
            try:
                self._delete(*key, offset)
            except Refusal as refusal:
                self._settle(key, refusal.error, -1)
        self._left -= 1
        if self._left:
            wait = min(max(self._request.timeout_ms, 0) / 1000, WAIT_MAX)
            if (
                wait and self._context.began is not None
            ):  # The whole waits once, from its beginning.
                wait = max(wait - (self._broker.out.now - self._context.began), 0.0)
            if wait:
                self._broker.replicas.purgatory.park(wait, self)
            else:
                self.on_deadline()
        else:
            self._answer()

    def on_deadline(self) -> None:
        """What has not been settled has timed out, once our own logs have moved their starts."""
        self._late = True
        if self._context.began is None:
            self._give_up()
        else:  # All parts of a large request have the same deadline.
            self._broker.out.in_turn(self._give_up)

    def _give_up(self) -> None:
        if self._moving or self._context.answered:
            return
        for hosted, wait in self._waits.values():
            hosted.delayed.at_start.discard(wait)
        self._left = 0
        self._answer()

    def _delete(self, topic: str, index: int, offset: int) -> None:
        replicas = self._broker.replicas
        hosted = replicas.partitions.leader(topic, index)
        if not isinstance(hosted, HostedPartition):
            raise Refusal(hosted)
        machine = hosted.partition
        if hosted.topic.compact and not hosted.topic.delete:
            raise Refusal(Error.POLICY_VIOLATION)
        if offset == TO_HIGH_WATERMARK:
            offset = machine.log.high_watermark
        if not 0 <= offset <= machine.log.high_watermark:
            raise Refusal(Error.OFFSET_OUT_OF_RANGE)
        key = (topic, index)

        def on_low(error: Error) -> None:
            low = machine.low_watermark if error == Error.NONE else -1
            self._settle(key, error, low)

        self._waits[key] = (hosted, hosted.delayed.at_start.add(offset, on_low))
        if offset > machine.log.start:
            self._moving.add(key)
            replicas.writes.move_start(hosted, offset, lambda: self._on_moved(key))
        else:
            hosted.settle_starts()

    def _on_moved(self, key: tuple[str, int]) -> None:
        self._moving.discard(key)
        if self._late:
            self._give_up()

    def _settle(self, key: tuple[str, int], error: Error, low: int) -> None:
        if key in self._told or self._context.answered:
            return
        self._told[key] = (error, low)
        self._left -= 1
        self._moving.discard(key)
        if self._left == 0:
            self._broker.replicas.purgatory.leave(self)
            self._answer()
        elif self._late:
            self._give_up()

    def _answer(self) -> None:
        def told(key: tuple[str, int]) -> DeleteRecordsPartitionResult:
            if key in self._told:
                error, low = self._told[key]
            else:
                hosted, _ = self._waits[key]
                error, low = Error.REQUEST_TIMED_OUT, hosted.partition.low_watermark
            return DeleteRecordsPartitionResult(
                partition_index=key[1],
                error_code=error,
                low_watermark=low,
            )

        told_by_now: set[tuple[str, int]] = set()
        topics = []
        for topic in self._request.topics:
            keys = [(topic.name, p.partition_index) for p in topic.partitions]
            first = [key for key in dict.fromkeys(keys) if key not in told_by_now]
            told_by_now.update(first)
            # A part keeps its topics: they are put together by their place.
            if first or not keys or self._context.began is not None:
                topics.append(
                    DeleteRecordsTopicResult(
                        name=topic.name, partitions=tuple(told(key) for key in first)
                    )
                )
        self._context.answer(DeleteRecordsResponse(topics=tuple(topics)))
