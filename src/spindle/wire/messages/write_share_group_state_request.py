"""WriteShareGroupStateRequest (key 85), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.write_share_group_state_response import WriteShareGroupStateResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iiiq = Struct(">iiiq").pack
pack_iiiqi = Struct(">iiiqi").pack
pack_qqbhB = Struct(">qqbhB").pack
pack_u = Struct(">16s").pack
unpack_iiiq = Struct(">iiiq").unpack_from
unpack_iiiqi = Struct(">iiiqi").unpack_from
unpack_qqbh = Struct(">qqbh").unpack_from
unpack_u = Struct(">16s").unpack_from


class StateBatch(Message):
    """A part of WriteShareGroupStateRequest."""

    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count")
    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count


class PartitionData(Message):
    """A part of WriteShareGroupStateRequest."""

    __slots__ = (
        "partition",
        "state_epoch",
        "leader_epoch",
        "start_offset",
        "delivery_complete_count",
        "state_batches",
    )
    partition: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int  # from version 1
    state_batches: Sequence[StateBatch]

    def __init__(
        self,
        *,
        partition: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: Sequence[StateBatch] = (),
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = state_batches


class WriteStateData(Message):
    """A part of WriteShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class WriteShareGroupStateRequest(Request[WriteShareGroupStateResponse]):
    """The request of API 85."""

    KEY: ClassVar = 85
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[WriteStateData]

    def __init__(self, *, group_id: str = "", topics: Sequence[WriteStateData] = ()) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_state_batch_v0(b: Buffer, o: int, end: int) -> tuple[StateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count = unpack_qqbh(b, o)
    o += 19
    o = skip_tags(b, o, end, "StateBatch") if b[o] else o + 1
    e = new(StateBatch)
    e.first_offset = first_offset
    e.last_offset = last_offset
    e.delivery_state = delivery_state
    e.delivery_count = delivery_count
    return e, o


def _write_state_batch_v0(e: StateBatch, put: Put) -> None:
    put(pack_qqbhB(e.first_offset, e.last_offset, e.delivery_state, e.delivery_count, 0))


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition, state_epoch, leader_epoch, start_offset = unpack_iiiq(b, o)
    o += 20
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.state_batches")
    if n * 20 > end - o:
        raise short("PartitionData.state_batches", n * 20, end - o)
    all_state_batches: list[StateBatch] = []
    for _ in range(n):
        one_state_batches, o = _read_state_batch_v0(b, o, end)
        all_state_batches.append(one_state_batches)
    state_batches = tuple(all_state_batches)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.state_epoch = state_epoch
    e.leader_epoch = leader_epoch
    e.start_offset = start_offset
    e.delivery_complete_count = -1
    e.state_batches = state_batches
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iiiq(e.partition, e.state_epoch, e.leader_epoch, e.start_offset))
    state_batches = e.state_batches
    put(put_uvarint(len(state_batches) + 1))
    for one_state_batches in state_batches:
        _write_state_batch_v0(one_state_batches, put)
    put(b"\0")


def _walk_partition_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[PartitionData]:
    partition, state_epoch, leader_epoch, start_offset = unpack_iiiq(b, o)
    o += 20
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.state_batches")
    if n * 20 > end - o:
        raise short("PartitionData.state_batches", n * 20, end - o)
    state_batches, o = yield from read_each(_read_state_batch_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.state_epoch = state_epoch
    e.leader_epoch = leader_epoch
    e.start_offset = start_offset
    e.delivery_complete_count = -1
    e.state_batches = state_batches
    return e, o


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition, state_epoch, leader_epoch, start_offset, delivery_complete_count = unpack_iiiqi(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.state_batches")
    if n * 20 > end - o:
        raise short("PartitionData.state_batches", n * 20, end - o)
    all_state_batches: list[StateBatch] = []
    for _ in range(n):
        one_state_batches, o = _read_state_batch_v0(b, o, end)
        all_state_batches.append(one_state_batches)
    state_batches = tuple(all_state_batches)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.state_epoch = state_epoch
    e.leader_epoch = leader_epoch
    e.start_offset = start_offset
    e.delivery_complete_count = delivery_complete_count
    e.state_batches = state_batches
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(
        pack_iiiqi(
            e.partition, e.state_epoch, e.leader_epoch, e.start_offset, e.delivery_complete_count
        )
    )
    state_batches = e.state_batches
    put(put_uvarint(len(state_batches) + 1))
    for one_state_batches in state_batches:
        _write_state_batch_v0(one_state_batches, put)
    put(b"\0")


def _walk_partition_data_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[PartitionData]:
    partition, state_epoch, leader_epoch, start_offset, delivery_complete_count = unpack_iiiqi(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.state_batches")
    if n * 20 > end - o:
        raise short("PartitionData.state_batches", n * 20, end - o)
    state_batches, o = yield from read_each(_read_state_batch_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.state_epoch = state_epoch
    e.leader_epoch = leader_epoch
    e.start_offset = start_offset
    e.delivery_complete_count = delivery_complete_count
    e.state_batches = state_batches
    return e, o


def _read_write_state_data_v0(b: Buffer, o: int, end: int) -> tuple[WriteStateData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteStateData.partitions")
    if n * 22 > end - o:
        raise short("WriteStateData.partitions", n * 22, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "WriteStateData") if b[o] else o + 1
    e = new(WriteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_write_state_data_v0(e: WriteStateData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_write_state_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[WriteStateData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteStateData.partitions")
    if n * 22 > end - o:
        raise short("WriteStateData.partitions", n * 22, end - o)
    partitions, o = yield from walk_each(_walk_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteStateData") if b[o] else o + 1
    e = new(WriteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_write_state_data_v1(b: Buffer, o: int, end: int) -> tuple[WriteStateData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteStateData.partitions")
    if n * 26 > end - o:
        raise short("WriteStateData.partitions", n * 26, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "WriteStateData") if b[o] else o + 1
    e = new(WriteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_write_state_data_v1(e: WriteStateData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v1(one_partitions, put)
    put(b"\0")


def _walk_write_state_data_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[WriteStateData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteStateData.partitions")
    if n * 26 > end - o:
        raise short("WriteStateData.partitions", n * 26, end - o)
    partitions, o = yield from walk_each(_walk_partition_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteStateData") if b[o] else o + 1
    e = new(WriteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_write_share_group_state_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[WriteShareGroupStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("WriteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("WriteShareGroupStateRequest.topics", n * 18, end - o)
    all_topics: list[WriteStateData] = []
    for _ in range(n):
        one_topics, o = _read_write_state_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "WriteShareGroupStateRequest") if b[o] else o + 1
    e = new(WriteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_write_share_group_state_request_v0(e: WriteShareGroupStateRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_write_state_data_v0(one_topics, put)
    put(b"\0")


def _walk_write_share_group_state_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WriteShareGroupStateRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("WriteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("WriteShareGroupStateRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_write_state_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteShareGroupStateRequest") if b[o] else o + 1
    e = new(WriteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _read_write_share_group_state_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[WriteShareGroupStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("WriteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("WriteShareGroupStateRequest.topics", n * 18, end - o)
    all_topics: list[WriteStateData] = []
    for _ in range(n):
        one_topics, o = _read_write_state_data_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "WriteShareGroupStateRequest") if b[o] else o + 1
    e = new(WriteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_write_share_group_state_request_v1(e: WriteShareGroupStateRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_write_state_data_v1(one_topics, put)
    put(b"\0")


def _walk_write_share_group_state_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WriteShareGroupStateRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("WriteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("WriteShareGroupStateRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_write_state_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteShareGroupStateRequest") if b[o] else o + 1
    e = new(WriteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


WriteShareGroupStateRequest.RESPONSE = WriteShareGroupStateResponse
WriteShareGroupStateRequest.WALKERS = {
    0: _walk_write_share_group_state_request_v0,
    1: _walk_write_share_group_state_request_v1,
}
WriteShareGroupStateRequest.READERS = {
    0: _read_write_share_group_state_request_v0,
    1: _read_write_share_group_state_request_v1,
}
WriteShareGroupStateRequest.WRITERS = {
    0: _write_write_share_group_state_request_v0,
    1: _write_write_share_group_state_request_v1,
}
