"""A deletion of records on its way: log starts move, then the followers are waited for.

Kafka's DelayedDeleteRecords. One request; it is answered once every replica that can be waited for
has moved its start, or when its time is up. Knows no messages: the handler of DeleteRecords makes
it and answers the client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from spindle.model.errors import Error, Refusal
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager

TO_HIGH_WATERMARK: Final = -1
WAIT_MAX: Final = 600.0
"""Seconds that a deletion may wait for the followers at most, whatever it asks for."""

Key: TypeAlias = tuple[str, int]
"""A topic, and a partition of it."""


class DeletedRecords(NamedTuple):
    """What became of one partition's share, and its low watermark."""

    error: Error
    low_watermark: int = -1


Deleted: TypeAlias = dict[Key, DeletedRecords]


@dataclass(slots=True, eq=False)
class DelayedDeleteRecords:
    """One request until it is answered: `then` gets what became of each partition."""

    _replicas: ReplicaManager
    _began: float | None
    """When the request began that this is a part of (s); None: this is all of it."""
    _then: Callable[[Deleted], None] | None
    _told: Deleted = field(default_factory=dict)
    _waits: dict[Key, tuple[HostedPartition, tuple[int, int]]] = field(default_factory=dict)
    _left: int = 1
    _moving: set[Key] = field(default_factory=set)
    """Partitions whose own log has not moved its start yet."""
    _late: bool = False

    def begin(self, offsets: Mapping[Key, int], timeout: float) -> None:
        """Have each partition's log begin at its offset; wait for so many seconds at most."""
        for key, offset in offsets.items():
            self._left += 1
            try:
                self._delete(key, offset)
            except Refusal as refusal:
                self._settle(key, DeletedRecords(refusal.error))
        self._left -= 1
        if not self._left:
            self._answer()
            return
        wait = min(max(timeout, 0.0), WAIT_MAX)
        if wait and self._began is not None:  # The whole waits once, from its beginning.
            wait = max(wait - (self._replicas.out.now - self._began), 0.0)
        if wait:
            self._replicas.purgatory.park(wait, self)
        else:
            self.on_deadline()

    def on_deadline(self) -> None:
        """What is not settled has timed out, once this broker's logs have moved their starts."""
        self._late = True
        if self._began is None:
            self._give_up()
        else:  # All parts of a large request have the same deadline.
            self._replicas.out.in_turn(self._give_up)

    def _give_up(self) -> None:
        if self._moving or self._then is None:
            return
        for key, (hosted, wait) in self._waits.items():
            hosted.delayed.at_start.discard(wait)
            if key not in self._told:
                low = hosted.partition.low_watermark
                self._told[key] = DeletedRecords(Error.REQUEST_TIMED_OUT, low)
        self._answer()

    def _delete(self, key: Key, offset: int) -> None:
        hosted = self._replicas.partitions.leader(*key)
        if not isinstance(hosted, HostedPartition):
            raise Refusal(hosted)
        log = hosted.partition.log
        if hosted.topic.compact and not hosted.topic.delete:
            raise Refusal(Error.POLICY_VIOLATION)
        if offset == TO_HIGH_WATERMARK:
            offset = log.high_watermark
        if not 0 <= offset <= log.high_watermark:
            raise Refusal(Error.OFFSET_OUT_OF_RANGE)

        def on_low(error: Error) -> None:
            low = hosted.partition.low_watermark if error == Error.NONE else -1
            self._settle(key, DeletedRecords(error, low))

        self._waits[key] = (hosted, hosted.delayed.at_start.add(offset, on_low))
        if offset > log.start:
            self._moving.add(key)
            self._replicas.writes.move_start(hosted, offset, partial(self._on_moved, key))
        else:
            hosted.settle_starts()

    def _on_moved(self, key: Key) -> None:
        self._moving.discard(key)
        if self._late:
            self._give_up()

    def _settle(self, key: Key, deleted: DeletedRecords) -> None:
        if key in self._told or self._then is None:
            return
        self._told[key] = deleted
        self._left -= 1
        self._moving.discard(key)
        if self._left == 0:
            self._replicas.purgatory.leave(self)
            self._answer()
        elif self._late:
            self._give_up()

    def _answer(self) -> None:
        then, self._then = self._then, None
        assert then is not None, "it is answered once"
        then(self._told)
