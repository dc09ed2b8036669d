"""Records of `__consumer_offsets`: keys and values as bytes <-> committed offsets and groups.

A key begins with its type: 0 and 1 an offset, 2 a classic group. A value begins with its version;
a record without value is a tombstone. Writes what Apache Kafka 4.3 writes (offsets in version 4,
groups in version 3), reads all versions. The group coordinator's node part is the only caller.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.wire.declare import F, layout
from spindle.wire.layout import Layout
from spindle.wire.readers import read_all
from spindle.wire.writers import writer_of

_INT16: Final = struct.Struct(">h")
_OFFSET_KEYS: Final = (0, 1)
_OFFSET_KEY: Final = 1
_GROUP_KEY: Final = 2
_GROUP_WRITTEN: Final = 3
_EXPIRING: Final = 1
_NOT_STORED: Final = -1


@dataclass(frozen=True, slots=True)
class OffsetKey:
    """Whose offset: a group's, for a partition."""

    group: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A classic group."""

    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetValue:
    """A committed offset. Times in ms; -1 for no leader epoch and for no expiry of its own."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int
    expire_timestamp: int = -1
    topic_id: TopicId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMember:
    """A member of a group's generation. Timeouts in ms."""

    member_id: str
    instance_id: str | None = None
    client_id: str
    client_host: str
    rebalance_timeout: int = _NOT_STORED
    session_timeout: int
    subscription: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupValue:
    """A generation of a group. `state_timestamp`: when the group came into its state, ms or -1."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    state_timestamp: int = -1
    members: tuple[GroupMember, ...] = ()


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


_KEYS: Final[dict[int, Layout]] = {
    **{
        type_: layout(
            "OffsetCommitKey",
            type_,
            (F("group", "string"), F("topic", "string"), F("partition", "int32")),
            cls=OffsetKey,
            flexible=False,
        )
        for type_ in _OFFSET_KEYS
    },
    _GROUP_KEY: layout(
        "GroupMetadataKey", 2, (F("group", "string"),), cls=GroupKey, flexible=False
    ),
}

_OFFSET_FIELDS: Final = (
    F("offset", "int64"),
    F("leader_epoch", "int32", since=3),
    F("metadata", "string"),
    F("commit_timestamp", "int64"),
    F("expire_timestamp", "int64", since=1, until=1),
    F("topic_id", "uuid", since=4, tag=0),
)
_OFFSET_VALUES: Final = tuple(
    layout("OffsetCommitValue", version, _OFFSET_FIELDS, cls=OffsetValue, flexible=version >= 4)
    for version in range(5)
)

_MEMBER_FIELDS: Final = (
    F("member_id", "string"),
    F("instance_id", "?string", since=3),
    F("client_id", "string"),
    F("client_host", "string"),
    F("rebalance_timeout", "int32", since=1),
    F("session_timeout", "int32"),
    F("subscription", "bytes"),
    F("assignment", "bytes"),
)


def _group_value(version: int) -> Layout:
    flexible = version >= 4
    member = layout("MemberMetadata", version, _MEMBER_FIELDS, cls=GroupMember, flexible=flexible)
    fields = (
        F("protocol_type", "string"),
        F("generation", "int32"),
        F("protocol", "?string"),
        F("leader", "?string"),
        F("state_timestamp", "int64", since=2),
        F("members", "[]", of=member),
    )
    return layout("GroupMetadataValue", version, fields, cls=GroupValue, flexible=flexible)


_GROUP_VALUES: Final = tuple(_group_value(version) for version in range(5))


def encode_offset(
    group: str, topic: str, partition: int, value: OffsetValue | None
) -> tuple[bytes, bytes | None]:
    """Key and value of an offset's record; None removes it.

    An expiry of its own exists in version 1 alone, so an offset that has one is written in that.
    """
    key = _encode(_OFFSET_KEY, _KEYS[_OFFSET_KEY], OffsetKey(group, topic, partition))
    if value is None:
        return key, None
    version = len(_OFFSET_VALUES) - 1 if value.expire_timestamp < 0 else _EXPIRING
    return key, _encode(version, _OFFSET_VALUES[version], value)


def encode_group(group: str, value: GroupValue | None) -> tuple[bytes, bytes | None]:
    """Key and value of a classic group's record; None removes it."""
    key = _encode(_GROUP_KEY, _KEYS[_GROUP_KEY], GroupKey(group))
    if value is None:
        return key, None
    return key, _encode(_GROUP_WRITTEN, _GROUP_VALUES[_GROUP_WRITTEN], value)


def decode_coordinator_record(key: Buffer, value: Buffer | None) -> CoordinatorRecord | None:
    """Read a record; None for types that we do not serve (consumer, share, streams groups).

    Corrupt for broken bytes and for values newer than we know.
    """
    type_ = _version_of(key, "key")
    shape = _KEYS.get(type_)
    if shape is None:
        return None
    name, _ = read_all(shape, key, _INT16.size)
    if type_ == _GROUP_KEY:
        group = None if value is None else _decode_value(_GROUP_VALUES, value)
        return GroupMetadata(name, None if group is None else _with_timeouts(group))
    return OffsetCommit(name, None if value is None else _decode_value(_OFFSET_VALUES, value))


def _with_timeouts(group: GroupValue) -> GroupValue:
    """Version 0 has no rebalance timeout: the session timeout served for both."""
    if all(m.rebalance_timeout != _NOT_STORED for m in group.members):
        return group
    members = tuple(replace(m, rebalance_timeout=m.session_timeout) for m in group.members)
    return replace(group, members=members)


def _encode(version: int, shape: Layout, value: object) -> bytes:
    pieces: list[Buffer] = [_INT16.pack(version)]
    writer_of(shape)(value, pieces.append)
    return b"".join(pieces)


def _decode_value(shapes: tuple[Layout, ...], value: Buffer) -> Any:
    version = _version_of(value, "value")
    if not 0 <= version < len(shapes):
        raise Corrupt(
            f"{shapes[0].name.split()[0]} has version {version}; this node knows 0 to"
            f" {len(shapes) - 1}"
        )
    return read_all(shapes[version], value, _INT16.size)[0]


def _version_of(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise Corrupt(f"a coordinator record's {what} of {len(data)} bytes is cut short")
    return int(_INT16.unpack_from(data)[0])
