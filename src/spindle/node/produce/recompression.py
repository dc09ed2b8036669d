"""A produced batch in the compression that its topic wants (compression.type).

Used by `delayed_produce`. The records stay as they are, byte by byte, and so does the rest of the
batch; a batch that has the topic's compression already is not touched, whatever its level. Records
are read on the way, as Apache Kafka does, so that what is broken is refused and not packed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from spindle.model.batches import COMPRESSION_MASK, LOG_APPEND_TIME, RecordBatch
from spindle.model.computing import SteppedWork
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.node.replicas.topic_rules import Packing
from spindle.wire import batch as codec
from spindle.wire.records import Slice


def recompression(
    batch: RecordBatch, packing: Packing | None, look: SteppedWork | None
) -> Recompression | None:
    """What brings the batch into the topic's compression, behind a look; None: it has it."""
    if packing is None or batch.attributes & COMPRESSION_MASK == packing.codec:
        return None
    return Recompression(batch, packing, look)


class Recompression:
    """A batch on its way into another compression. `batch`: once all steps are done, that one."""

    brief = False

    def __init__(self, batch: RecordBatch, packing: Packing, look: SteppedWork | None) -> None:
        self.batch = batch
        self._packing = packing
        self._look = look
        self._body = b""
        self._slices: Iterator[Slice] | None = None
        self._left = batch.record_count
        self._newest = batch.max_timestamp
        self._index = 0
        self._seen = 0

    def take_seen(self) -> int:
        """How many records were looked at; a large record counts as one for each kilobyte."""
        seen, self._seen = self._seen, 0
        return seen + (self._look.take_seen() if self._look is not None else 0)

    def step(self, most: int) -> bool:
        """Look at so many more records, then pack them. Refusal for what is not taken."""
        if self._look is not None:
            if self._look.step(most):
                self._seen += self._look.take_seen()
                self._look = None
            return False
        try:
            return self._step(most)
        except Corrupt as corrupt:
            raise Refusal(Error.INVALID_RECORD, str(corrupt)) from None

    def _step(self, most: int) -> bool:
        if self._slices is None:
            self._body, self._slices = codec.unpacked_slices(self.batch)
            if not self.batch.attributes & LOG_APPEND_TIME:
                self._newest = -1
        # One more than there are: the end is where what is left behind it is found.
        count = most if most < self._left else self._left + 1
        for record in islice(self._slices, count):
            self._judge(record)
        self._left -= min(count, self._left)
        if count == most:
            return False
        self._seen += max(0, (len(self._body) >> 10) - self.batch.record_count)
        packing = self._packing
        self.batch = codec.packed_anew(
            self.batch, self._body, self._newest, packing.codec, packing.level
        )
        return True

    def _judge(self, record: Slice) -> None:
        if record.offset_delta != self._index:
            raise Corrupt(f"record {self._index} of a batch says that it is {record.offset_delta}")
        self._index += 1
        self._seen += 1
        if not self.batch.attributes & LOG_APPEND_TIME:
            timestamp = self.batch.base_timestamp + record.timestamp_delta
            self._newest = max(self._newest, timestamp)
