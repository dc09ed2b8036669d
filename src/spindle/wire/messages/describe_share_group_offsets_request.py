"""DescribeShareGroupOffsetsRequest (key 90), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
)
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class DescribeShareGroupOffsetsRequestTopic(Message):
    """A part of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[int]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[int] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class DescribeShareGroupOffsetsRequestGroup(Message):
    """A part of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = topics


class DescribeShareGroupOffsetsRequest(Request[DescribeShareGroupOffsetsResponse]):
    """The request of API 90."""

    KEY: ClassVar = 90
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("groups",)
    groups: Sequence[DescribeShareGroupOffsetsRequestGroup]

    def __init__(self, *, groups: Sequence[DescribeShareGroupOffsetsRequestGroup] = ()) -> None:
        self.groups = groups


def _read_describe_share_group_offsets_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestTopic.topic_name")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsRequestTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribeShareGroupOffsetsRequestTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequestTopic") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequestTopic)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_describe_share_group_offsets_request_topic_v0(
    e: DescribeShareGroupOffsetsRequestTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_describe_share_group_offsets_request_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeShareGroupOffsetsRequestTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestTopic.topic_name")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsRequestTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribeShareGroupOffsetsRequestTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequestTopic") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequestTopic)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_describe_share_group_offsets_request_group_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsRequestGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestGroup.group_id")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsRequestGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("DescribeShareGroupOffsetsRequestGroup.topics", n * 3, end - o)
        all_topics: list[DescribeShareGroupOffsetsRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_describe_share_group_offsets_request_topic_v0(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequestGroup") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequestGroup)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_describe_share_group_offsets_request_group_v0(
    e: DescribeShareGroupOffsetsRequestGroup, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_describe_share_group_offsets_request_topic_v0(one_topics, put)
    put(b"\0")


def _walk_describe_share_group_offsets_request_group_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeShareGroupOffsetsRequestGroup]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequestGroup.group_id")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsRequestGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("DescribeShareGroupOffsetsRequestGroup.topics", n * 3, end - o)
        topics, o = yield from walk_each(
            _walk_describe_share_group_offsets_request_topic_v0, b, o, end, at, n
        )
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequestGroup") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequestGroup)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _read_describe_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequest.groups")
    if n * 3 > end - o:
        raise short("DescribeShareGroupOffsetsRequest.groups", n * 3, end - o)
    all_groups: list[DescribeShareGroupOffsetsRequestGroup] = []
    for _ in range(n):
        one_groups, o = _read_describe_share_group_offsets_request_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequest)
    e.groups = groups
    return e, o


def _write_describe_share_group_offsets_request_v0(
    e: DescribeShareGroupOffsetsRequest, put: Put
) -> None:
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    for one_groups in groups:
        _write_describe_share_group_offsets_request_group_v0(one_groups, put)
    put(b"\0")


def _walk_describe_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeShareGroupOffsetsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsRequest.groups")
    if n * 3 > end - o:
        raise short("DescribeShareGroupOffsetsRequest.groups", n * 3, end - o)
    groups, o = yield from walk_each(
        _walk_describe_share_group_offsets_request_group_v0, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsRequest)
    e.groups = groups
    return e, o


DescribeShareGroupOffsetsRequest.RESPONSE = DescribeShareGroupOffsetsResponse
DescribeShareGroupOffsetsRequest.WALKERS = {
    0: _walk_describe_share_group_offsets_request_v0,
    1: _walk_describe_share_group_offsets_request_v0,
}
DescribeShareGroupOffsetsRequest.READERS = {
    0: _read_describe_share_group_offsets_request_v0,
    1: _read_describe_share_group_offsets_request_v0,
}
DescribeShareGroupOffsetsRequest.WRITERS = {
    0: _write_describe_share_group_offsets_request_v0,
    1: _write_describe_share_group_offsets_request_v0,
}
