"""Records of `__consumer_offsets`: keys and values as bytes <-> committed offsets and groups.

A key begins with its type: 0 and 1 an offset, 2 a classic group; those of consumer groups are in
`wire.consumer_coordinator`. A value begins with its version;
a record without value is a tombstone. Writes what Apache Kafka 4.3 writes (offsets in version 4,
groups in version 3), reads all versions. The group coordinator's node part is the only caller.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.codec import Reader, Writer, read_record
from spindle.wire.record_codecs import (
    group_metadata_key,
    group_metadata_value,
    offset_commit_key,
    offset_commit_value,
)
from spindle.wire.stored import GroupKey as GroupKey
from spindle.wire.stored import GroupMember as GroupMember
from spindle.wire.stored import GroupValue as GroupValue
from spindle.wire.stored import OffsetKey as OffsetKey
from spindle.wire.stored import OffsetValue as OffsetValue

T = TypeVar("T")

_INT16: Final = struct.Struct(">h")
_OFFSET_KEY: Final = 1
_OFFSET_WRITTEN: Final = 4
_GROUP_KEY: Final = 2
_GROUP_WRITTEN: Final = 3
_EXPIRING: Final = 1
_NOT_STORED: Final = -1


@dataclass(frozen=True, slots=True)
class OffsetCommit:
    """A record of an offset; without value it removes the offset."""

    key: OffsetKey
    value: OffsetValue | None


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """A record of a group; without value it removes the group."""

    key: GroupKey
    value: GroupValue | None


CoordinatorRecord: TypeAlias = OffsetCommit | GroupMetadata


def encode_offset(
    group: str, topic: str, partition: int, value: OffsetValue | None
) -> tuple[bytes, bytes | None]:
    """Key and value of an offset's record; None removes it.

    An expiry of its own exists in version 1 alone, so an offset that has one is written in that.
    """
    own = OffsetKey(group, topic, partition)
    key = _encode(_OFFSET_KEY, offset_commit_key.WRITERS, own)
    if value is None:
        return key, None
    version = _OFFSET_WRITTEN if value.expire_timestamp < 0 else _EXPIRING
    return key, _encode(version, offset_commit_value.WRITERS, value)


def encode_group(group: str, value: GroupValue | None) -> tuple[bytes, bytes | None]:
    """Key and value of a classic group's record; None removes it."""
    key = _encode(_GROUP_KEY, group_metadata_key.WRITERS, GroupKey(group))
    if value is None:
        return key, None
    return key, _encode(_GROUP_WRITTEN, group_metadata_value.WRITERS, value)


def decode_coordinator_record(key: Buffer, value: Buffer | None) -> CoordinatorRecord | None:
    """Read a record; None for types that are not here (consumer, share, streams groups).

    Corrupt for broken bytes and for values newer than we know.
    """
    type_ = _version_of(key, "key")
    if type_ == _GROUP_KEY:
        read_group = group_metadata_key.READERS[type_]
        group_key, _ = read_record(read_group, "GroupMetadataKey", type_, key, _INT16.size)
        if value is None:
            return GroupMetadata(group_key, None)
        group = _decode_value(group_metadata_value.READERS, "GroupMetadataValue", value)
        return GroupMetadata(group_key, _with_timeouts(group))
    read_key = offset_commit_key.READERS.get(type_)
    if read_key is None:
        return None
    offset_key, _ = read_record(read_key, "OffsetCommitKey", type_, key, _INT16.size)
    if value is None:
        return OffsetCommit(offset_key, None)
    offset = _decode_value(offset_commit_value.READERS, "OffsetCommitValue", value)
    return OffsetCommit(offset_key, offset)


def key_type(key: Buffer) -> int:
    """What a record is about, as its key begins. Corrupt where that is cut short."""
    return _version_of(key, "key")


def _with_timeouts(group: GroupValue) -> GroupValue:
    """Version 0 has no rebalance timeout: the session timeout served for both."""
    if all(m.rebalance_timeout != _NOT_STORED for m in group.members):
        return group
    members = tuple(replace(m, rebalance_timeout=m.session_timeout) for m in group.members)
    return replace(group, members=members)


def _encode(version: int, writers: Mapping[int, Writer[T]], value: T) -> bytes:
    pieces: list[Buffer] = [_INT16.pack(version)]
    writers[version](value, pieces.append)
    return b"".join(pieces)


def _decode_value(readers: Mapping[int, Reader[T]], name: str, value: Buffer) -> T:
    version = _version_of(value, "value")
    reader = readers.get(version)
    if reader is None:
        raise Corrupt(f"{name} has version {version}; this node knows 0 to {len(readers) - 1}")
    return read_record(reader, name, version, value, _INT16.size)[0]


def _version_of(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise Corrupt(f"a coordinator record's {what} of {len(data)} bytes is cut short")
    return int(_INT16.unpack_from(data)[0])
