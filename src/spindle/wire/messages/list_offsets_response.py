"""ListOffsetsResponse (key 2), versions 1 to 11. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqi = Struct(">ihqqi").pack
pack_ihqqiB = Struct(">ihqqiB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihqq = Struct(">ihqq").unpack_from
unpack_ihqqi = Struct(">ihqqi").unpack_from


class ListOffsetsPartitionResponse(Message):
    """A part of ListOffsetsResponse."""

    __slots__ = ("partition_index", "error_code", "timestamp", "offset", "leader_epoch")
    partition_index: int
    error_code: ErrorCode
    timestamp: int
    offset: int
    leader_epoch: int  # from version 4

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch


class ListOffsetsTopicResponse(Message):
    """A part of ListOffsetsResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[ListOffsetsPartitionResponse]

    def __init__(
        self, *, name: str = "", partitions: Sequence[ListOffsetsPartitionResponse] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsResponse(Response):
    """The response of API 2."""

    KEY: ClassVar = 2
    VERSIONS: ClassVar = range(1, 12)
    FIRST_FLEXIBLE: ClassVar = 6
    THROTTLE_FROM: ClassVar = 2

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int  # from version 2
    topics: Sequence[ListOffsetsTopicResponse]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[ListOffsetsTopicResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_list_offsets_partition_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset = unpack_ihqq(b, o)
    o += 22
    error_code = ERRORS.get(error_code, error_code)
    e = new(ListOffsetsPartitionResponse)
    e.partition_index = partition_index
    e.error_code = error_code
    e.timestamp = timestamp
    e.offset = offset
    e.leader_epoch = -1
    return e, o


def _write_list_offsets_partition_response_v1(e: ListOffsetsPartitionResponse, put: Put) -> None:
    put(pack_ihqq(e.partition_index, e.error_code, e.timestamp, e.offset))


def _read_list_offsets_partition_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch = unpack_ihqqi(b, o)
    o += 26
    error_code = ERRORS.get(error_code, error_code)
    e = new(ListOffsetsPartitionResponse)
    e.partition_index = partition_index
    e.error_code = error_code
    e.timestamp = timestamp
    e.offset = offset
    e.leader_epoch = leader_epoch
    return e, o


def _write_list_offsets_partition_response_v4(e: ListOffsetsPartitionResponse, put: Put) -> None:
    put(pack_ihqqi(e.partition_index, e.error_code, e.timestamp, e.offset, e.leader_epoch))


def _read_list_offsets_partition_response_v6(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch = unpack_ihqqi(b, o)
    o += 26
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "ListOffsetsPartitionResponse") if b[o] else o + 1
    e = new(ListOffsetsPartitionResponse)
    e.partition_index = partition_index
    e.error_code = error_code
    e.timestamp = timestamp
    e.offset = offset
    e.leader_epoch = leader_epoch
    return e, o


def _write_list_offsets_partition_response_v6(e: ListOffsetsPartitionResponse, put: Put) -> None:
    put(pack_ihqqiB(e.partition_index, e.error_code, e.timestamp, e.offset, e.leader_epoch, 0))


def _read_list_offsets_topic_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsTopicResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopicResponse.name")
    if n > end - o:
        raise short("ListOffsetsTopicResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopicResponse.partitions")
    if n * 22 > end - o:
        raise short("ListOffsetsTopicResponse.partitions", n * 22, end - o)
    all_partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_response_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(ListOffsetsTopicResponse)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_response_v1(e: ListOffsetsTopicResponse, put: Put) -> None:
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
            _write_list_offsets_partition_response_v1(one_partitions, put)


def _read_list_offsets_topic_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsTopicResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopicResponse.name")
    if n > end - o:
        raise short("ListOffsetsTopicResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopicResponse.partitions")
    if n * 26 > end - o:
        raise short("ListOffsetsTopicResponse.partitions", n * 26, end - o)
    all_partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_response_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(ListOffsetsTopicResponse)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_response_v4(e: ListOffsetsTopicResponse, put: Put) -> None:
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
            _write_list_offsets_partition_response_v4(one_partitions, put)


def _read_list_offsets_topic_response_v6(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsTopicResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopicResponse.name")
    if n > end - o:
        raise short("ListOffsetsTopicResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopicResponse.partitions")
    if n * 27 > end - o:
        raise short("ListOffsetsTopicResponse.partitions", n * 27, end - o)
    all_partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_response_v6(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ListOffsetsTopicResponse") if b[o] else o + 1
    e = new(ListOffsetsTopicResponse)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_response_v6(e: ListOffsetsTopicResponse, put: Put) -> None:
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
            _write_list_offsets_partition_response_v6(one_partitions, put)
    put(b"\0")


def _read_list_offsets_response_v1(b: Buffer, o: int, end: int) -> tuple[ListOffsetsResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsResponse.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsResponse.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_response_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsResponse)
    e.throttle_time_ms = 0
    e.topics = topics
    return e, o


def _write_list_offsets_response_v1(e: ListOffsetsResponse, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_list_offsets_topic_response_v1(one_topics, put)


def _read_list_offsets_response_v2(b: Buffer, o: int, end: int) -> tuple[ListOffsetsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsResponse.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsResponse.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_response_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_list_offsets_response_v2(e: ListOffsetsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_list_offsets_topic_response_v1(one_topics, put)


def _read_list_offsets_response_v4(b: Buffer, o: int, end: int) -> tuple[ListOffsetsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsResponse.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsResponse.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_response_v4(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_list_offsets_response_v4(e: ListOffsetsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_list_offsets_topic_response_v4(one_topics, put)


def _read_list_offsets_response_v6(b: Buffer, o: int, end: int) -> tuple[ListOffsetsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsResponse.topics")
    if n * 3 > end - o:
        raise short("ListOffsetsResponse.topics", n * 3, end - o)
    all_topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_response_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ListOffsetsResponse") if b[o] else o + 1
    e = new(ListOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_list_offsets_response_v6(e: ListOffsetsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_list_offsets_topic_response_v6(one_topics, put)
    put(b"\0")


ListOffsetsResponse.READERS = {
    1: _read_list_offsets_response_v1,
    2: _read_list_offsets_response_v2,
    3: _read_list_offsets_response_v2,
    4: _read_list_offsets_response_v4,
    5: _read_list_offsets_response_v4,
    6: _read_list_offsets_response_v6,
    7: _read_list_offsets_response_v6,
    8: _read_list_offsets_response_v6,
    9: _read_list_offsets_response_v6,
    10: _read_list_offsets_response_v6,
    11: _read_list_offsets_response_v6,
}
ListOffsetsPartitionResponse.WRITERS = {
    1: _write_list_offsets_partition_response_v1,
    2: _write_list_offsets_partition_response_v1,
    3: _write_list_offsets_partition_response_v1,
    4: _write_list_offsets_partition_response_v4,
    5: _write_list_offsets_partition_response_v4,
    6: _write_list_offsets_partition_response_v6,
    7: _write_list_offsets_partition_response_v6,
    8: _write_list_offsets_partition_response_v6,
    9: _write_list_offsets_partition_response_v6,
    10: _write_list_offsets_partition_response_v6,
    11: _write_list_offsets_partition_response_v6,
}
ListOffsetsTopicResponse.WRITERS = {
    1: _write_list_offsets_topic_response_v1,
    2: _write_list_offsets_topic_response_v1,
    3: _write_list_offsets_topic_response_v1,
    4: _write_list_offsets_topic_response_v4,
    5: _write_list_offsets_topic_response_v4,
    6: _write_list_offsets_topic_response_v6,
    7: _write_list_offsets_topic_response_v6,
    8: _write_list_offsets_topic_response_v6,
    9: _write_list_offsets_topic_response_v6,
    10: _write_list_offsets_topic_response_v6,
    11: _write_list_offsets_topic_response_v6,
}
ListOffsetsResponse.WRITERS = {
    1: _write_list_offsets_response_v1,
    2: _write_list_offsets_response_v2,
    3: _write_list_offsets_response_v2,
    4: _write_list_offsets_response_v4,
    5: _write_list_offsets_response_v4,
    6: _write_list_offsets_response_v6,
    7: _write_list_offsets_response_v6,
    8: _write_list_offsets_response_v6,
    9: _write_list_offsets_response_v6,
    10: _write_list_offsets_response_v6,
    11: _write_list_offsets_response_v6,
}
