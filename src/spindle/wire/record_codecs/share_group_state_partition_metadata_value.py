"""ShareGroupStatePartitionMetadataValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.stored import NamedPartitionsValue, NamedTopicValue, ShareInitializationValue
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_u = Struct(">16s").pack
unpack_u = Struct(">16s").unpack_from


class _NamedPartitionsValue(Open, NamedPartitionsValue):
    __slots__ = ()


class _NamedTopicValue(Open, NamedTopicValue):
    __slots__ = ()


class _ShareInitializationValue(Open, ShareInitializationValue):
    __slots__ = ()


def _read_topic_partitions_info_v0(b: Buffer, o: int, end: int) -> tuple[NamedPartitionsValue, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitionsInfo.topic")
    if n > end - o:
        raise short("TopicPartitionsInfo.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitionsInfo.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitionsInfo.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicPartitionsInfo") if b[o] else o + 1
    e: NamedPartitionsValue = new(_NamedPartitionsValue)
    e.topic_id = topic_id
    e.topic = topic
    e.partitions = partitions
    e.__class__ = NamedPartitionsValue
    return e, o


def _write_topic_partitions_info_v0(e: NamedPartitionsValue, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _read_topic_info_v0(b: Buffer, o: int, end: int) -> tuple[NamedTopicValue, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicInfo.topic")
    if n > end - o:
        raise short("TopicInfo.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "TopicInfo") if b[o] else o + 1
    e: NamedTopicValue = new(_NamedTopicValue)
    e.topic_id = topic_id
    e.topic = topic
    e.__class__ = NamedTopicValue
    return e, o


def _write_topic_info_v0(e: NamedTopicValue, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_share_group_state_partition_metadata_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[ShareInitializationValue, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupStatePartitionMetadataValue.initializing")
    if n * 19 > end - o:
        raise short("ShareGroupStatePartitionMetadataValue.initializing", n * 19, end - o)
    all_initializing: list[NamedPartitionsValue] = []
    for _ in range(n):
        one_initializing, o = _read_topic_partitions_info_v0(b, o, end)
        all_initializing.append(one_initializing)
    initializing = tuple(all_initializing)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupStatePartitionMetadataValue.initialized")
    if n * 19 > end - o:
        raise short("ShareGroupStatePartitionMetadataValue.initialized", n * 19, end - o)
    all_initialized: list[NamedPartitionsValue] = []
    for _ in range(n):
        one_initialized, o = _read_topic_partitions_info_v0(b, o, end)
        all_initialized.append(one_initialized)
    initialized = tuple(all_initialized)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupStatePartitionMetadataValue.deleting")
    if n * 18 > end - o:
        raise short("ShareGroupStatePartitionMetadataValue.deleting", n * 18, end - o)
    all_deleting: list[NamedTopicValue] = []
    for _ in range(n):
        one_deleting, o = _read_topic_info_v0(b, o, end)
        all_deleting.append(one_deleting)
    deleting = tuple(all_deleting)
    o = skip_tags(b, o, end, "ShareGroupStatePartitionMetadataValue") if b[o] else o + 1
    e: ShareInitializationValue = new(_ShareInitializationValue)
    e.initializing = initializing
    e.initialized = initialized
    e.deleting = deleting
    e.__class__ = ShareInitializationValue
    return e, o


def _write_share_group_state_partition_metadata_value_v0(
    e: ShareInitializationValue, put: Put
) -> None:
    initializing = e.initializing
    put(put_uvarint(len(initializing) + 1))
    for one_initializing in initializing:
        _write_topic_partitions_info_v0(one_initializing, put)
    initialized = e.initialized
    put(put_uvarint(len(initialized) + 1))
    for one_initialized in initialized:
        _write_topic_partitions_info_v0(one_initialized, put)
    deleting = e.deleting
    put(put_uvarint(len(deleting) + 1))
    for one_deleting in deleting:
        _write_topic_info_v0(one_deleting, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[ShareInitializationValue]]] = {
    0: _read_share_group_state_partition_metadata_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ShareInitializationValue]]] = {
    0: _write_share_group_state_partition_metadata_value_v0,
}
