"""InitializeShareGroupStateRequest (key 83), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.initialize_share_group_state_response import (
    InitializeShareGroupStateResponse,
)
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iiqB = Struct(">iiqB").pack
pack_u = Struct(">16s").pack
unpack_iiq = Struct(">iiq").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of InitializeShareGroupStateRequest."""

    __slots__ = ("partition", "state_epoch", "start_offset")
    partition: int
    state_epoch: int
    start_offset: int

    def __init__(self, *, partition: int = 0, state_epoch: int = 0, start_offset: int = 0) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.start_offset = start_offset


class InitializeStateData(Message):
    """A part of InitializeShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class InitializeShareGroupStateRequest(Request[InitializeShareGroupStateResponse]):
    """The request of API 83."""

    KEY: ClassVar = 83
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[InitializeStateData]

    def __init__(self, *, group_id: str = "", topics: Sequence[InitializeStateData] = ()) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition, state_epoch, start_offset = unpack_iiq(b, o)
    o += 16
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.state_epoch = state_epoch
    e.start_offset = start_offset
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iiqB(e.partition, e.state_epoch, e.start_offset, 0))


def _read_initialize_state_data_v0(b: Buffer, o: int, end: int) -> tuple[InitializeStateData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeStateData.partitions")
    if n * 17 > end - o:
        raise short("InitializeStateData.partitions", n * 17, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "InitializeStateData") if b[o] else o + 1
    e = new(InitializeStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_initialize_state_data_v0(e: InitializeStateData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_initialize_state_data_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[InitializeStateData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeStateData.partitions")
    if n * 17 > end - o:
        raise short("InitializeStateData.partitions", n * 17, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "InitializeStateData") if b[o] else o + 1
    e = new(InitializeStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_initialize_share_group_state_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[InitializeShareGroupStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("InitializeShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("InitializeShareGroupStateRequest.topics", n * 18, end - o)
    all_topics: list[InitializeStateData] = []
    for _ in range(n):
        one_topics, o = _read_initialize_state_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "InitializeShareGroupStateRequest") if b[o] else o + 1
    e = new(InitializeShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_initialize_share_group_state_request_v0(
    e: InitializeShareGroupStateRequest, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_initialize_state_data_v0(one_topics, put)
    put(b"\0")


def _walk_initialize_share_group_state_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[InitializeShareGroupStateRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("InitializeShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("InitializeShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("InitializeShareGroupStateRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_initialize_state_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "InitializeShareGroupStateRequest") if b[o] else o + 1
    e = new(InitializeShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


InitializeShareGroupStateRequest.RESPONSE = InitializeShareGroupStateResponse
InitializeShareGroupStateRequest.WALKERS = {
    0: _walk_initialize_share_group_state_request_v0,
}
InitializeShareGroupStateRequest.READERS = {
    0: _read_initialize_share_group_state_request_v0,
}
InitializeShareGroupStateRequest.WRITERS = {
    0: _write_initialize_share_group_state_request_v0,
}
