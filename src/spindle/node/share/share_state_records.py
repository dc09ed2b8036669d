"""Between the share coordinator's records and those of `__share_group_state`.

Used by `node.share` when it writes and when it loads.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.core.share.share_values import (
    SharePartitionKey,
    ShareRecord,
    ShareState,
    SnapshotRecord,
    StateBatch,
    UpdateRecord,
)
from spindle.model.batches import Buffer
from spindle.model.ids import ZERO_ID
from spindle.node.groups.group_records import KeyValue
from spindle.wire import stored
from spindle.wire.share_coordinator import decode_share_state, encode_snapshot, encode_update


def to_bytes(record: ShareRecord) -> KeyValue:
    """A record as it is appended."""
    key = stored.ShareStateKey(*record.key)
    if isinstance(record, UpdateRecord):
        update = stored.ShareUpdateValue(
            snapshot_epoch=record.snapshot_epoch,
            leader_epoch=record.leader_epoch,
            start_offset=record.start_offset,
            complete=record.complete,
            batches=_written(record.batches),
        )
        return KeyValue(*encode_update(key, update))
    state = record.value
    if state is None:
        return KeyValue(*encode_snapshot(key, None))
    snapshot = stored.ShareSnapshotValue(
        snapshot_epoch=state.snapshot_epoch,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        complete=state.complete,
        created_ms=state.created_ms,
        written_ms=state.written_ms,
        batches=_written(state.batches),
    )
    return KeyValue(*encode_snapshot(key, snapshot))


def from_bytes(key: Buffer, value: Buffer | None) -> ShareRecord | None:
    """A record as it was read; None for kinds that we do not know. Corrupt."""
    read = decode_share_state(key, value)
    if read is None:
        return None
    found, content = read
    name = SharePartitionKey(found.group, found.topic_id or ZERO_ID, found.partition)
    if content is None:
        return SnapshotRecord(name, None)
    batches = tuple(StateBatch(b.first, b.last, b.state, b.count) for b in content.batches)
    if isinstance(content, stored.ShareUpdateValue):
        return UpdateRecord(
            key=name,
            snapshot_epoch=content.snapshot_epoch,
            leader_epoch=content.leader_epoch,
            start_offset=content.start_offset,
            complete=content.complete,
            batches=batches,
        )
    state = ShareState(
        snapshot_epoch=content.snapshot_epoch,
        state_epoch=content.state_epoch,
        leader_epoch=content.leader_epoch,
        start_offset=content.start_offset,
        complete=content.complete,
        created_ms=content.created_ms,
        written_ms=content.written_ms,
        batches=batches,
    )
    return SnapshotRecord(name, state)


def _written(batches: Iterable[StateBatch]) -> tuple[stored.ShareBatchValue, ...]:
    return tuple(stored.ShareBatchValue(*batch) for batch in batches)
