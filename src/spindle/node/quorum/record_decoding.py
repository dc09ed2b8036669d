"""The records of committed metadata batches, decoded in turns where they are many (S-08).

Ten thousand of them, which a single large topic has, take longer than others may wait. Used by
`quorum` before it applies a batch, which then counts as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from spindle.model.batches import RecordBatch
from spindle.model.errors import Corrupt
from spindle.model.metadata_records import MetadataRecord
from spindle.model.outbox import Outbox
from spindle.node.quorum.metadata_log import Cached
from spindle.wire import batch as codec
from spindle.wire.metadata import decode_record

AT_ONCE: Final = 1_000
"""Records decoded before others have their turn: some milliseconds."""
_OVER: Final = object()


class Decoding:
    """Decodes what others have written; what this node has written itself it still knows."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self.at_once = AT_ONCE
        """How many records are decoded in a turn."""
        self.rest = 0.0
        """Seconds between two turns at least."""

    def in_turns(self, batches: Sequence[Cached], then: Callable[[list[Cached]], None]) -> bool:
        """Have them decoded, and give them to `then`; False, and nothing, where they are few."""
        many = sum(batch.record_count for batch, records in batches if records is None)
        if many <= self.at_once:
            return False
        done: list[Cached] = []
        self._go_on(self._decode(batches, done), partial(then, done))
        return True

    def _go_on(self, work: Iterator[None], then: Callable[[], None]) -> None:
        if next(work, _OVER) is _OVER:
            then()
        else:
            self._out.after(self.rest, partial(self._go_on, work, then))

    def _decode(self, batches: Sequence[Cached], done: list[Cached]) -> Iterator[None]:
        """Ends its turn with each yield."""
        seen = 0
        for cached in batches:
            batch, known = cached
            if known is None:
                found: list[MetadataRecord] = []
                try:
                    for record in records_of(batch):
                        found.append(record)
                        seen += 1
                        if seen % self.at_once == 0:
                            yield
                except Corrupt:
                    done.append(cached)  # Applying it finds the same, and reports it.
                    continue
                known = tuple(found)
            done.append(Cached(batch, known))


def records_of(batch: RecordBatch) -> Iterator[MetadataRecord]:
    """The metadata records of a batch; none of a control batch. Corrupt as they are met."""
    if not batch.is_control:
        for record in codec.records(batch):
            if record.value is not None:
                yield decode_record(record.value)
