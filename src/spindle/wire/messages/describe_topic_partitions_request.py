"""DescribeTopicPartitionsRequest (key 75), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.describe_topic_partitions_response import DescribeTopicPartitionsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
unpack_i = Struct(">i").unpack_from


class TopicRequest(Message):
    """A part of DescribeTopicPartitionsRequest."""

    __slots__ = ("name",)
    name: str

    def __init__(self, *, name: str = "") -> None:
        self.name = name


class Cursor(Message):
    """A part of DescribeTopicPartitionsRequest."""

    __slots__ = ("topic_name", "partition_index")
    topic_name: str
    partition_index: int

    def __init__(self, *, topic_name: str = "", partition_index: int = 0) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsRequest(Request[DescribeTopicPartitionsResponse]):
    """The request of API 75."""

    KEY: ClassVar = 75
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("topics", "response_partition_limit", "cursor")
    topics: Sequence[TopicRequest]
    response_partition_limit: int
    cursor: Cursor | None

    def __init__(
        self,
        *,
        topics: Sequence[TopicRequest] = (),
        response_partition_limit: int = 2000,
        cursor: Cursor | None = None,
    ) -> None:
        self.topics = topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor


def _read_topic_request_v0(b: Buffer, o: int, end: int) -> tuple[TopicRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicRequest.name")
    if n > end - o:
        raise short("TopicRequest.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "TopicRequest") if b[o] else o + 1
    e = new(TopicRequest)
    e.name = name
    return e, o


def _write_topic_request_v0(e: TopicRequest, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_cursor_v0(b: Buffer, o: int, end: int) -> tuple[Cursor, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Cursor.topic_name")
    if n > end - o:
        raise short("Cursor.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (partition_index,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "Cursor") if b[o] else o + 1
    e = new(Cursor)
    e.topic_name = topic_name
    e.partition_index = partition_index
    return e, o


def _write_cursor_v0(e: Cursor, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iB(e.partition_index, 0))


def _read_describe_topic_partitions_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTopicPartitionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsRequest.topics")
    if n * 2 > end - o:
        raise short("DescribeTopicPartitionsRequest.topics", n * 2, end - o)
    all_topics: list[TopicRequest] = []
    for _ in range(n):
        one_topics, o = _read_topic_request_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (response_partition_limit,) = unpack_i(b, o)
    o += 4
    cursor: Cursor | None = None
    n = b[o]
    o += 1
    if n < 128:
        cursor, o = _read_cursor_v0(b, o, end)
    o = skip_tags(b, o, end, "DescribeTopicPartitionsRequest") if b[o] else o + 1
    e = new(DescribeTopicPartitionsRequest)
    e.topics = topics
    e.response_partition_limit = response_partition_limit
    e.cursor = cursor
    return e, o


def _write_describe_topic_partitions_request_v0(
    e: DescribeTopicPartitionsRequest, put: Put
) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_request_v0(one_topics, put)
    put(pack_i(e.response_partition_limit))
    cursor = e.cursor
    if cursor is None:
        put(b"\xff")
    else:
        put(b"\1")
        _write_cursor_v0(cursor, put)
    put(b"\0")


def _walk_describe_topic_partitions_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeTopicPartitionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsRequest.topics")
    if n * 2 > end - o:
        raise short("DescribeTopicPartitionsRequest.topics", n * 2, end - o)
    topics, o = yield from read_each(_read_topic_request_v0, b, o, end, at, n)
    (response_partition_limit,) = unpack_i(b, o)
    o += 4
    cursor: Cursor | None = None
    n = b[o]
    o += 1
    if n < 128:
        cursor, o = _read_cursor_v0(b, o, end)
    o = skip_tags(b, o, end, "DescribeTopicPartitionsRequest") if b[o] else o + 1
    e = new(DescribeTopicPartitionsRequest)
    e.topics = topics
    e.response_partition_limit = response_partition_limit
    e.cursor = cursor
    return e, o


DescribeTopicPartitionsRequest.RESPONSE = DescribeTopicPartitionsResponse
DescribeTopicPartitionsRequest.WALKERS = {
    0: _walk_describe_topic_partitions_request_v0,
}
DescribeTopicPartitionsRequest.READERS = {
    0: _read_describe_topic_partitions_request_v0,
}
DescribeTopicPartitionsRequest.WRITERS = {
    0: _write_describe_topic_partitions_request_v0,
}
