"""DescribeLogDirsResponse (key 35), versions 1 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Packed,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_iqqt = Struct(">iqq?").pack
pack_iqqtB = Struct(">iqq?B").pack
pack_qq = Struct(">qq").pack
pack_qqt = Struct(">qq?").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_iqqt = Struct(">iqq?").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_qqt = Struct(">qq?").unpack_from
unpack_u = Struct(">16s").unpack_from


class DescribeLogDirsPartition(Message):
    """A part of DescribeLogDirsResponse."""

    __slots__ = ("partition_index", "partition_size", "offset_lag", "is_future_key")
    partition_index: int
    partition_size: int
    offset_lag: int
    is_future_key: bool

    def __init__(
        self,
        *,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key


class DescribeLogDirsTopic(Message):
    """A part of DescribeLogDirsResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[DescribeLogDirsPartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[DescribeLogDirsPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class DescribeLogDirsResult(Message):
    """A part of DescribeLogDirsResponse."""

    __slots__ = (
        "error_code",
        "log_dir",
        "topics",
        "total_bytes",
        "usable_bytes",
        "is_cordoned",
        "directory_id",
    )
    error_code: ErrorCode
    log_dir: str
    topics: Sequence[DescribeLogDirsTopic]
    total_bytes: int  # from version 4
    usable_bytes: int  # from version 4
    is_cordoned: bool  # from version 5
    directory_id: UUID | None  # from version 2, tag 10000

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        log_dir: str = "",
        topics: Sequence[DescribeLogDirsTopic] = (),
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
        directory_id: UUID | None = None,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned
        self.directory_id = directory_id


class DescribeLogDirsResponse(Response):
    """The response of API 35."""

    KEY: ClassVar = 35
    VERSIONS: ClassVar = range(1, 6)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code", "results")
    throttle_time_ms: int
    error_code: ErrorCode  # from version 3
    results: Sequence[DescribeLogDirsResult]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        results: Sequence[DescribeLogDirsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = results


def _read_describe_log_dirs_partition_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key = unpack_iqqt(b, o)
    o += 21
    e = new(DescribeLogDirsPartition)
    e.partition_index = partition_index
    e.partition_size = partition_size
    e.offset_lag = offset_lag
    e.is_future_key = is_future_key
    return e, o


def _write_describe_log_dirs_partition_v1(e: DescribeLogDirsPartition, put: Put) -> None:
    put(pack_iqqt(e.partition_index, e.partition_size, e.offset_lag, e.is_future_key))


def _read_describe_log_dirs_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key = unpack_iqqt(b, o)
    o += 21
    o = skip_tags(b, o, end, "DescribeLogDirsPartition") if b[o] else o + 1
    e = new(DescribeLogDirsPartition)
    e.partition_index = partition_index
    e.partition_size = partition_size
    e.offset_lag = offset_lag
    e.is_future_key = is_future_key
    return e, o


def _write_describe_log_dirs_partition_v2(e: DescribeLogDirsPartition, put: Put) -> None:
    put(pack_iqqtB(e.partition_index, e.partition_size, e.offset_lag, e.is_future_key, 0))


def _read_describe_log_dirs_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeLogDirsTopic.name")
    if n > end - o:
        raise short("DescribeLogDirsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeLogDirsTopic.partitions")
    if n * 21 > end - o:
        raise short("DescribeLogDirsTopic.partitions", n * 21, end - o)
    all_partitions: list[DescribeLogDirsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_describe_log_dirs_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(DescribeLogDirsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_describe_log_dirs_topic_v1(e: DescribeLogDirsTopic, put: Put) -> None:
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
            _write_describe_log_dirs_partition_v1(one_partitions, put)


def _read_describe_log_dirs_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsTopic.name")
    if n > end - o:
        raise short("DescribeLogDirsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsTopic.partitions")
    if n * 22 > end - o:
        raise short("DescribeLogDirsTopic.partitions", n * 22, end - o)
    all_partitions: list[DescribeLogDirsPartition] = []
    for _ in range(n):
        one_partitions, o = _read_describe_log_dirs_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DescribeLogDirsTopic") if b[o] else o + 1
    e = new(DescribeLogDirsTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_describe_log_dirs_topic_v2(e: DescribeLogDirsTopic, put: Put) -> None:
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
            _write_describe_log_dirs_partition_v2(one_partitions, put)
    put(b"\0")


def _read_describe_log_dirs_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeLogDirsResult.log_dir")
    if n > end - o:
        raise short("DescribeLogDirsResult.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeLogDirsResult.topics")
    if n * 6 > end - o:
        raise short("DescribeLogDirsResult.topics", n * 6, end - o)
    all_topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_log_dirs_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(DescribeLogDirsResult)
    e.error_code = error_code
    e.log_dir = log_dir
    e.topics = topics
    e.total_bytes = -1
    e.usable_bytes = -1
    e.is_cordoned = False
    e.directory_id = None
    return e, o


def _write_describe_log_dirs_result_v1(e: DescribeLogDirsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_log_dirs_topic_v1(one_topics, put)


def _read_describe_log_dirs_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.log_dir")
    if n > end - o:
        raise short("DescribeLogDirsResult.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.topics")
    if n * 3 > end - o:
        raise short("DescribeLogDirsResult.topics", n * 3, end - o)
    all_topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_log_dirs_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    directory_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "DescribeLogDirsResult")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "DescribeLogDirsResult")
            if tag == 10000:
                (directory_id,) = unpack_u(b, o)
                o += 16
                directory_id = uuid_of(directory_id)
                if o != stop:
                    raise wrong_size("DescribeLogDirsResult.directory_id", o - stop)
            o = stop
    e = new(DescribeLogDirsResult)
    e.error_code = error_code
    e.log_dir = log_dir
    e.topics = topics
    e.total_bytes = -1
    e.usable_bytes = -1
    e.is_cordoned = False
    e.directory_id = directory_id
    return e, o


def _write_describe_log_dirs_result_v2(e: DescribeLogDirsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_log_dirs_topic_v2(one_topics, put)
    tags: list[bytes] = []
    outer = put
    directory_id = e.directory_id
    if directory_id is not None:
        directory_id_pieces: list[Buffer] = []
        put = directory_id_pieces.append
        put(pack_u(ZERO_UUID if directory_id is None else directory_id.bytes))
        piece = b"".join(directory_id_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_describe_log_dirs_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.log_dir")
    if n > end - o:
        raise short("DescribeLogDirsResult.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.topics")
    if n * 3 > end - o:
        raise short("DescribeLogDirsResult.topics", n * 3, end - o)
    all_topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_log_dirs_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    total_bytes, usable_bytes = unpack_qq(b, o)
    o += 16
    directory_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "DescribeLogDirsResult")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "DescribeLogDirsResult")
            if tag == 10000:
                (directory_id,) = unpack_u(b, o)
                o += 16
                directory_id = uuid_of(directory_id)
                if o != stop:
                    raise wrong_size("DescribeLogDirsResult.directory_id", o - stop)
            o = stop
    e = new(DescribeLogDirsResult)
    e.error_code = error_code
    e.log_dir = log_dir
    e.topics = topics
    e.total_bytes = total_bytes
    e.usable_bytes = usable_bytes
    e.is_cordoned = False
    e.directory_id = directory_id
    return e, o


def _write_describe_log_dirs_result_v4(e: DescribeLogDirsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_log_dirs_topic_v2(one_topics, put)
    put(pack_qq(e.total_bytes, e.usable_bytes))
    tags: list[bytes] = []
    outer = put
    directory_id = e.directory_id
    if directory_id is not None:
        directory_id_pieces: list[Buffer] = []
        put = directory_id_pieces.append
        put(pack_u(ZERO_UUID if directory_id is None else directory_id.bytes))
        piece = b"".join(directory_id_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_describe_log_dirs_result_v5(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.log_dir")
    if n > end - o:
        raise short("DescribeLogDirsResult.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResult.topics")
    if n * 3 > end - o:
        raise short("DescribeLogDirsResult.topics", n * 3, end - o)
    all_topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_log_dirs_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    total_bytes, usable_bytes, is_cordoned = unpack_qqt(b, o)
    o += 17
    directory_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "DescribeLogDirsResult")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "DescribeLogDirsResult")
            if tag == 10000:
                (directory_id,) = unpack_u(b, o)
                o += 16
                directory_id = uuid_of(directory_id)
                if o != stop:
                    raise wrong_size("DescribeLogDirsResult.directory_id", o - stop)
            o = stop
    e = new(DescribeLogDirsResult)
    e.error_code = error_code
    e.log_dir = log_dir
    e.topics = topics
    e.total_bytes = total_bytes
    e.usable_bytes = usable_bytes
    e.is_cordoned = is_cordoned
    e.directory_id = directory_id
    return e, o


def _write_describe_log_dirs_result_v5(e: DescribeLogDirsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_log_dirs_topic_v2(one_topics, put)
    put(pack_qqt(e.total_bytes, e.usable_bytes, e.is_cordoned))
    tags: list[bytes] = []
    outer = put
    directory_id = e.directory_id
    if directory_id is not None:
        directory_id_pieces: list[Buffer] = []
        put = directory_id_pieces.append
        put(pack_u(ZERO_UUID if directory_id is None else directory_id.bytes))
        piece = b"".join(directory_id_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_describe_log_dirs_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeLogDirsResponse.results")
    if n * 8 > end - o:
        raise short("DescribeLogDirsResponse.results", n * 8, end - o)
    all_results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_log_dirs_result_v1(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(DescribeLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.results = results
    return e, o


def _write_describe_log_dirs_response_v1(e: DescribeLogDirsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_log_dirs_result_v1(one_results, put)


def _read_describe_log_dirs_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResponse.results")
    if n * 5 > end - o:
        raise short("DescribeLogDirsResponse.results", n * 5, end - o)
    all_results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_log_dirs_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeLogDirsResponse") if b[o] else o + 1
    e = new(DescribeLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.results = results
    return e, o


def _write_describe_log_dirs_response_v2(e: DescribeLogDirsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_log_dirs_result_v2(one_results, put)
    put(b"\0")


def _read_describe_log_dirs_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResponse.results")
    if n * 5 > end - o:
        raise short("DescribeLogDirsResponse.results", n * 5, end - o)
    all_results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_log_dirs_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeLogDirsResponse") if b[o] else o + 1
    e = new(DescribeLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.results = results
    return e, o


def _write_describe_log_dirs_response_v3(e: DescribeLogDirsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_log_dirs_result_v2(one_results, put)
    put(b"\0")


def _read_describe_log_dirs_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResponse.results")
    if n * 21 > end - o:
        raise short("DescribeLogDirsResponse.results", n * 21, end - o)
    all_results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_log_dirs_result_v4(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeLogDirsResponse") if b[o] else o + 1
    e = new(DescribeLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.results = results
    return e, o


def _write_describe_log_dirs_response_v4(e: DescribeLogDirsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_log_dirs_result_v4(one_results, put)
    put(b"\0")


def _read_describe_log_dirs_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirsResponse.results")
    if n * 22 > end - o:
        raise short("DescribeLogDirsResponse.results", n * 22, end - o)
    all_results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_log_dirs_result_v5(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeLogDirsResponse") if b[o] else o + 1
    e = new(DescribeLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.results = results
    return e, o


def _write_describe_log_dirs_response_v5(e: DescribeLogDirsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_log_dirs_result_v5(one_results, put)
    put(b"\0")


DescribeLogDirsResponse.READERS = {
    1: _read_describe_log_dirs_response_v1,
    2: _read_describe_log_dirs_response_v2,
    3: _read_describe_log_dirs_response_v3,
    4: _read_describe_log_dirs_response_v4,
    5: _read_describe_log_dirs_response_v5,
}
DescribeLogDirsPartition.WRITERS = {
    1: _write_describe_log_dirs_partition_v1,
    2: _write_describe_log_dirs_partition_v2,
    3: _write_describe_log_dirs_partition_v2,
    4: _write_describe_log_dirs_partition_v2,
    5: _write_describe_log_dirs_partition_v2,
}
DescribeLogDirsTopic.WRITERS = {
    1: _write_describe_log_dirs_topic_v1,
    2: _write_describe_log_dirs_topic_v2,
    3: _write_describe_log_dirs_topic_v2,
    4: _write_describe_log_dirs_topic_v2,
    5: _write_describe_log_dirs_topic_v2,
}
DescribeLogDirsResult.WRITERS = {
    1: _write_describe_log_dirs_result_v1,
    2: _write_describe_log_dirs_result_v2,
    3: _write_describe_log_dirs_result_v2,
    4: _write_describe_log_dirs_result_v4,
    5: _write_describe_log_dirs_result_v5,
}
DescribeLogDirsResponse.WRITERS = {
    1: _write_describe_log_dirs_response_v1,
    2: _write_describe_log_dirs_response_v2,
    3: _write_describe_log_dirs_response_v3,
    4: _write_describe_log_dirs_response_v4,
    5: _write_describe_log_dirs_response_v5,
}
