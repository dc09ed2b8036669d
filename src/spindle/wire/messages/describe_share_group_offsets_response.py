"""DescribeShareGroupOffsetsResponse (key 90), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iqih = Struct(">iqih").pack
pack_iqiqh = Struct(">iqiqh").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_iqiqh = Struct(">iqiqh").unpack_from
unpack_u = Struct(">16s").unpack_from


class DescribeShareGroupOffsetsResponsePartition(Message):
    """A part of DescribeShareGroupOffsetsResponse."""

    __slots__ = (
        "partition_index",
        "start_offset",
        "leader_epoch",
        "lag",
        "error_code",
        "error_message",
    )
    partition_index: int
    start_offset: int
    leader_epoch: int
    lag: int  # from version 1
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        partition_index: int = 0,
        start_offset: int = 0,
        leader_epoch: int = 0,
        lag: int = -1,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponseTopic(Message):
    """A part of DescribeShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "partitions")
    topic_name: str
    topic_id: UUID | None
    partitions: Sequence[DescribeShareGroupOffsetsResponsePartition]

    def __init__(
        self,
        *,
        topic_name: str = "",
        topic_id: UUID | None = None,
        partitions: Sequence[DescribeShareGroupOffsetsResponsePartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions


class DescribeShareGroupOffsetsResponseGroup(Message):
    """A part of DescribeShareGroupOffsetsResponse."""

    __slots__ = ("group_id", "topics", "error_code", "error_message")
    group_id: str
    topics: Sequence[DescribeShareGroupOffsetsResponseTopic]
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: Sequence[DescribeShareGroupOffsetsResponseTopic] = (),
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponse(Response):
    """The response of API 90."""

    KEY: ClassVar = 90
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "groups")
    throttle_time_ms: int
    groups: Sequence[DescribeShareGroupOffsetsResponseGroup]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribeShareGroupOffsetsResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _read_describe_share_group_offsets_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, error_code = unpack_iqih(b, o)
    o += 18
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeShareGroupOffsetsResponsePartition.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponsePartition") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponsePartition)
    e.partition_index = partition_index
    e.start_offset = start_offset
    e.leader_epoch = leader_epoch
    e.lag = -1
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_describe_share_group_offsets_response_partition_v0(
    e: DescribeShareGroupOffsetsResponsePartition, put: Put
) -> None:
    put(pack_iqih(e.partition_index, e.start_offset, e.leader_epoch, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_share_group_offsets_response_partition_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, lag, error_code = unpack_iqiqh(b, o)
    o += 26
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeShareGroupOffsetsResponsePartition.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponsePartition") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponsePartition)
    e.partition_index = partition_index
    e.start_offset = start_offset
    e.leader_epoch = leader_epoch
    e.lag = lag
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_describe_share_group_offsets_response_partition_v1(
    e: DescribeShareGroupOffsetsResponsePartition, put: Put
) -> None:
    put(pack_iqiqh(e.partition_index, e.start_offset, e.leader_epoch, e.lag, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_share_group_offsets_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseTopic.topic_name")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsResponseTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseTopic.partitions")
    if n * 20 > end - o:
        raise short("DescribeShareGroupOffsetsResponseTopic.partitions", n * 20, end - o)
    all_partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_describe_share_group_offsets_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponseTopic") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponseTopic)
    e.topic_name = topic_name
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_describe_share_group_offsets_response_topic_v0(
    e: DescribeShareGroupOffsetsResponseTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_describe_share_group_offsets_response_partition_v0(one_partitions, put)
    put(b"\0")


def _read_describe_share_group_offsets_response_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseTopic.topic_name")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsResponseTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseTopic.partitions")
    if n * 28 > end - o:
        raise short("DescribeShareGroupOffsetsResponseTopic.partitions", n * 28, end - o)
    all_partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_describe_share_group_offsets_response_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponseTopic") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponseTopic)
    e.topic_name = topic_name
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_describe_share_group_offsets_response_topic_v1(
    e: DescribeShareGroupOffsetsResponseTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_describe_share_group_offsets_response_partition_v1(one_partitions, put)
    put(b"\0")


def _read_describe_share_group_offsets_response_group_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseGroup.group_id")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsResponseGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseGroup.topics")
    if n * 19 > end - o:
        raise short("DescribeShareGroupOffsetsResponseGroup.topics", n * 19, end - o)
    all_topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_share_group_offsets_response_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeShareGroupOffsetsResponseGroup.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponseGroup") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponseGroup)
    e.group_id = group_id
    e.topics = topics
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_describe_share_group_offsets_response_group_v0(
    e: DescribeShareGroupOffsetsResponseGroup, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_share_group_offsets_response_topic_v0(one_topics, put)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_share_group_offsets_response_group_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseGroup.group_id")
    if n > end - o:
        raise short("DescribeShareGroupOffsetsResponseGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponseGroup.topics")
    if n * 19 > end - o:
        raise short("DescribeShareGroupOffsetsResponseGroup.topics", n * 19, end - o)
    all_topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_share_group_offsets_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeShareGroupOffsetsResponseGroup.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponseGroup") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponseGroup)
    e.group_id = group_id
    e.topics = topics
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_describe_share_group_offsets_response_group_v1(
    e: DescribeShareGroupOffsetsResponseGroup, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_share_group_offsets_response_topic_v1(one_topics, put)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_share_group_offsets_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponse.groups")
    if n * 6 > end - o:
        raise short("DescribeShareGroupOffsetsResponse.groups", n * 6, end - o)
    all_groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    for _ in range(n):
        one_groups, o = _read_describe_share_group_offsets_response_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponse") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_share_group_offsets_response_v0(
    e: DescribeShareGroupOffsetsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_describe_share_group_offsets_response_group_v0(one_groups, put)
    put(b"\0")


def _read_describe_share_group_offsets_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeShareGroupOffsetsResponse.groups")
    if n * 6 > end - o:
        raise short("DescribeShareGroupOffsetsResponse.groups", n * 6, end - o)
    all_groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    for _ in range(n):
        one_groups, o = _read_describe_share_group_offsets_response_group_v1(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "DescribeShareGroupOffsetsResponse") if b[o] else o + 1
    e = new(DescribeShareGroupOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_share_group_offsets_response_v1(
    e: DescribeShareGroupOffsetsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_describe_share_group_offsets_response_group_v1(one_groups, put)
    put(b"\0")


DescribeShareGroupOffsetsResponse.READERS = {
    0: _read_describe_share_group_offsets_response_v0,
    1: _read_describe_share_group_offsets_response_v1,
}
DescribeShareGroupOffsetsResponsePartition.WRITERS = {
    0: _write_describe_share_group_offsets_response_partition_v0,
    1: _write_describe_share_group_offsets_response_partition_v1,
}
DescribeShareGroupOffsetsResponseTopic.WRITERS = {
    0: _write_describe_share_group_offsets_response_topic_v0,
    1: _write_describe_share_group_offsets_response_topic_v1,
}
DescribeShareGroupOffsetsResponseGroup.WRITERS = {
    0: _write_describe_share_group_offsets_response_group_v0,
    1: _write_describe_share_group_offsets_response_group_v1,
}
DescribeShareGroupOffsetsResponse.WRITERS = {
    0: _write_describe_share_group_offsets_response_v0,
    1: _write_describe_share_group_offsets_response_v1,
}
