"""OffsetDeleteRequest (key 47), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.offset_delete_response import OffsetDeleteResponse
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class OffsetDeleteRequestPartition(Message):
    """A part of OffsetDeleteRequest."""

    __slots__ = ("partition_index",)
    partition_index: int

    def __init__(self, *, partition_index: int = 0) -> None:
        self.partition_index = partition_index


class OffsetDeleteRequestTopic(Message):
    """A part of OffsetDeleteRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[OffsetDeleteRequestPartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[OffsetDeleteRequestPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteRequest(Request[OffsetDeleteResponse]):
    """The request of API 47."""

    KEY: ClassVar = 47
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 32767

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[OffsetDeleteRequestTopic]

    def __init__(
        self, *, group_id: str = "", topics: Sequence[OffsetDeleteRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_offset_delete_request_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[OffsetDeleteRequestPartition, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    e = new(OffsetDeleteRequestPartition)
    e.partition_index = partition_index
    return e, o


def _write_offset_delete_request_partition_v0(e: OffsetDeleteRequestPartition, put: Put) -> None:
    put(pack_i(e.partition_index))


def _read_offset_delete_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[OffsetDeleteRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetDeleteRequestTopic.name")
    if n > end - o:
        raise short("OffsetDeleteRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteRequestTopic.partitions")
    if n * 4 > end - o:
        raise short("OffsetDeleteRequestTopic.partitions", n * 4, end - o)
    all_partitions: list[OffsetDeleteRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_delete_request_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetDeleteRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_delete_request_topic_v0(e: OffsetDeleteRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_offset_delete_request_partition_v0(one_partitions, put)


def _walk_offset_delete_request_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetDeleteRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetDeleteRequestTopic.name")
    if n > end - o:
        raise short("OffsetDeleteRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteRequestTopic.partitions")
    if n * 4 > end - o:
        raise short("OffsetDeleteRequestTopic.partitions", n * 4, end - o)
    partitions, o = yield from read_each(_read_offset_delete_request_partition_v0, b, o, end, at, n)
    e = new(OffsetDeleteRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_offset_delete_request_v0(b: Buffer, o: int, end: int) -> tuple[OffsetDeleteRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetDeleteRequest.group_id")
    if n > end - o:
        raise short("OffsetDeleteRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetDeleteRequest.topics", n * 6, end - o)
    all_topics: list[OffsetDeleteRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_delete_request_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetDeleteRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_offset_delete_request_v0(e: OffsetDeleteRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_delete_request_topic_v0(one_topics, put)


def _walk_offset_delete_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetDeleteRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetDeleteRequest.group_id")
    if n > end - o:
        raise short("OffsetDeleteRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetDeleteRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_delete_request_topic_v0, b, o, end, at, n)
    e = new(OffsetDeleteRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


OffsetDeleteRequest.RESPONSE = OffsetDeleteResponse
OffsetDeleteRequest.WALKERS = {
    0: _walk_offset_delete_request_v0,
}
OffsetDeleteRequest.READERS = {
    0: _read_offset_delete_request_v0,
}
OffsetDeleteRequest.WRITERS = {
    0: _write_offset_delete_request_v0,
}
