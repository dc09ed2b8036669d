"""Replays a partition of `__consumer_offsets` for a new coordinator.

Offsets that were committed in a transaction count at its marker (KIP-98); those of which the marker
is still to come are left to the coordinator. Made and stopped by `node.groups`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import CoordinatorRecord, OffsetRecord
from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Corrupt
from spindle.model.ids import PartitionId
from spindle.node.broker_context import BrokerContext
from spindle.node.groups.group_records import from_bytes
from spindle.node.partition_reader import Readable, Reading
from spindle.wire import batch as batches
from spindle.wire.control import marker_of


class GroupLoader(Reading):
    """The reading of one partition."""

    def __init__(
        self,
        context: BrokerContext,
        replicas: Readable,
        id: PartitionId,
        coordinator: GroupCoordinatorShard,
        then: Callable[[], None],
    ) -> None:
        super().__init__(context, replicas, id, then)
        self._coordinator = coordinator

    def _replay(self, data: bytes) -> None:
        latest: dict[bytes, Record] = {}
        for batch in batches.split(data, partial=True):
            if batch.last_offset < self._next:
                continue
            try:
                self._take(batch, latest)
            except Corrupt as error:
                # One unreadable batch must not make all groups of the partition unreachable.
                self._skipped(batch.base_offset, error)
            self._next = batch.next_offset
        self._flush(latest)

    def _take(self, batch: RecordBatch, latest: dict[bytes, Record]) -> None:
        """Note the last record of each key: most commits are overtaken within the same read."""
        if batch.is_control:
            self._flush(latest)
            self._end_transaction(batch)
            return
        for record in batches.records(batch):
            if record.key is None or record.offset < self._next:
                continue
            self.records += 1
            if batch.is_transactional:
                self._hold(batch.producer_id, record)
                continue
            latest[record.key] = record
            if record.value is None:
                # It also removes what transactions hold: no later record stands in for that.
                self._flush({record.key: latest.pop(record.key)})

    def _hold(self, producer_id: int, raw: Record) -> None:
        record = self._read(raw)
        if isinstance(record, OffsetRecord) and record.value is not None:
            self._coordinator.hold(producer_id, record, raw.offset)

    def _end_transaction(self, batch: RecordBatch) -> None:
        marker = marker_of(batch)
        if marker is not None:
            at = batch.base_offset
            self._coordinator.on_marker(batch.producer_id, at, marker.committed)

    def _flush(self, latest: dict[bytes, Record]) -> None:
        for raw in latest.values():
            record = self._read(raw)
            if record is not None:
                self._coordinator.replay(record, raw.offset)
        latest.clear()

    def _read(self, raw: Record) -> CoordinatorRecord | None:
        assert raw.key is not None
        try:
            return from_bytes(raw.key, raw.value, raw.offset)
        except Corrupt as error:
            self._skipped(raw.offset, error)
            return None
