"""ConsumerGroupCurrentMemberAssignmentValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags, wrong_size
from spindle.wire.stored import CurrentMemberValue, HeldPartitionsValue
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iib = Struct(">iib").pack
pack_u = Struct(">16s").pack
unpack_iib = Struct(">iib").unpack_from
unpack_u = Struct(">16s").unpack_from


class _HeldPartitionsValue(Open, HeldPartitionsValue):
    __slots__ = ()


class _CurrentMemberValue(Open, CurrentMemberValue):
    __slots__ = ()


def _read_topic_partitions_v0(b: Buffer, o: int, end: int) -> tuple[HeldPartitionsValue, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    epochs: tuple[int, ...] | None = None
    tags = b[o]
    o += 1
    if tags > 127:
        tags, o = long_uvarint(b, o, tags)
    for _ in range(tags):
        tag = b[o]
        o += 1
        if tag > 127:
            tag, o = long_uvarint(b, o, tag)
        size = b[o]
        o += 1
        if size > 127:
            size, o = long_uvarint(b, o, size)
        if size > end - o:
            raise short("TopicPartitions", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                epochs = None
            else:
                if n * 4 > end - o:
                    raise short("TopicPartitions.epochs", n * 4, end - o)
                epochs = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("TopicPartitions.epochs", o - stop)
        o = stop
    e: HeldPartitionsValue = new(_HeldPartitionsValue)
    e.topic_id = topic_id
    e.partitions = partitions
    e.epochs = epochs
    e.__class__ = HeldPartitionsValue
    return e, o


def _write_topic_partitions_v0(e: HeldPartitionsValue, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    count = 0
    tags: list[bytes] = []
    epochs = e.epochs
    if epochs is not None:
        count += 1
        epochs_pieces: list[Buffer] = []
        epochs_pieces.append(put_uvarint(len(epochs) + 1))
        if epochs:
            epochs_pieces.append(pack(f">{len(epochs)}i", *epochs))
        piece = b"".join(epochs_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_consumer_group_current_member_assignment_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[CurrentMemberValue, int]:
    epoch, previous_epoch, state = unpack_iib(b, o)
    o += 9
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupCurrentMemberAssignmentValue.assigned")
    if n * 18 > end - o:
        raise short("ConsumerGroupCurrentMemberAssignmentValue.assigned", n * 18, end - o)
    all_assigned: list[HeldPartitionsValue] = []
    for _ in range(n):
        one_assigned, o = _read_topic_partitions_v0(b, o, end)
        all_assigned.append(one_assigned)
    assigned = tuple(all_assigned)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupCurrentMemberAssignmentValue.revoking")
    if n * 18 > end - o:
        raise short("ConsumerGroupCurrentMemberAssignmentValue.revoking", n * 18, end - o)
    all_revoking: list[HeldPartitionsValue] = []
    for _ in range(n):
        one_revoking, o = _read_topic_partitions_v0(b, o, end)
        all_revoking.append(one_revoking)
    revoking = tuple(all_revoking)
    o = skip_tags(b, o, end, "ConsumerGroupCurrentMemberAssignmentValue") if b[o] else o + 1
    e: CurrentMemberValue = new(_CurrentMemberValue)
    e.epoch = epoch
    e.previous_epoch = previous_epoch
    e.state = state
    e.assigned = assigned
    e.revoking = revoking
    e.__class__ = CurrentMemberValue
    return e, o


def _write_consumer_group_current_member_assignment_value_v0(
    e: CurrentMemberValue, put: Put
) -> None:
    put(pack_iib(e.epoch, e.previous_epoch, e.state))
    assigned = e.assigned
    put(put_uvarint(len(assigned) + 1))
    for one_assigned in assigned:
        _write_topic_partitions_v0(one_assigned, put)
    revoking = e.revoking
    put(put_uvarint(len(revoking) + 1))
    for one_revoking in revoking:
        _write_topic_partitions_v0(one_revoking, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[CurrentMemberValue]]] = {
    0: _read_consumer_group_current_member_assignment_value_v0,
}
WRITERS: Final[Mapping[int, Writer[CurrentMemberValue]]] = {
    0: _write_consumer_group_current_member_assignment_value_v0,
}
