"""AlterReplicaLogDirsResponse (key 34), versions 1 to 2. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class AlterReplicaLogDirPartitionResult(Message):
    """A part of AlterReplicaLogDirsResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class AlterReplicaLogDirTopicResult(Message):
    """A part of AlterReplicaLogDirsResponse."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[AlterReplicaLogDirPartitionResult]

    def __init__(
        self, *, topic_name: str = "", partitions: Sequence[AlterReplicaLogDirPartitionResult] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class AlterReplicaLogDirsResponse(Response):
    """The response of API 34."""

    KEY: ClassVar = 34
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[AlterReplicaLogDirTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[AlterReplicaLogDirTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_alter_replica_log_dir_partition_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(AlterReplicaLogDirPartitionResult)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_alter_replica_log_dir_partition_result_v1(
    e: AlterReplicaLogDirPartitionResult, put: Put
) -> None:
    put(pack_ih(e.partition_index, e.error_code))


def _read_alter_replica_log_dir_partition_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "AlterReplicaLogDirPartitionResult") if b[o] else o + 1
    e = new(AlterReplicaLogDirPartitionResult)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_alter_replica_log_dir_partition_result_v2(
    e: AlterReplicaLogDirPartitionResult, put: Put
) -> None:
    put(pack_ihB(e.partition_index, e.error_code, 0))


def _read_alter_replica_log_dir_topic_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterReplicaLogDirTopicResult.topic_name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopicResult.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirTopicResult.partitions")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDirTopicResult.partitions", n * 6, end - o)
    all_partitions: list[AlterReplicaLogDirPartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_alter_replica_log_dir_partition_result_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(AlterReplicaLogDirTopicResult)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_alter_replica_log_dir_topic_result_v1(
    e: AlterReplicaLogDirTopicResult, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_alter_replica_log_dir_partition_result_v1(one_partitions, put)


def _read_alter_replica_log_dir_topic_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopicResult.topic_name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopicResult.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopicResult.partitions")
    if n * 7 > end - o:
        raise short("AlterReplicaLogDirTopicResult.partitions", n * 7, end - o)
    all_partitions: list[AlterReplicaLogDirPartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_alter_replica_log_dir_partition_result_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "AlterReplicaLogDirTopicResult") if b[o] else o + 1
    e = new(AlterReplicaLogDirTopicResult)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_alter_replica_log_dir_topic_result_v2(
    e: AlterReplicaLogDirTopicResult, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_alter_replica_log_dir_partition_result_v2(one_partitions, put)
    put(b"\0")


def _read_alter_replica_log_dirs_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirsResponse.results")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDirsResponse.results", n * 6, end - o)
    all_results: list[AlterReplicaLogDirTopicResult] = []
    for _ in range(n):
        one_results, o = _read_alter_replica_log_dir_topic_result_v1(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(AlterReplicaLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_alter_replica_log_dirs_response_v1(e: AlterReplicaLogDirsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_alter_replica_log_dir_topic_result_v1(one_results, put)


def _read_alter_replica_log_dirs_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirsResponse.results")
    if n * 3 > end - o:
        raise short("AlterReplicaLogDirsResponse.results", n * 3, end - o)
    all_results: list[AlterReplicaLogDirTopicResult] = []
    for _ in range(n):
        one_results, o = _read_alter_replica_log_dir_topic_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "AlterReplicaLogDirsResponse") if b[o] else o + 1
    e = new(AlterReplicaLogDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_alter_replica_log_dirs_response_v2(e: AlterReplicaLogDirsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_alter_replica_log_dir_topic_result_v2(one_results, put)
    put(b"\0")


AlterReplicaLogDirsResponse.READERS = {
    1: _read_alter_replica_log_dirs_response_v1,
    2: _read_alter_replica_log_dirs_response_v2,
}
AlterReplicaLogDirPartitionResult.WRITERS = {
    1: _write_alter_replica_log_dir_partition_result_v1,
    2: _write_alter_replica_log_dir_partition_result_v2,
}
AlterReplicaLogDirTopicResult.WRITERS = {
    1: _write_alter_replica_log_dir_topic_result_v1,
    2: _write_alter_replica_log_dir_topic_result_v2,
}
AlterReplicaLogDirsResponse.WRITERS = {
    1: _write_alter_replica_log_dirs_response_v1,
    2: _write_alter_replica_log_dirs_response_v2,
}
