"""Records of consumer groups (KIP-848) in `__consumer_offsets`: bytes <-> keys and values.

Types 3 to 8 and 16 of keys; values in version 0, the only one that there is. Their bytes are
Apache Kafka 4.3's. The group coordinator's node part is the only caller.
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
from spindle.wire.record_codecs import (
    consumer_group_current_member_assignment_key as current_key,
)
from spindle.wire.record_codecs import (
    consumer_group_current_member_assignment_value as current_value,
)
from spindle.wire.record_codecs import (
    consumer_group_member_metadata_key as member_key,
)
from spindle.wire.record_codecs import (
    consumer_group_member_metadata_value as member_value,
)
from spindle.wire.record_codecs import (
    consumer_group_metadata_key as group_key,
)
from spindle.wire.record_codecs import (
    consumer_group_metadata_value as group_value,
)
from spindle.wire.record_codecs import (
    consumer_group_partition_metadata_key as old_topics_key,
)
from spindle.wire.record_codecs import (
    consumer_group_regular_expression_key as regex_key,
)
from spindle.wire.record_codecs import (
    consumer_group_regular_expression_value as regex_value,
)
from spindle.wire.record_codecs import (
    consumer_group_target_assignment_member_key as target_key,
)
from spindle.wire.record_codecs import (
    consumer_group_target_assignment_member_value as target_value,
)
from spindle.wire.record_codecs import (
    consumer_group_target_assignment_metadata_key as target_epoch_key,
)
from spindle.wire.record_codecs import (
    consumer_group_target_assignment_metadata_value as target_epoch_value,
)

T = TypeVar("T")
Key: TypeAlias = stored.ConsumerGroupKey | stored.ConsumerMemberKey | stored.RegularExpressionKey
Value: TypeAlias = (
    stored.ConsumerGroupValue
    | stored.ConsumerMemberValue
    | stored.TargetEpochValue
    | stored.TargetMemberValue
    | stored.CurrentMemberValue
    | stored.RegularExpressionValue
)

_INT16: Final = struct.Struct(">h")
_VERSION: Final = 0


class ConsumerKeyType(IntEnum):
    """What a record is about."""

    GROUP = 3
    OLD_TOPICS = 4
    MEMBER = 5
    TARGET_EPOCH = 6
    TARGET = 7
    CURRENT = 8
    REGEX = 16


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """A record; without value it removes what its key names.

    Of the topics that Apache Kafka 4.0 kept, the value is not read: `has_value` tells of it.
    """

    key: Key
    value: Value | None
    type_: ConsumerKeyType
    has_value: bool


def encode_group(group: str, value: stored.ConsumerGroupValue | None) -> tuple[bytes, bytes | None]:
    """A group's epoch."""
    key = stored.ConsumerGroupKey(group)
    return _pair(ConsumerKeyType.GROUP, group_key.WRITERS, key, group_value.WRITERS, value)


def encode_no_old_topics(group: str) -> tuple[bytes, None]:
    """What removes the topics that Apache Kafka 4.0 kept."""
    type_ = ConsumerKeyType.OLD_TOPICS
    return _encode(type_, old_topics_key.WRITERS, stored.ConsumerGroupKey(group)), None


def encode_member(
    group: str, member_id: str, value: stored.ConsumerMemberValue | None
) -> tuple[bytes, bytes | None]:
    """What a member has said."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ConsumerKeyType.MEMBER, member_key.WRITERS, key, member_value.WRITERS, value)


def encode_target_epoch(
    group: str, value: stored.TargetEpochValue | None
) -> tuple[bytes, bytes | None]:
    """The target's epoch."""
    key, type_ = stored.ConsumerGroupKey(group), ConsumerKeyType.TARGET_EPOCH
    return _pair(type_, target_epoch_key.WRITERS, key, target_epoch_value.WRITERS, value)


def encode_target(
    group: str, member_id: str, value: stored.TargetMemberValue | None
) -> tuple[bytes, bytes | None]:
    """What a member is to have."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ConsumerKeyType.TARGET, target_key.WRITERS, key, target_value.WRITERS, value)


def encode_current(
    group: str, member_id: str, value: stored.CurrentMemberValue | None
) -> tuple[bytes, bytes | None]:
    """Where a member stands."""
    key = stored.ConsumerMemberKey(group, member_id)
    return _pair(ConsumerKeyType.CURRENT, current_key.WRITERS, key, current_value.WRITERS, value)


def encode_regex(
    group: str, regex: str, value: stored.RegularExpressionValue | None
) -> tuple[bytes, bytes | None]:
    """The topics of a pattern."""
    key = stored.RegularExpressionKey(group, regex)
    return _pair(ConsumerKeyType.REGEX, regex_key.WRITERS, key, regex_value.WRITERS, value)


def decode_consumer_record(type_: int, key: Buffer, value: Buffer | None) -> ConsumerRecord | None:
    """Read a record; None for types that are not consumer groups'. Corrupt for broken bytes."""
    try:
        kind = ConsumerKeyType(type_)
    except ValueError:
        return None
    found = _key(kind, key)
    if value is None or kind is ConsumerKeyType.OLD_TOPICS:
        return ConsumerRecord(found, None, kind, value is not None)
    return ConsumerRecord(found, _value(kind, value), kind, True)


def _key(kind: ConsumerKeyType, key: Buffer) -> Key:
    readers: dict[ConsumerKeyType, Mapping[int, Reader[Key]]] = {
        ConsumerKeyType.GROUP: group_key.READERS,
        ConsumerKeyType.OLD_TOPICS: old_topics_key.READERS,
        ConsumerKeyType.MEMBER: member_key.READERS,
        ConsumerKeyType.TARGET_EPOCH: target_epoch_key.READERS,
        ConsumerKeyType.TARGET: target_key.READERS,
        ConsumerKeyType.CURRENT: current_key.READERS,
        ConsumerKeyType.REGEX: regex_key.READERS,
    }
    name = f"the key of {kind.name}"
    return read_record(readers[kind][kind], name, kind, key, _INT16.size)[0]


def _value(kind: ConsumerKeyType, value: Buffer) -> Value:
    readers: dict[ConsumerKeyType, Mapping[int, Reader[Value]]] = {
        ConsumerKeyType.GROUP: group_value.READERS,
        ConsumerKeyType.MEMBER: member_value.READERS,
        ConsumerKeyType.TARGET_EPOCH: target_epoch_value.READERS,
        ConsumerKeyType.TARGET: target_value.READERS,
        ConsumerKeyType.CURRENT: current_value.READERS,
        ConsumerKeyType.REGEX: regex_value.READERS,
    }
    if len(value) < _INT16.size:
        raise Corrupt(f"the value of {kind.name} of {len(value)} bytes is cut short")
    version = int(_INT16.unpack_from(value)[0])
    reader = readers[kind].get(version)
    if reader is None:
        raise Corrupt(f"the value of {kind.name} has version {version}; this node knows 0")
    return read_record(reader, f"the value of {kind.name}", version, value, _INT16.size)[0]


K = TypeVar("K")


def _pair(
    type_: ConsumerKeyType,
    key_writers: Mapping[int, Writer[K]],
    key: K,
    value_writers: Mapping[int, Writer[T]],
    value: T | None,
) -> tuple[bytes, bytes | None]:
    written = None if value is None else _encode(_VERSION, value_writers, value)
    return _encode(type_, key_writers, key), written


def _encode(version: int, writers: Mapping[int, Writer[T]], value: T) -> bytes:
    pieces: list[Buffer] = [_INT16.pack(version)]
    writers[version](value, pieces.append)
    return b"".join(pieces)
