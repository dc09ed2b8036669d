"""AlterShareGroupOffsetsRequest (key 91), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.alter_share_group_offsets_response import AlterShareGroupOffsetsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_iqB = Struct(">iqB").pack
unpack_iq = Struct(">iq").unpack_from


class AlterShareGroupOffsetsRequestPartition(Message):
    """A part of AlterShareGroupOffsetsRequest."""

    __slots__ = ("partition_index", "start_offset")
    partition_index: int
    start_offset: int

    def __init__(self, *, partition_index: int = 0, start_offset: int = 0) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset


class AlterShareGroupOffsetsRequestTopic(Message):
    """A part of AlterShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[AlterShareGroupOffsetsRequestPartition]

    def __init__(
        self,
        *,
        topic_name: str = "",
        partitions: Sequence[AlterShareGroupOffsetsRequestPartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class AlterShareGroupOffsetsRequest(Request[AlterShareGroupOffsetsResponse]):
    """The request of API 91."""

    KEY: ClassVar = 91
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[AlterShareGroupOffsetsRequestTopic]

    def __init__(
        self, *, group_id: str = "", topics: Sequence[AlterShareGroupOffsetsRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_alter_share_group_offsets_request_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsRequestPartition, int]:
    partition_index, start_offset = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsRequestPartition") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsRequestPartition)
    e.partition_index = partition_index
    e.start_offset = start_offset
    return e, o


def _write_alter_share_group_offsets_request_partition_v0(
    e: AlterShareGroupOffsetsRequestPartition, put: Put
) -> None:
    put(pack_iqB(e.partition_index, e.start_offset, 0))


def _read_alter_share_group_offsets_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequestTopic.topic_name")
    if n > end - o:
        raise short("AlterShareGroupOffsetsRequestTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequestTopic.partitions")
    if n * 13 > end - o:
        raise short("AlterShareGroupOffsetsRequestTopic.partitions", n * 13, end - o)
    all_partitions: list[AlterShareGroupOffsetsRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_alter_share_group_offsets_request_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsRequestTopic") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsRequestTopic)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_alter_share_group_offsets_request_topic_v0(
    e: AlterShareGroupOffsetsRequestTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_alter_share_group_offsets_request_partition_v0(one_partitions, put)
    put(b"\0")


def _walk_alter_share_group_offsets_request_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterShareGroupOffsetsRequestTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequestTopic.topic_name")
    if n > end - o:
        raise short("AlterShareGroupOffsetsRequestTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequestTopic.partitions")
    if n * 13 > end - o:
        raise short("AlterShareGroupOffsetsRequestTopic.partitions", n * 13, end - o)
    partitions, o = yield from read_each(
        _read_alter_share_group_offsets_request_partition_v0, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsRequestTopic") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsRequestTopic)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_alter_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequest.group_id")
    if n > end - o:
        raise short("AlterShareGroupOffsetsRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterShareGroupOffsetsRequest.topics", n * 3, end - o)
    all_topics: list[AlterShareGroupOffsetsRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_alter_share_group_offsets_request_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_alter_share_group_offsets_request_v0(e: AlterShareGroupOffsetsRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_alter_share_group_offsets_request_topic_v0(one_topics, put)
    put(b"\0")


def _walk_alter_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterShareGroupOffsetsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequest.group_id")
    if n > end - o:
        raise short("AlterShareGroupOffsetsRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterShareGroupOffsetsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(
        _walk_alter_share_group_offsets_request_topic_v0, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


AlterShareGroupOffsetsRequest.RESPONSE = AlterShareGroupOffsetsResponse
AlterShareGroupOffsetsRequest.WALKERS = {
    0: _walk_alter_share_group_offsets_request_v0,
}
AlterShareGroupOffsetsRequest.READERS = {
    0: _read_alter_share_group_offsets_request_v0,
}
AlterShareGroupOffsetsRequest.WRITERS = {
    0: _write_alter_share_group_offsets_request_v0,
}
