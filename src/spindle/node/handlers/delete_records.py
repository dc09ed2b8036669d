"""DeleteRecords (21), versions 0-2.

Behaviour: for each partition that is led here, the log start moves up to the offset (-1: to the
high watermark, past which nothing may be deleted: OFFSET_OUT_OF_RANGE). Answered with the low
watermark once every replica that can be waited for has moved its start too, or REQUEST_TIMED_OUT;
the timeout (0, too) concerns the followers only.
Compacted topics that are not also deleted from refuse it (POLICY_VIOLATION).

Version notes: 2 is flexible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.node.replicas.hosted import Hosted
from spindle.wire.entities import make, to_ms

if TYPE_CHECKING:
    from spindle.node.broker import Broker

TO_HIGH_WATERMARK: Final = -1
WAIT_MAX: Final = 600.0
"""Seconds that a deletion may wait for the followers at most, whatever it asks for."""


def on_broker(broker: Broker, call: Call) -> None:
    """Move the starts, then wait for the followers."""
    Deletion(broker, call).begin()


class Deletion:
    """One request until it is answered."""

    def __init__(self, broker: Broker, call: Call) -> None:
        self._broker = broker
        self._call = call
        self._told: dict[tuple[str, int], tuple[Error, int]] = {}
        self._waits: dict[tuple[str, int], tuple[Hosted, tuple[int, int]]] = {}
        self._left = 1
        self._moving: set[tuple[str, int]] = set()
        """Partitions whose own log has not moved its start yet."""
        self._late = False

    def begin(self) -> None:
        """Begin with all partitions."""
        for topic in self._call.body.topics:
            for asked in topic.partitions:
                self._left += 1
                try:
                    self._delete(topic.name, asked.partition_index, asked.offset)
                except Refusal as refusal:
                    self._settle((topic.name, asked.partition_index), refusal.error, -1)
        self._left -= 1
        if self._left:
            wait = min(max(to_ms(self._call.body.timeout), 0) / 1000, WAIT_MAX)
            if wait:
                self._broker.replicas.parking.park(wait, self)
            else:
                self.on_deadline()
        else:
            self._answer()

    def on_deadline(self) -> None:
        """What has not been settled has timed out, once our own logs have moved their starts."""
        self._late = True
        if self._moving or self._call.answered:
            return
        for hosted, wait in self._waits.values():
            hosted.at_start.discard(wait)
        self._left = 0
        self._answer()

    def _delete(self, topic: str, index: int, offset: int) -> None:
        replicas = self._broker.replicas
        hosted = replicas.leader(topic, index)
        if not isinstance(hosted, Hosted):
            raise Refusal(hosted)
        machine = hosted.partition
        if hosted.topic.compact and not hosted.topic.delete:
            raise Refusal(Error.POLICY_VIOLATION)
        if offset == TO_HIGH_WATERMARK:
            offset = machine.high_watermark
        if not 0 <= offset <= machine.high_watermark:
            raise Refusal(Error.OFFSET_OUT_OF_RANGE)
        key = (topic, index)

        def on_low(error: Error) -> None:
            low = machine.low_watermark if error == Error.NONE else -1
            self._settle(key, error, low)

        self._waits[key] = (hosted, hosted.at_start.add(offset, on_low))
        if offset > machine.start:
            self._moving.add(key)
            replicas.writes.move_start(hosted, offset, lambda: self._on_moved(key))
        else:
            hosted.settle_starts()

    def _on_moved(self, key: tuple[str, int]) -> None:
        self._moving.discard(key)
        if self._late:
            self.on_deadline()

    def _settle(self, key: tuple[str, int], error: Error, low: int) -> None:
        if key in self._told or self._call.answered:
            return
        self._told[key] = (error, low)
        self._left -= 1
        self._moving.discard(key)
        if self._left == 0:
            self._broker.replicas.parking.leave(self)
            self._answer()
        elif self._late:
            self.on_deadline()

    def _answer(self) -> None:
        types = self._call.reply

        def told(topic: str, index: int) -> Any:
            key = (topic, index)
            if key in self._told:
                error, low = self._told[key]
            else:
                hosted, _ = self._waits[key]
                error, low = Error.REQUEST_TIMED_OUT, hosted.partition.low_watermark
            return make(
                types.DeleteRecordsPartitionResult,
                partition_index=index,
                error_code=error,
                low_watermark=low,
            )

        topics = tuple(
            make(
                types.DeleteRecordsTopicResult,
                name=topic.name,
                partitions=tuple(told(topic.name, p.partition_index) for p in topic.partitions),
            )
            for topic in self._call.body.topics
        )
        self._call.answer(make(types.DeleteRecordsResponse, topics=topics))
