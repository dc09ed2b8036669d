"""Records of share groups (KIP-932): bytes <-> keys and values.

In `__consumer_offsets` types 10 to 15 of keys; in `__share_group_state` types 0 and 1. Values in
version 0, the only one that there is. Their bytes are Apache Kafka 4.3's. The group coordinator's
and the share coordinator's node parts are the only callers.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire import stored
from spindle.wire.codec import Reader, Writer, read_record
from spindle.wire.record_codecs import share_group_current_member_assignment_key as current_key
from spindle.wire.record_codecs import share_group_current_member_assignment_value as current_value
from spindle.wire.record_codecs import share_group_member_metadata_key as member_key
from spindle.wire.record_codecs import share_group_member_metadata_value as member_value
from spindle.wire.record_codecs import share_group_metadata_key as group_key
from spindle.wire.record_codecs import share_group_metadata_value as group_value
from spindle.wire.record_codecs import share_group_state_partition_metadata_key as states_key
from spindle.wire.record_codecs import share_group_state_partition_metadata_value as states_value
from spindle.wire.record_codecs import share_group_target_assignment_member_key as target_key
from spindle.wire.record_codecs import share_group_target_assignment_member_value as target_value
from spindle.wire.record_codecs import share_group_target_assignment_metadata_key as epoch_key
from spindle.wire.record_codecs import share_group_target_assignment_metadata_value as epoch_value
from spindle.wire.record_codecs import share_snapshot_key as snapshot_key
from spindle.wire.record_codecs import share_snapshot_value as snapshot_value
from spindle.wire.record_codecs import share_update_key as update_key
from spindle.wire.record_codecs import share_update_value as update_value

K = TypeVar("K")
V = TypeVar("V")
ShareGroupKey: TypeAlias = stored.ConsumerGroupKey | stored.ConsumerMemberKey
ShareGroupValue: TypeAlias = (
    stored.ConsumerGroupValue
    | stored.ShareMemberValue
    | stored.TargetEpochValue
    | stored.TargetMemberValue
    | stored.ShareCurrentValue
    | stored.ShareInitializationValue
)
Pair: TypeAlias = tuple[bytes, bytes | None]

_INT16: Final = struct.Struct(">h")
_VERSION: Final = 0
_SNAPSHOT: Final = 0
_UPDATE: Final = 1


class ShareKeyType(IntEnum):
    """What a record in `__consumer_offsets` is about."""

    MEMBER = 10
    GROUP = 11
    TARGET_EPOCH = 12
    TARGET = 13
    CURRENT = 14
    STATES = 15


@dataclass(frozen=True, slots=True)
class StoredShareRecord:
    """A record of a share group; without value it removes what its key names."""

    type_: ShareKeyType
    key: ShareGroupKey
    value: ShareGroupValue | None


# --- __consumer_offsets ---------------------------------------------------------------------------


def encode_share_group(group: str, value: stored.ConsumerGroupValue | None) -> Pair:
    """A group's epoch."""
    key = stored.ConsumerGroupKey(group)
    return _pair(ShareKeyType.GROUP, group_key.WRITERS, key, group_value.WRITERS, value)


def encode_share_member(group: str, member_id: str, value: stored.ShareMemberValue | None) -> Pair:
    """What a member has said."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ShareKeyType.MEMBER, member_key.WRITERS, key, member_value.WRITERS, value)


def encode_share_target_epoch(group: str, value: stored.TargetEpochValue | None) -> Pair:
    """The target's epoch."""
    key = stored.ConsumerGroupKey(group)
    return _pair(ShareKeyType.TARGET_EPOCH, epoch_key.WRITERS, key, epoch_value.WRITERS, value)


def encode_share_target(group: str, member_id: str, value: stored.TargetMemberValue | None) -> Pair:
    """What a member is to have."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ShareKeyType.TARGET, target_key.WRITERS, key, target_value.WRITERS, value)


def encode_share_current(
    group: str, member_id: str, value: stored.ShareCurrentValue | None
) -> Pair:
    """Where a member stands."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ShareKeyType.CURRENT, current_key.WRITERS, key, current_value.WRITERS, value)


def encode_share_states(group: str, value: stored.ShareInitializationValue | None) -> Pair:
    """How far the states of a group's partitions are made."""
    key = stored.ConsumerGroupKey(group)
    return _pair(ShareKeyType.STATES, states_key.WRITERS, key, states_value.WRITERS, value)


def decode_share_group_record(
    type_: int, key: Buffer, value: Buffer | None
) -> StoredShareRecord | None:
    """Read a record; None for types that are not share groups'. Corrupt for broken bytes."""
    try:
        kind = ShareKeyType(type_)
    except ValueError:
        return None
    keys: dict[ShareKeyType, Mapping[int, Reader[ShareGroupKey]]] = {
        ShareKeyType.MEMBER: member_key.READERS,
        ShareKeyType.GROUP: group_key.READERS,
        ShareKeyType.TARGET_EPOCH: epoch_key.READERS,
        ShareKeyType.TARGET: target_key.READERS,
        ShareKeyType.CURRENT: current_key.READERS,
        ShareKeyType.STATES: states_key.READERS,
    }
    values: dict[ShareKeyType, Mapping[int, Reader[ShareGroupValue]]] = {
        ShareKeyType.MEMBER: member_value.READERS,
        ShareKeyType.GROUP: group_value.READERS,
        ShareKeyType.TARGET_EPOCH: epoch_value.READERS,
        ShareKeyType.TARGET: target_value.READERS,
        ShareKeyType.CURRENT: current_value.READERS,
        ShareKeyType.STATES: states_value.READERS,
    }
    name = f"share group's {kind.name}"
    found = read_record(keys[kind][kind], f"the key of a {name}", kind, key, _INT16.size)[0]
    read = None if value is None else _value(values[kind], name, value)
    return StoredShareRecord(kind, found, read)


# --- __share_group_state --------------------------------------------------------------------------


def encode_snapshot(key: stored.ShareStateKey, value: stored.ShareSnapshotValue | None) -> Pair:
    """All of a share partition's state."""
    return _pair(_SNAPSHOT, snapshot_key.WRITERS, key, snapshot_value.WRITERS, value)


def encode_update(key: stored.ShareStateKey, value: stored.ShareUpdateValue) -> Pair:
    """What has changed since the snapshot."""
    return _pair(_UPDATE, update_key.WRITERS, key, update_value.WRITERS, value)


def decode_share_state(
    key: Buffer, value: Buffer | None
) -> tuple[stored.ShareStateKey, stored.ShareSnapshotValue | stored.ShareUpdateValue | None] | None:
    """Read a record of `__share_group_state`; None for types that we do not know. Corrupt."""
    type_ = _version_of(key, "key")
    if type_ == _SNAPSHOT:
        name = "a ShareSnapshot"
        read_key, read_value = snapshot_key.READERS[type_], snapshot_value.READERS
        found = read_record(read_key, f"the key of {name}", type_, key, _INT16.size)[0]
        return found, None if value is None else _value(read_value, name, value)
    if type_ == _UPDATE:
        name = "a ShareUpdate"
        found = read_record(
            update_key.READERS[type_], f"the key of {name}", type_, key, _INT16.size
        )[0]
        return found, None if value is None else _value(update_value.READERS, name, value)
    return None


# --- both -----------------------------------------------------------------------------------------


def _value(readers: Mapping[int, Reader[V]], name: str, value: Buffer) -> V:
    version = _version_of(value, f"value of {name}")
    reader = readers.get(version)
    if reader is None:
        raise Corrupt(f"the value of {name} has version {version}; this node knows 0")
    return read_record(reader, f"the value of {name}", version, value, _INT16.size)[0]


def _version_of(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise Corrupt(f"the {what} of {len(data)} bytes is cut short")
    return int(_INT16.unpack_from(data)[0])


def _pair(
    type_: int,
    key_writers: Mapping[int, Writer[K]],
    key: K,
    value_writers: Mapping[int, Writer[V]],
    value: V | None,
) -> Pair:
    written = None if value is None else _encode(_VERSION, value_writers, value)
    return _encode(type_, key_writers, key), written


def _encode(version: int, writers: Mapping[int, Writer[V]], value: V) -> bytes:
    pieces: list[Buffer] = [_INT16.pack(version)]
    writers[version](value, pieces.append)
    return b"".join(pieces)
