"""DeleteRecordsRequest (key 21), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.delete_records_response import DeleteRecordsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_iq = Struct(">iq").pack
pack_iqB = Struct(">iqB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iq = Struct(">iq").unpack_from


class DeleteRecordsPartition(Message):
    """A part of DeleteRecordsRequest."""

    __slots__ = ("partition_index", "offset")
    partition_index: int
    offset: int

    def __init__(self, *, partition_index: int = 0, offset: int = 0) -> None:
        self.partition_index = partition_index
        self.offset = offset


class DeleteRecordsTopic(Message):
    """A part of DeleteRecordsRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[DeleteRecordsPartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[DeleteRecordsPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsRequest(Request[DeleteRecordsResponse]):
    """The request of API 21."""

    KEY: ClassVar = 21
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("topics", "timeout_ms")
    topics: Sequence[DeleteRecordsTopic]
    timeout_ms: int

    def __init__(self, *, topics: Sequence[DeleteRecordsTopic] = (), timeout_ms: int = 0) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms


def _read_delete_records_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset = unpack_iq(b, o)
    o += 12
    e = new(DeleteRecordsPartition)
    e.partition_index = partition_index
    e.offset = offset
    return e, o


def _write_delete_records_partition_v0(e: DeleteRecordsPartition, put: Put) -> None:
    put(pack_iq(e.partition_index, e.offset))


def _read_delete_records_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "DeleteRecordsPartition") if b[o] else o + 1
    e = new(DeleteRecordsPartition)
    e.partition_index = partition_index
    e.offset = offset
    return e, o


def _write_delete_records_partition_v2(e: DeleteRecordsPartition, put: Put) -> None:
    put(pack_iqB(e.partition_index, e.offset, 0))


def _read_delete_records_topic_v0(b: Buffer, o: int, end: int) -> tuple[DeleteRecordsTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteRecordsTopic.name")
    if n > end - o:
        raise short("DeleteRecordsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsTopic.partitions")
    if n * 12 > end - o:
        raise short("DeleteRecordsTopic.partitions", n * 12, end - o)
    all_partitions: list[DeleteRecordsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_delete_records_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(DeleteRecordsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_delete_records_topic_v0(e: DeleteRecordsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_delete_records_partition_v0(one_partitions, put)


def _walk_delete_records_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteRecordsTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteRecordsTopic.name")
    if n > end - o:
        raise short("DeleteRecordsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsTopic.partitions")
    if n * 12 > end - o:
        raise short("DeleteRecordsTopic.partitions", n * 12, end - o)
    partitions, o = yield from read_each(_read_delete_records_partition_v0, b, o, end, at, n)
    e = new(DeleteRecordsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_delete_records_topic_v2(b: Buffer, o: int, end: int) -> tuple[DeleteRecordsTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopic.name")
    if n > end - o:
        raise short("DeleteRecordsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopic.partitions")
    if n * 13 > end - o:
        raise short("DeleteRecordsTopic.partitions", n * 13, end - o)
    all_partitions: list[DeleteRecordsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_delete_records_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DeleteRecordsTopic") if b[o] else o + 1
    e = new(DeleteRecordsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_delete_records_topic_v2(e: DeleteRecordsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_delete_records_partition_v2(one_partitions, put)
    put(b"\0")


def _walk_delete_records_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteRecordsTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopic.name")
    if n > end - o:
        raise short("DeleteRecordsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopic.partitions")
    if n * 13 > end - o:
        raise short("DeleteRecordsTopic.partitions", n * 13, end - o)
    partitions, o = yield from read_each(_read_delete_records_partition_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "DeleteRecordsTopic") if b[o] else o + 1
    e = new(DeleteRecordsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_delete_records_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsRequest.topics")
    if n * 6 > end - o:
        raise short("DeleteRecordsRequest.topics", n * 6, end - o)
    all_topics: list[DeleteRecordsTopic] = []
    for _ in range(n):
        one_topics, o = _read_delete_records_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(DeleteRecordsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


def _write_delete_records_request_v0(e: DeleteRecordsRequest, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_delete_records_topic_v0(one_topics, put)
    put(pack_i(e.timeout_ms))


def _walk_delete_records_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteRecordsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsRequest.topics")
    if n * 6 > end - o:
        raise short("DeleteRecordsRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_delete_records_topic_v0, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(DeleteRecordsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


def _read_delete_records_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsRequest.topics")
    if n * 3 > end - o:
        raise short("DeleteRecordsRequest.topics", n * 3, end - o)
    all_topics: list[DeleteRecordsTopic] = []
    for _ in range(n):
        one_topics, o = _read_delete_records_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteRecordsRequest") if b[o] else o + 1
    e = new(DeleteRecordsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


def _write_delete_records_request_v2(e: DeleteRecordsRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_delete_records_topic_v2(one_topics, put)
    put(pack_iB(e.timeout_ms, 0))


def _walk_delete_records_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteRecordsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsRequest.topics")
    if n * 3 > end - o:
        raise short("DeleteRecordsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_delete_records_topic_v2, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteRecordsRequest") if b[o] else o + 1
    e = new(DeleteRecordsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    return e, o


DeleteRecordsRequest.RESPONSE = DeleteRecordsResponse
DeleteRecordsRequest.WALKERS = {
    0: _walk_delete_records_request_v0,
    1: _walk_delete_records_request_v0,
    2: _walk_delete_records_request_v2,
}
DeleteRecordsRequest.READERS = {
    0: _read_delete_records_request_v0,
    1: _read_delete_records_request_v0,
    2: _read_delete_records_request_v2,
}
DeleteRecordsRequest.WRITERS = {
    0: _write_delete_records_request_v0,
    1: _write_delete_records_request_v0,
    2: _write_delete_records_request_v2,
}
