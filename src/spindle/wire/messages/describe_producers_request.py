"""DescribeProducersRequest (key 61), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.describe_producers_response import DescribeProducersResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class TopicRequest(Message):
    """A part of DescribeProducersRequest."""

    __slots__ = ("name", "partition_indexes")
    name: str
    partition_indexes: Sequence[int]

    def __init__(self, *, name: str = "", partition_indexes: Sequence[int] = ()) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class DescribeProducersRequest(Request[DescribeProducersResponse]):
    """The request of API 61."""

    KEY: ClassVar = 61
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("topics",)
    topics: Sequence[TopicRequest]

    def __init__(self, *, topics: Sequence[TopicRequest] = ()) -> None:
        self.topics = topics


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
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicRequest.partition_indexes")
    if n * 4 > end - o:
        raise short("TopicRequest.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicRequest") if b[o] else o + 1
    e = new(TopicRequest)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_topic_request_v0(e: TopicRequest, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_topic_request_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicRequest]:
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
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicRequest.partition_indexes")
    if n * 4 > end - o:
        raise short("TopicRequest.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "TopicRequest") if b[o] else o + 1
    e = new(TopicRequest)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_describe_producers_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeProducersRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeProducersRequest.topics")
    if n * 3 > end - o:
        raise short("DescribeProducersRequest.topics", n * 3, end - o)
    all_topics: list[TopicRequest] = []
    for _ in range(n):
        one_topics, o = _read_topic_request_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeProducersRequest") if b[o] else o + 1
    e = new(DescribeProducersRequest)
    e.topics = topics
    return e, o


def _write_describe_producers_request_v0(e: DescribeProducersRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_request_v0(one_topics, put)
    put(b"\0")


def _walk_describe_producers_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeProducersRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeProducersRequest.topics")
    if n * 3 > end - o:
        raise short("DescribeProducersRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_request_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DescribeProducersRequest") if b[o] else o + 1
    e = new(DescribeProducersRequest)
    e.topics = topics
    return e, o


DescribeProducersRequest.RESPONSE = DescribeProducersResponse
DescribeProducersRequest.WALKERS = {
    0: _walk_describe_producers_request_v0,
}
DescribeProducersRequest.READERS = {
    0: _read_describe_producers_request_v0,
}
DescribeProducersRequest.WRITERS = {
    0: _write_describe_producers_request_v0,
}
