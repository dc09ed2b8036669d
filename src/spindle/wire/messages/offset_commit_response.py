"""OffsetCommitResponse (key 8), versions 2 to 10. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_u = Struct(">16s").unpack_from


class OffsetCommitResponsePartition(Message):
    """A part of OffsetCommitResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetCommitResponseTopic(Message):
    """A part of OffsetCommitResponse."""

    __slots__ = ("topic_id", "name", "partitions")
    topic_id: UUID | None  # from version 10
    name: str  # until version 9
    partitions: Sequence[OffsetCommitResponsePartition]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        name: str = "",
        partitions: Sequence[OffsetCommitResponsePartition] = (),
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partitions = partitions


class OffsetCommitResponse(Response):
    """The response of API 8."""

    KEY: ClassVar = 8
    VERSIONS: ClassVar = range(2, 11)
    FIRST_FLEXIBLE: ClassVar = 8
    THROTTLE_FROM: ClassVar = 3

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int  # from version 3
    topics: Sequence[OffsetCommitResponseTopic]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[OffsetCommitResponseTopic] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_offset_commit_response_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetCommitResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_offset_commit_response_partition_v2(e: OffsetCommitResponsePartition, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))


def _read_offset_commit_response_partition_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetCommitResponsePartition") if b[o] else o + 1
    e = new(OffsetCommitResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_offset_commit_response_partition_v8(e: OffsetCommitResponsePartition, put: Put) -> None:
    put(pack_ihB(e.partition_index, e.error_code, 0))


def _read_offset_commit_response_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponseTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitResponseTopic.name")
    if n > end - o:
        raise short("OffsetCommitResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitResponseTopic.partitions")
    if n * 6 > end - o:
        raise short("OffsetCommitResponseTopic.partitions", n * 6, end - o)
    all_partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_response_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetCommitResponseTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_commit_response_topic_v2(e: OffsetCommitResponseTopic, put: Put) -> None:
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
            _write_offset_commit_response_partition_v2(one_partitions, put)


def _read_offset_commit_response_topic_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitResponseTopic.name")
    if n > end - o:
        raise short("OffsetCommitResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitResponseTopic.partitions")
    if n * 7 > end - o:
        raise short("OffsetCommitResponseTopic.partitions", n * 7, end - o)
    all_partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_response_partition_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetCommitResponseTopic") if b[o] else o + 1
    e = new(OffsetCommitResponseTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_commit_response_topic_v8(e: OffsetCommitResponseTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_commit_response_partition_v8(one_partitions, put)
    put(b"\0")


def _read_offset_commit_response_topic_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponseTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitResponseTopic.partitions")
    if n * 7 > end - o:
        raise short("OffsetCommitResponseTopic.partitions", n * 7, end - o)
    all_partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_response_partition_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetCommitResponseTopic") if b[o] else o + 1
    e = new(OffsetCommitResponseTopic)
    e.topic_id = topic_id
    e.name = ""
    e.partitions = partitions
    return e, o


def _write_offset_commit_response_topic_v10(e: OffsetCommitResponseTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_commit_response_partition_v8(one_partitions, put)
    put(b"\0")


def _read_offset_commit_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitResponse.topics", n * 6, end - o)
    all_topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_response_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitResponse)
    e.throttle_time_ms = 0
    e.topics = topics
    return e, o


def _write_offset_commit_response_v2(e: OffsetCommitResponse, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_commit_response_topic_v2(one_topics, put)


def _read_offset_commit_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitResponse.topics", n * 6, end - o)
    all_topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_response_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_commit_response_v3(e: OffsetCommitResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_commit_response_topic_v2(one_topics, put)


def _read_offset_commit_response_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitResponse.topics")
    if n * 3 > end - o:
        raise short("OffsetCommitResponse.topics", n * 3, end - o)
    all_topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_response_topic_v8(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetCommitResponse") if b[o] else o + 1
    e = new(OffsetCommitResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_commit_response_v8(e: OffsetCommitResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_commit_response_topic_v8(one_topics, put)
    put(b"\0")


def _read_offset_commit_response_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitResponse.topics")
    if n * 18 > end - o:
        raise short("OffsetCommitResponse.topics", n * 18, end - o)
    all_topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_response_topic_v10(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetCommitResponse") if b[o] else o + 1
    e = new(OffsetCommitResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_commit_response_v10(e: OffsetCommitResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_commit_response_topic_v10(one_topics, put)
    put(b"\0")


OffsetCommitResponse.READERS = {
    2: _read_offset_commit_response_v2,
    3: _read_offset_commit_response_v3,
    4: _read_offset_commit_response_v3,
    5: _read_offset_commit_response_v3,
    6: _read_offset_commit_response_v3,
    7: _read_offset_commit_response_v3,
    8: _read_offset_commit_response_v8,
    9: _read_offset_commit_response_v8,
    10: _read_offset_commit_response_v10,
}
OffsetCommitResponsePartition.WRITERS = {
    2: _write_offset_commit_response_partition_v2,
    3: _write_offset_commit_response_partition_v2,
    4: _write_offset_commit_response_partition_v2,
    5: _write_offset_commit_response_partition_v2,
    6: _write_offset_commit_response_partition_v2,
    7: _write_offset_commit_response_partition_v2,
    8: _write_offset_commit_response_partition_v8,
    9: _write_offset_commit_response_partition_v8,
    10: _write_offset_commit_response_partition_v8,
}
OffsetCommitResponseTopic.WRITERS = {
    2: _write_offset_commit_response_topic_v2,
    3: _write_offset_commit_response_topic_v2,
    4: _write_offset_commit_response_topic_v2,
    5: _write_offset_commit_response_topic_v2,
    6: _write_offset_commit_response_topic_v2,
    7: _write_offset_commit_response_topic_v2,
    8: _write_offset_commit_response_topic_v8,
    9: _write_offset_commit_response_topic_v8,
    10: _write_offset_commit_response_topic_v10,
}
OffsetCommitResponse.WRITERS = {
    2: _write_offset_commit_response_v2,
    3: _write_offset_commit_response_v3,
    4: _write_offset_commit_response_v3,
    5: _write_offset_commit_response_v3,
    6: _write_offset_commit_response_v3,
    7: _write_offset_commit_response_v3,
    8: _write_offset_commit_response_v8,
    9: _write_offset_commit_response_v8,
    10: _write_offset_commit_response_v10,
}
