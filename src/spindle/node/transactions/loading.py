"""Reads a partition of `__transaction_state` to its end for a new coordinator.

One read at a time, each of bounded size; a failed one is repeated after a while for as long as we
lead. Of each id only the last record of a read counts. Made and stopped by `node.transactions`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from spindle.core.transactions.coordinator import Coordinator
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import PartitionId
from spindle.model.jobs import ReadResult
from spindle.node.transactions.records import from_bytes
from spindle.wire import batch as batches

if TYPE_CHECKING:
    from spindle.node.broker import Broker

STEP: Final = 1 << 17
"""Bytes of one read."""
RETRY: Final = 0.5
"""Seconds before a failed read is tried again."""
RETRY_CORRUPT: Final = 30.0
"""Seconds before bytes that cannot be understood are looked at again."""


class Load:
    """One loading. `then` runs once, at the end of the log; never after `stop`."""

    def __init__(
        self, broker: Broker, id: PartitionId, coordinator: Coordinator, then: Callable[[], None]
    ) -> None:
        self.records = 0
        self._broker = broker
        self._id = id
        self._coordinator = coordinator
        self._then: Callable[[], None] | None = then
        self._next = 0

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
        try:
            self._replay(result.data)
        except (Corrupt, Refusal) as error:
            # Rather no transactions than a wrong decision: an open one stays open meanwhile.
            self._broker.out.say(
                "error",
                "transaction records cannot be read",
                partition=self._id.partition,
                offset=self._next,
                reason=str(error),
            )
            self._broker.out.after(RETRY_CORRUPT, self.start)
            return
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
            if not batch.is_control:
                for record in batches.records(batch):
                    if record.key is None:
                        continue
                    self.records += 1
                    read = from_bytes(record.key, record.value)
                    if read is not None:
                        self._coordinator.replay(read)
            self._next = batch.next_offset
