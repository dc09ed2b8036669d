"""ReadShareGroupStateSummaryRequest (key 87), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.read_share_group_state_summary_response import (
    ReadShareGroupStateSummaryResponse,
)
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iiB = Struct(">iiB").pack
pack_u = Struct(">16s").pack
unpack_ii = Struct(">ii").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of ReadShareGroupStateSummaryRequest."""

    __slots__ = ("partition", "leader_epoch")
    partition: int
    leader_epoch: int

    def __init__(self, *, partition: int = 0, leader_epoch: int = 0) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch


class ReadStateSummaryData(Message):
    """A part of ReadShareGroupStateSummaryRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateSummaryRequest(Request[ReadShareGroupStateSummaryResponse]):
    """The request of API 87."""

    KEY: ClassVar = 87
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[ReadStateSummaryData]

    def __init__(self, *, group_id: str = "", topics: Sequence[ReadStateSummaryData] = ()) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition, leader_epoch = unpack_ii(b, o)
    o += 8
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    e.leader_epoch = leader_epoch
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iiB(e.partition, e.leader_epoch, 0))


def _read_read_state_summary_data_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReadStateSummaryData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadStateSummaryData.partitions")
    if n * 9 > end - o:
        raise short("ReadStateSummaryData.partitions", n * 9, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ReadStateSummaryData") if b[o] else o + 1
    e = new(ReadStateSummaryData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_read_state_summary_data_v0(e: ReadStateSummaryData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_read_state_summary_data_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ReadStateSummaryData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadStateSummaryData.partitions")
    if n * 9 > end - o:
        raise short("ReadStateSummaryData.partitions", n * 9, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ReadStateSummaryData") if b[o] else o + 1
    e = new(ReadStateSummaryData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_read_share_group_state_summary_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReadShareGroupStateSummaryRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadShareGroupStateSummaryRequest.group_id")
    if n > end - o:
        raise short("ReadShareGroupStateSummaryRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadShareGroupStateSummaryRequest.topics")
    if n * 18 > end - o:
        raise short("ReadShareGroupStateSummaryRequest.topics", n * 18, end - o)
    all_topics: list[ReadStateSummaryData] = []
    for _ in range(n):
        one_topics, o = _read_read_state_summary_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ReadShareGroupStateSummaryRequest") if b[o] else o + 1
    e = new(ReadShareGroupStateSummaryRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_read_share_group_state_summary_request_v0(
    e: ReadShareGroupStateSummaryRequest, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_read_state_summary_data_v0(one_topics, put)
    put(b"\0")


def _walk_read_share_group_state_summary_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ReadShareGroupStateSummaryRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadShareGroupStateSummaryRequest.group_id")
    if n > end - o:
        raise short("ReadShareGroupStateSummaryRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadShareGroupStateSummaryRequest.topics")
    if n * 18 > end - o:
        raise short("ReadShareGroupStateSummaryRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_read_state_summary_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ReadShareGroupStateSummaryRequest") if b[o] else o + 1
    e = new(ReadShareGroupStateSummaryRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


ReadShareGroupStateSummaryRequest.RESPONSE = ReadShareGroupStateSummaryResponse
ReadShareGroupStateSummaryRequest.WALKERS = {
    0: _walk_read_share_group_state_summary_request_v0,
    1: _walk_read_share_group_state_summary_request_v0,
}
ReadShareGroupStateSummaryRequest.READERS = {
    0: _read_read_share_group_state_summary_request_v0,
    1: _read_read_share_group_state_summary_request_v0,
}
ReadShareGroupStateSummaryRequest.WRITERS = {
    0: _write_read_share_group_state_summary_request_v0,
    1: _write_read_share_group_state_summary_request_v0,
}
