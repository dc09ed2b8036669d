"""Between the group machine's records and those of `__consumer_offsets`.

The machine may not know bytes and wire may not know the machine; here they meet. Used by
`node.groups` when it writes and by `node.groups.group_loader` when it reads.
"""

from __future__ import annotations

from typing import NamedTuple

from spindle.core.groups.group_values import (
    Committed,
    CoordinatorRecord,
    GroupRecord,
    OffsetRecord,
    StoredGroup,
    StoredMember,
)
from spindle.core.groups.share_group_values import OfShareGroup
from spindle.model.batches import Buffer
from spindle.model.ids import TopicPartition
from spindle.node.groups.consumer_group_records import from_wire, to_pair
from spindle.node.groups.share_group_records import from_share_wire, to_share_pair
from spindle.wire import coordinator as wire
from spindle.wire.consumer_coordinator import decode_consumer_record
from spindle.wire.share_coordinator import decode_share_group_record


class KeyValue(NamedTuple):
    """A record's bytes; a value None is a tombstone."""

    key: bytes
    value: bytes | None


def to_bytes(record: CoordinatorRecord) -> KeyValue:
    """A record as it is appended."""
    if isinstance(record, OffsetRecord):
        value = None if record.value is None else _offset_value(record.value)
        topic, partition = record.partition
        return KeyValue(*wire.encode_offset(record.group_id, topic, partition, value))
    if isinstance(record, OfShareGroup):
        return KeyValue(*to_share_pair(record))
    if not isinstance(record, GroupRecord):
        return KeyValue(*to_pair(record))
    group = None if record.value is None else _group_value(record.value)
    return KeyValue(*wire.encode_group(record.group_id, group))


def from_bytes(key: Buffer, value: Buffer | None, at: int) -> CoordinatorRecord | None:
    """A record as it was read at offset `at`; None for kinds we do not serve. Corrupt if broken."""
    consumers = decode_consumer_record(wire.key_type(key), key, value)
    if consumers is not None:
        return from_wire(consumers)
    shares = decode_share_group_record(wire.key_type(key), key, value)
    if shares is not None:
        return from_share_wire(shares)
    record = wire.decode_coordinator_record(key, value)
    if record is None:
        return None
    if isinstance(record, wire.OffsetCommit):
        where = TopicPartition(record.key.topic, record.key.partition)
        committed = None if record.value is None else _committed(record.value, at)
        return OffsetRecord(record.key.group, where, committed)
    stored = None if record.value is None else _stored_group(record.value)
    return GroupRecord(record.key.group, stored)


def _offset_value(value: Committed) -> wire.OffsetValue:
    return wire.OffsetValue(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_timestamp=value.commit_ms,
        expire_timestamp=value.expire_ms,
        topic_id=value.topic_id,
    )


def _committed(value: wire.OffsetValue, at: int) -> Committed:
    return Committed(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_ms=value.commit_timestamp,
        expire_ms=value.expire_timestamp,
        topic_id=value.topic_id,
        at=at,
    )


def _group_value(group: StoredGroup) -> wire.GroupValue:
    return wire.GroupValue(
        protocol_type=group.protocol_type,
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        state_timestamp=group.since_ms,
        members=tuple(
            wire.GroupMember(
                member_id=m.member_id,
                instance_id=m.instance_id,
                client_id=m.client_id,
                client_host=m.client_host,
                rebalance_timeout=m.rebalance_timeout,
                session_timeout=m.session_timeout,
                subscription=m.subscription,
                assignment=m.assignment,
            )
            for m in group.members
        ),
    )


def _stored_group(group: wire.GroupValue) -> StoredGroup:
    return StoredGroup(
        protocol_type=group.protocol_type,
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        since_ms=group.state_timestamp,
        members=tuple(
            StoredMember(
                member_id=m.member_id,
                instance_id=m.instance_id,
                client_id=m.client_id,
                client_host=m.client_host,
                rebalance_timeout=m.rebalance_timeout,
                session_timeout=m.session_timeout,
                subscription=bytes(m.subscription),
                assignment=bytes(m.assignment),
            )
            for m in group.members
        ),
    )
