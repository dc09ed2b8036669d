"""ListOffsetsRequest (key 2), versions 1 to 11. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.list_offsets_response import ListOffsetsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ib = Struct(">ib").pack
pack_iiq = Struct(">iiq").pack
pack_iiqB = Struct(">iiqB").pack
pack_iq = Struct(">iq").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ib = Struct(">ib").unpack_from
unpack_iiq = Struct(">iiq").unpack_from
unpack_iq = Struct(">iq").unpack_from


class ListOffsetsPartition(Message):
    """A part of ListOffsetsRequest."""

    __slots__ = ("partition_index", "current_leader_epoch", "timestamp")
    partition_index: int
    current_leader_epoch: int  # from version 4
    timestamp: int

    def __init__(
        self, *, partition_index: int = 0, current_leader_epoch: int = -1, timestamp: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp


class ListOffsetsTopic(Message):
    """A part of ListOffsetsRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[ListOffsetsPartition]

    def __init__(self, *, name: str = "", partitions: Sequence[ListOffsetsPartition] = ()) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsRequest(Request[ListOffsetsResponse]):
    """The request of API 2."""

    KEY: ClassVar = 2
    VERSIONS: ClassVar = range(1, 12)
    FIRST_FLEXIBLE: ClassVar = 6

    __slots__ = ("replica_id", "isolation_level", "topics", "timeout_ms")
    replica_id: int
    isolation_level: int  # from version 2
    topics: Sequence[ListOffsetsTopic]
    timeout_ms: int  # from version 10

    def __init__(
        self,
        *,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: Sequence[ListOffsetsTopic] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = topics
        self.timeout_ms = timeout_ms


def _read_list_offsets_partition_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartition, int]:
    partition_index, timestamp = unpack_iq(b, o)
    o += 12
    e = new(ListOffsetsPartition)
    e.partition_index = partition_index
    e.current_leader_epoch = -1
    e.timestamp = timestamp
    return e, o


def _write_list_offsets_partition_v1(e: ListOffsetsPartition, put: Put) -> None:
    put(pack_iq(e.partition_index, e.timestamp))


def _read_list_offsets_partition_v4(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp = unpack_iiq(b, o)
    o += 16
    e = new(ListOffsetsPartition)
    e.partition_index = partition_index
    e.current_leader_epoch = current_leader_epoch
    e.timestamp = timestamp
    return e, o


def _write_list_offsets_partition_v4(e: ListOffsetsPartition, put: Put) -> None:
    put(pack_iiq(e.partition_index, e.current_leader_epoch, e.timestamp))


def _read_list_offsets_partition_v6(
    b: Buffer, o: int, end: int
) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp = unpack_iiq(b, o)
    o += 16
    o = skip_tags(b, o, end, "ListOffsetsPartition") if b[o] else o + 1
    e = new(ListOffsetsPartition)
    e.partition_index = partition_index
    e.current_leader_epoch = current_leader_epoch
    e.timestamp = timestamp
    return e, o


def _write_list_offsets_partition_v6(e: ListOffsetsPartition, put: Put) -> None:
    put(pack_iiqB(e.partition_index, e.current_leader_epoch, e.timestamp, 0))


def _read_list_offsets_topic_v1(b: Buffer, o: int, end: int) -> tuple[ListOffsetsTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 12 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 12, end - o)
    all_partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_v1(e: ListOffsetsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_list_offsets_partition_v1(one_partitions, put)


def _walk_list_offsets_topic_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 12 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 12, end - o)
    partitions, o = yield from read_each(_read_list_offsets_partition_v1, b, o, end, at, n)
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_list_offsets_topic_v4(b: Buffer, o: int, end: int) -> tuple[ListOffsetsTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 16 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 16, end - o)
    all_partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_v4(e: ListOffsetsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_list_offsets_partition_v4(one_partitions, put)


def _walk_list_offsets_topic_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 16 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 16, end - o)
    partitions, o = yield from read_each(_read_list_offsets_partition_v4, b, o, end, at, n)
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_list_offsets_topic_v6(b: Buffer, o: int, end: int) -> tuple[ListOffsetsTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 17 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 17, end - o)
    all_partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_list_offsets_partition_v6(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ListOffsetsTopic") if b[o] else o + 1
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_list_offsets_topic_v6(e: ListOffsetsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_list_offsets_partition_v6(one_partitions, put)
    put(b"\0")


def _walk_list_offsets_topic_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopic.name")
    if n > end - o:
        raise short("ListOffsetsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsTopic.partitions")
    if n * 17 > end - o:
        raise short("ListOffsetsTopic.partitions", n * 17, end - o)
    partitions, o = yield from read_each(_read_list_offsets_partition_v6, b, o, end, at, n)
    o = skip_tags(b, o, end, "ListOffsetsTopic") if b[o] else o + 1
    e = new(ListOffsetsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_list_offsets_request_v1(b: Buffer, o: int, end: int) -> tuple[ListOffsetsRequest, int]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = 0
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _write_list_offsets_request_v1(e: ListOffsetsRequest, put: Put) -> None:
    put(pack_i(e.replica_id))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_list_offsets_topic_v1(one_topics, put)


def _walk_list_offsets_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsRequest]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_list_offsets_topic_v1, b, o, end, at, n)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = 0
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _read_list_offsets_request_v2(b: Buffer, o: int, end: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _write_list_offsets_request_v2(e: ListOffsetsRequest, put: Put) -> None:
    put(pack_ib(e.replica_id, e.isolation_level))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_list_offsets_topic_v1(one_topics, put)


def _walk_list_offsets_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsRequest]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_list_offsets_topic_v1, b, o, end, at, n)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _read_list_offsets_request_v4(b: Buffer, o: int, end: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    all_topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_v4(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _write_list_offsets_request_v4(e: ListOffsetsRequest, put: Put) -> None:
    put(pack_ib(e.replica_id, e.isolation_level))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_list_offsets_topic_v4(one_topics, put)


def _walk_list_offsets_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsRequest]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 6 > end - o:
        raise short("ListOffsetsRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_list_offsets_topic_v4, b, o, end, at, n)
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _read_list_offsets_request_v6(b: Buffer, o: int, end: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("ListOffsetsRequest.topics", n * 3, end - o)
    all_topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ListOffsetsRequest") if b[o] else o + 1
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _write_list_offsets_request_v6(e: ListOffsetsRequest, put: Put) -> None:
    put(pack_ib(e.replica_id, e.isolation_level))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_list_offsets_topic_v6(one_topics, put)
    put(b"\0")


def _walk_list_offsets_request_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsRequest]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("ListOffsetsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_list_offsets_topic_v6, b, o, end, at, n)
    o = skip_tags(b, o, end, "ListOffsetsRequest") if b[o] else o + 1
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = 0
    return e, o


def _read_list_offsets_request_v10(b: Buffer, o: int, end: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("ListOffsetsRequest.topics", n * 3, end - o)
    all_topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        one_topics, o = _read_list_offsets_topic_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "ListOffsetsRequest") if b[o] else o + 1
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


def _write_list_offsets_request_v10(e: ListOffsetsRequest, put: Put) -> None:
    put(pack_ib(e.replica_id, e.isolation_level))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_list_offsets_topic_v6(one_topics, put)
    put(pack_iB(e.timeout_ms, 0))


def _walk_list_offsets_request_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListOffsetsRequest]:
    replica_id, isolation_level = unpack_ib(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListOffsetsRequest.topics")
    if n * 3 > end - o:
        raise short("ListOffsetsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_list_offsets_topic_v6, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "ListOffsetsRequest") if b[o] else o + 1
    e = new(ListOffsetsRequest)
    e.replica_id = replica_id
    e.isolation_level = isolation_level
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


ListOffsetsRequest.RESPONSE = ListOffsetsResponse
ListOffsetsRequest.WALKERS = {
    1: _walk_list_offsets_request_v1,
    2: _walk_list_offsets_request_v2,
    3: _walk_list_offsets_request_v2,
    4: _walk_list_offsets_request_v4,
    5: _walk_list_offsets_request_v4,
    6: _walk_list_offsets_request_v6,
    7: _walk_list_offsets_request_v6,
    8: _walk_list_offsets_request_v6,
    9: _walk_list_offsets_request_v6,
    10: _walk_list_offsets_request_v10,
    11: _walk_list_offsets_request_v10,
}
ListOffsetsRequest.READERS = {
    1: _read_list_offsets_request_v1,
    2: _read_list_offsets_request_v2,
    3: _read_list_offsets_request_v2,
    4: _read_list_offsets_request_v4,
    5: _read_list_offsets_request_v4,
    6: _read_list_offsets_request_v6,
    7: _read_list_offsets_request_v6,
    8: _read_list_offsets_request_v6,
    9: _read_list_offsets_request_v6,
    10: _read_list_offsets_request_v10,
    11: _read_list_offsets_request_v10,
}
ListOffsetsRequest.WRITERS = {
    1: _write_list_offsets_request_v1,
    2: _write_list_offsets_request_v2,
    3: _write_list_offsets_request_v2,
    4: _write_list_offsets_request_v4,
    5: _write_list_offsets_request_v4,
    6: _write_list_offsets_request_v6,
    7: _write_list_offsets_request_v6,
    8: _write_list_offsets_request_v6,
    9: _write_list_offsets_request_v6,
    10: _write_list_offsets_request_v10,
    11: _write_list_offsets_request_v10,
}
