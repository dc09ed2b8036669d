"""ShareGroupCurrentMemberAssignmentValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.stored import ShareCurrentValue, TopicPartitionsValue
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iib = Struct(">iib").pack
pack_u = Struct(">16s").pack
unpack_iib = Struct(">iib").unpack_from
unpack_u = Struct(">16s").unpack_from


class _TopicPartitionsValue(Open, TopicPartitionsValue):
    __slots__ = ()


class _ShareCurrentValue(Open, ShareCurrentValue):
    __slots__ = ()


def _read_topic_partition_v0(b: Buffer, o: int, end: int) -> tuple[TopicPartitionsValue, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartition.partitions")
    if n * 4 > end - o:
        raise short("TopicPartition.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicPartition") if b[o] else o + 1
    e: TopicPartitionsValue = new(_TopicPartitionsValue)
    e.topic_id = topic_id
    e.partitions = partitions
    e.__class__ = TopicPartitionsValue
    return e, o


def _write_topic_partition_v0(e: TopicPartitionsValue, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _read_share_group_current_member_assignment_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[ShareCurrentValue, int]:
    epoch, previous_epoch, state = unpack_iib(b, o)
    o += 9
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupCurrentMemberAssignmentValue.assigned")
    if n * 18 > end - o:
        raise short("ShareGroupCurrentMemberAssignmentValue.assigned", n * 18, end - o)
    all_assigned: list[TopicPartitionsValue] = []
    for _ in range(n):
        one_assigned, o = _read_topic_partition_v0(b, o, end)
        all_assigned.append(one_assigned)
    assigned = tuple(all_assigned)
    o = skip_tags(b, o, end, "ShareGroupCurrentMemberAssignmentValue") if b[o] else o + 1
    e: ShareCurrentValue = new(_ShareCurrentValue)
    e.epoch = epoch
    e.previous_epoch = previous_epoch
    e.state = state
    e.assigned = assigned
    e.__class__ = ShareCurrentValue
    return e, o


def _write_share_group_current_member_assignment_value_v0(e: ShareCurrentValue, put: Put) -> None:
    put(pack_iib(e.epoch, e.previous_epoch, e.state))
    assigned = e.assigned
    put(put_uvarint(len(assigned) + 1))
    for one_assigned in assigned:
        _write_topic_partition_v0(one_assigned, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[ShareCurrentValue]]] = {
    0: _read_share_group_current_member_assignment_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ShareCurrentValue]]] = {
    0: _write_share_group_current_member_assignment_value_v0,
}
