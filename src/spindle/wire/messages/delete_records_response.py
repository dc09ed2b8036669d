"""DeleteRecordsResponse (key 21), versions 0 to 2. Written by `tools.messages`."""

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
pack_iqh = Struct(">iqh").pack
pack_iqhB = Struct(">iqhB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iqh = Struct(">iqh").unpack_from


class DeleteRecordsPartitionResult(Message):
    """A part of DeleteRecordsResponse."""

    __slots__ = ("partition_index", "low_watermark", "error_code")
    partition_index: int
    low_watermark: int
    error_code: ErrorCode

    def __init__(
        self,
        *,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code


class DeleteRecordsTopicResult(Message):
    """A part of DeleteRecordsResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[DeleteRecordsPartitionResult]

    def __init__(
        self, *, name: str = "", partitions: Sequence[DeleteRecordsPartitionResult] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsResponse(Response):
    """The response of API 21."""

    KEY: ClassVar = 21
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int
    topics: Sequence[DeleteRecordsTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[DeleteRecordsTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_delete_records_partition_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code = unpack_iqh(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    e = new(DeleteRecordsPartitionResult)
    e.partition_index = partition_index
    e.low_watermark = low_watermark
    e.error_code = error_code
    return e, o


def _write_delete_records_partition_result_v0(e: DeleteRecordsPartitionResult, put: Put) -> None:
    put(pack_iqh(e.partition_index, e.low_watermark, e.error_code))


def _read_delete_records_partition_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code = unpack_iqh(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "DeleteRecordsPartitionResult") if b[o] else o + 1
    e = new(DeleteRecordsPartitionResult)
    e.partition_index = partition_index
    e.low_watermark = low_watermark
    e.error_code = error_code
    return e, o


def _write_delete_records_partition_result_v2(e: DeleteRecordsPartitionResult, put: Put) -> None:
    put(pack_iqhB(e.partition_index, e.low_watermark, e.error_code, 0))


def _read_delete_records_topic_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteRecordsTopicResult.name")
    if n > end - o:
        raise short("DeleteRecordsTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsTopicResult.partitions")
    if n * 14 > end - o:
        raise short("DeleteRecordsTopicResult.partitions", n * 14, end - o)
    all_partitions: list[DeleteRecordsPartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_delete_records_partition_result_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(DeleteRecordsTopicResult)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_delete_records_topic_result_v0(e: DeleteRecordsTopicResult, put: Put) -> None:
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
            _write_delete_records_partition_result_v0(one_partitions, put)


def _read_delete_records_topic_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopicResult.name")
    if n > end - o:
        raise short("DeleteRecordsTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsTopicResult.partitions")
    if n * 15 > end - o:
        raise short("DeleteRecordsTopicResult.partitions", n * 15, end - o)
    all_partitions: list[DeleteRecordsPartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_delete_records_partition_result_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DeleteRecordsTopicResult") if b[o] else o + 1
    e = new(DeleteRecordsTopicResult)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_delete_records_topic_result_v2(e: DeleteRecordsTopicResult, put: Put) -> None:
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
            _write_delete_records_partition_result_v2(one_partitions, put)
    put(b"\0")


def _read_delete_records_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteRecordsResponse.topics")
    if n * 6 > end - o:
        raise short("DeleteRecordsResponse.topics", n * 6, end - o)
    all_topics: list[DeleteRecordsTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_delete_records_topic_result_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(DeleteRecordsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_delete_records_response_v0(e: DeleteRecordsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_delete_records_topic_result_v0(one_topics, put)


def _read_delete_records_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteRecordsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteRecordsResponse.topics")
    if n * 3 > end - o:
        raise short("DeleteRecordsResponse.topics", n * 3, end - o)
    all_topics: list[DeleteRecordsTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_delete_records_topic_result_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DeleteRecordsResponse") if b[o] else o + 1
    e = new(DeleteRecordsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_delete_records_response_v2(e: DeleteRecordsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_delete_records_topic_result_v2(one_topics, put)
    put(b"\0")


DeleteRecordsResponse.READERS = {
    0: _read_delete_records_response_v0,
    1: _read_delete_records_response_v0,
    2: _read_delete_records_response_v2,
}
DeleteRecordsPartitionResult.WRITERS = {
    0: _write_delete_records_partition_result_v0,
    1: _write_delete_records_partition_result_v0,
    2: _write_delete_records_partition_result_v2,
}
DeleteRecordsTopicResult.WRITERS = {
    0: _write_delete_records_topic_result_v0,
    1: _write_delete_records_topic_result_v0,
    2: _write_delete_records_topic_result_v2,
}
DeleteRecordsResponse.WRITERS = {
    0: _write_delete_records_response_v0,
    1: _write_delete_records_response_v0,
    2: _write_delete_records_response_v2,
}
