"""What a consumer makes of the records of a Fetch answer: all, or those that are committed.

As Kafka's clients do: control batches are passed over; a reader of committed records leaves out the
batches of producers that the answer names as aborted, until their marker comes (KIP-98).
"""

from __future__ import annotations

from collections.abc import Iterator

from spindle.model.batches import EndTransactionMarker, RecordBatch
from spindle.wire.batch import check, records, split
from spindle.wire.codec import one_buffer
from spindle.wire.control import decode_control
from spindle.wire.messages.fetch_response import PartitionData


def visible(told: PartitionData) -> Iterator[tuple[RecordBatch, dict[int, bytes]]]:
    """Every whole batch of a partition's answer, and the records that its reader may see."""
    waiting = sorted((a.first_offset, a.producer_id) for a in told.aborted_transactions or ())
    aborted: set[int] = set()
    for batch in split(one_buffer(told.records or b""), partial=True):
        check(batch)
        while waiting and waiting[0][0] <= batch.last_offset:
            aborted.add(waiting.pop(0)[1])
        found: dict[int, bytes] = {}
        if batch.is_control:
            marker = decode_control(next(iter(records(batch))))
            if isinstance(marker, EndTransactionMarker) and not marker.committed:
                aborted.discard(batch.producer_id)
        elif not (batch.is_transactional and batch.producer_id in aborted):
            for record in records(batch):
                assert record.value is not None
                found[record.offset] = record.value
        yield batch, found
