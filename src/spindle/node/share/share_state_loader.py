"""Replays a partition of `__share_group_state` for a new coordinator.

Made and stopped by `node.share.share_coordinator_service`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.share.share_coordinator_shard import ShareCoordinatorShard
from spindle.model.ids import PartitionId
from spindle.node.broker_context import BrokerContext
from spindle.node.partition_reader import Readable, Reading
from spindle.node.share.share_state_records import from_bytes
from spindle.wire import batch as batches


class ShareStateLoader(Reading):
    """The reading of one partition."""

    def __init__(
        self,
        context: BrokerContext,
        replicas: Readable,
        id: PartitionId,
        coordinator: ShareCoordinatorShard,
        then: Callable[[], None],
    ) -> None:
        super().__init__(context, replicas, id, then)
        self._coordinator = coordinator

    def _replay(self, data: bytes) -> None:
        for batch in batches.split(data, partial=True):
            if batch.last_offset < self._next:
                continue
            if not batch.is_control:
                for record in batches.records(batch):
                    if record.key is None:
                        continue
                    self.records += 1
                    read = from_bytes(record.key, record.value)
                    if read is not None:
                        self._coordinator.replay(read, record.offset)
            self._next = batch.next_offset
