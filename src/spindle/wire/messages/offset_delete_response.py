"""OffsetDeleteResponse (key 47), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null
from spindle.wire.values import ERRORS, short

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class OffsetDeleteResponsePartition(Message):
    """A part of OffsetDeleteResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetDeleteResponseTopic(Message):
    """A part of OffsetDeleteResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[OffsetDeleteResponsePartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[OffsetDeleteResponsePartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteResponse(Response):
    """The response of API 47."""

    KEY: ClassVar = 47
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 32767

    __slots__ = ("error_code", "throttle_time_ms", "topics")
    error_code: ErrorCode
    throttle_time_ms: int
    topics: Sequence[OffsetDeleteResponseTopic]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetDeleteResponseTopic] = (),
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_offset_delete_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[OffsetDeleteResponsePartition, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetDeleteResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_offset_delete_response_partition_v0(e: OffsetDeleteResponsePartition, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))


def _read_offset_delete_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[OffsetDeleteResponseTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetDeleteResponseTopic.name")
    if n > end - o:
        raise short("OffsetDeleteResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteResponseTopic.partitions")
    if n * 6 > end - o:
        raise short("OffsetDeleteResponseTopic.partitions", n * 6, end - o)
    all_partitions: list[OffsetDeleteResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_delete_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetDeleteResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_delete_response_topic_v0(e: OffsetDeleteResponseTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_delete_response_partition_v0(one_partitions, put)


def _read_offset_delete_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[OffsetDeleteResponse, int]:
    error_code, throttle_time_ms = unpack_hi(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetDeleteResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetDeleteResponse.topics", n * 6, end - o)
    all_topics: list[OffsetDeleteResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_delete_response_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetDeleteResponse)
    e.error_code = error_code
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_delete_response_v0(e: OffsetDeleteResponse, put: Put) -> None:
    put(pack_hi(e.error_code, e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_delete_response_topic_v0(one_topics, put)


OffsetDeleteResponse.READERS = {
    0: _read_offset_delete_response_v0,
}
OffsetDeleteResponsePartition.WRITERS = {
    0: _write_offset_delete_response_partition_v0,
}
OffsetDeleteResponseTopic.WRITERS = {
    0: _write_offset_delete_response_topic_v0,
}
OffsetDeleteResponse.WRITERS = {
    0: _write_offset_delete_response_v0,
}
