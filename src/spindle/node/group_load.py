"""Reads a partition of `__consumer_offsets` to its end for a new coordinator.

One read at a time, each of bounded size; a failed one is repeated after a while for as long as we
lead. Offsets that were committed in a transaction count at its marker (KIP-98): Apache Kafka's
brokers write such. Made and stopped by `node.groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from spindle.core.groups.coordinator import Coordinator
from spindle.core.groups.values import CoordinatorRecord
from spindle.model.batches import Batch, Record
from spindle.model.errors import Corrupt, Error
from spindle.model.ids import PartitionId
from spindle.model.jobs import ReadResult
from spindle.node.group_records import from_bytes
from spindle.wire import batch as batches
from spindle.wire.control import EndTransactionMarker, decode_control

if TYPE_CHECKING:
    from spindle.node.broker import Broker

STEP: Final = 1 << 18
"""Bytes of one read: replayed in a few milliseconds, so that others are served in between."""
RETRY: Final = 0.5
"""Seconds before a failed read is tried again."""


class Load:
    """One loading. `then` runs once, at the end of the log; never after `stop`."""

    def __init__(
        self,
        broker: Broker,
        id: PartitionId,
        coordinator: Coordinator,
        then: Callable[[], None],
    ) -> None:
        self.records = 0
        self._broker = broker
        self._id = id
        self._coordinator = coordinator
        self._then: Callable[[], None] | None = then
        self._next = 0
        self._held: dict[int, list[CoordinatorRecord]] = {}
        """Records of open transactions, by producer id."""

    def start(self) -> None:
        """Read on from where we are."""
        if self._then is not None:
            self._broker.replicas.read(self._id, self._next, STEP, self._on_read)

    def stop(self) -> None:
        """We do not lead any more."""
        self._then = None

    def _on_read(self, result: ReadResult | Error) -> None:
        if self._then is None:
            return
        if isinstance(result, Error):
            self._broker.out.after(RETRY, self.start)
            return
        before = self._next
        if result.data:
            self._replay(result.data)
        self._next = max(self._next, result.start)
        if self._next >= result.end or (not result.data and self._next == before):
            then, self._then = self._then, None
            then()
        else:
            self.start()

    def _replay(self, data: bytes) -> None:
        for batch in batches.split(data, partial=True):
            if batch.last_offset < self._next:
                continue
            try:
                self._take(batch)
            except Corrupt as error:
                # One unreadable batch must not make all groups of the partition unreachable.
                self._broker.out.say(
                    "error",
                    "group records skipped",
                    partition=self._id.partition,
                    offset=batch.base_offset,
                    reason=str(error),
                )
            self._next = batch.next_offset

    def _take(self, batch: Batch) -> None:
        if batch.is_control:
            self._end_transaction(batch)
        elif batch.is_transactional:
            self._held.setdefault(batch.producer_id, []).extend(self._read(batch))
        else:
            for record in self._read(batch):
                self._coordinator.replay(record)

    def _end_transaction(self, batch: Batch) -> None:
        for record in batches.records(batch):
            marker = decode_control(record)
            held = self._held.pop(batch.producer_id, [])
            if isinstance(marker, EndTransactionMarker) and marker.committed:
                for kept in held:
                    self._coordinator.replay(kept)

    def _read(self, batch: Batch) -> Iterator[CoordinatorRecord]:
        for raw in batches.records(batch):
            record = self._decode(raw)
            if record is not None and raw.offset >= self._next:
                self.records += 1
                yield record

    def _decode(self, raw: Record) -> CoordinatorRecord | None:
        return None if raw.key is None else from_bytes(raw.key, raw.value, raw.offset)
