"""Reads a partition that is led here from its beginning to its end, for a new coordinator.

One read at a time, each of bounded size; a failed one is repeated after a while for as long as we
lead. The base of `groups.loading` and `transactions.loading`, which know what the records mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import PartitionId
from spindle.model.jobs import ReadResult
from spindle.node.broker_context import BrokerContext

STEP: Final = 1 << 17
"""Bytes of one read: replayed in some ten milliseconds, and others are served in between."""
RETRY: Final = 0.5
"""Seconds before a failed read is tried again."""
RETRY_CORRUPT: Final = 30.0
"""Seconds before bytes that cannot be understood are looked at again."""


class Readable(Protocol):
    """Where records are read: the replicas."""

    def read(
        self,
        id: PartitionId,
        offset: int,
        max_bytes: int,
        then: Callable[[ReadResult | Error], None],
    ) -> None:
        """Read whole batches up to the log's end."""


class Reading:
    """One reading. `then` runs once, at the end of the log; never after `stop`."""

    def __init__(
        self, context: BrokerContext, replicas: Readable, id: PartitionId, then: Callable[[], None]
    ) -> None:
        self.records = 0
        """How many were replayed."""
        self._context = context
        self._replicas = replicas
        self._id = id
        self._then: Callable[[], None] | None = then
        self._next = 0

    def start(self) -> None:
        """Read on from where we are."""
        if self._then is not None:
            self._replicas.read(self._id, self._next, STEP, self._on_read)

    def stop(self) -> None:
        """We do not lead any more."""
        self._then = None

    def _replay(self, data: bytes) -> None:
        """Take in whole batches, and move `_next` behind each."""
        raise NotImplementedError

    def _on_read(self, result: ReadResult | Error) -> None:
        if self._then is None:
            return
        if isinstance(result, Error):
            self._context.out.after(RETRY, self.start)
            return
        before = self._next
        try:
            self._replay(bytes(result.data))
        except (Corrupt, Refusal) as error:
            # What is on disk are no batches: rather no coordinator than a wrong one.
            self._skipped(self._next, error)
            self._context.out.after(RETRY_CORRUPT, self.start)
            return
        self._next = max(self._next, result.start)
        if self._next >= result.end or (not result.data and self._next == before):
            then, self._then = self._then, None
            then()
        else:
            self.start()

    def _skipped(self, offset: int, error: Exception) -> None:
        self._context.out.say(
            "error",
            "a coordinator's records cannot be read",
            partition=str(self._context.image.name_of(self._id)),
            offset=offset,
            reason=str(error),
        )
