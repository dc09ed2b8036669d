"""DescribeQuorumRequest (key 55), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.describe_quorum_response import DescribeQuorumResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_iB = Struct(">iB").pack
unpack_i = Struct(">i").unpack_from


class PartitionData(Message):
    """A part of DescribeQuorumRequest."""

    __slots__ = ("partition_index",)
    partition_index: int

    def __init__(self, *, partition_index: int = 0) -> None:
        self.partition_index = partition_index


class TopicData(Message):
    """A part of DescribeQuorumRequest."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class DescribeQuorumRequest(Request[DescribeQuorumResponse]):
    """The request of API 55."""

    KEY: ClassVar = 55
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("topics",)
    topics: Sequence[TopicData]

    def __init__(self, *, topics: Sequence[TopicData] = ()) -> None:
        self.topics = topics


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iB(e.partition_index, 0))


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 5 > end - o:
        raise short("TopicData.partitions", n * 5, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 5 > end - o:
        raise short("TopicData.partitions", n * 5, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_describe_quorum_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeQuorumRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumRequest.topics")
    if n * 3 > end - o:
        raise short("DescribeQuorumRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeQuorumRequest") if b[o] else o + 1
    e = new(DescribeQuorumRequest)
    e.topics = topics
    return e, o


def _write_describe_quorum_request_v0(e: DescribeQuorumRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _walk_describe_quorum_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeQuorumRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumRequest.topics")
    if n * 3 > end - o:
        raise short("DescribeQuorumRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DescribeQuorumRequest") if b[o] else o + 1
    e = new(DescribeQuorumRequest)
    e.topics = topics
    return e, o


DescribeQuorumRequest.RESPONSE = DescribeQuorumResponse
DescribeQuorumRequest.WALKERS = {
    0: _walk_describe_quorum_request_v0,
    1: _walk_describe_quorum_request_v0,
    2: _walk_describe_quorum_request_v0,
}
DescribeQuorumRequest.READERS = {
    0: _read_describe_quorum_request_v0,
    1: _read_describe_quorum_request_v0,
    2: _read_describe_quorum_request_v0,
}
DescribeQuorumRequest.WRITERS = {
    0: _write_describe_quorum_request_v0,
    1: _write_describe_quorum_request_v0,
    2: _write_describe_quorum_request_v0,
}
