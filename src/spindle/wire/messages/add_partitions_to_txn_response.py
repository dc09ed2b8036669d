"""AddPartitionsToTxnResponse (key 24), versions 0 to 5. Written by `tools.messages`."""

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


class AddPartitionsToTxnPartitionResult(Message):
    """A part of AddPartitionsToTxnResponse."""

    __slots__ = ("partition_index", "partition_error_code")
    partition_index: int
    partition_error_code: ErrorCode

    def __init__(
        self, *, partition_index: int = 0, partition_error_code: ErrorCode = Error.NONE
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code


class AddPartitionsToTxnTopicResult(Message):
    """A part of AddPartitionsToTxnResponse."""

    __slots__ = ("name", "results_by_partition")
    name: str
    results_by_partition: Sequence[AddPartitionsToTxnPartitionResult]

    def __init__(
        self,
        *,
        name: str = "",
        results_by_partition: Sequence[AddPartitionsToTxnPartitionResult] = (),
    ) -> None:
        self.name = name
        self.results_by_partition = results_by_partition


class AddPartitionsToTxnResult(Message):
    """A part of AddPartitionsToTxnResponse."""

    __slots__ = ("transactional_id", "topic_results")
    transactional_id: str
    topic_results: Sequence[AddPartitionsToTxnTopicResult]

    def __init__(
        self,
        *,
        transactional_id: str = "",
        topic_results: Sequence[AddPartitionsToTxnTopicResult] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = topic_results


class AddPartitionsToTxnResponse(Response):
    """The response of API 24."""

    KEY: ClassVar = 24
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "results_by_transaction",
        "results_by_topic_v3_and_below",
    )
    throttle_time_ms: int
    error_code: ErrorCode  # from version 4
    results_by_transaction: Sequence[AddPartitionsToTxnResult]  # from version 4
    results_by_topic_v3_and_below: Sequence[AddPartitionsToTxnTopicResult]  # until version 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        results_by_transaction: Sequence[AddPartitionsToTxnResult] = (),
        results_by_topic_v3_and_below: Sequence[AddPartitionsToTxnTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = results_by_transaction
        self.results_by_topic_v3_and_below = results_by_topic_v3_and_below


def _read_add_partitions_to_txn_partition_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code = unpack_ih(b, o)
    o += 6
    partition_error_code = ERRORS.get(partition_error_code, partition_error_code)
    e = new(AddPartitionsToTxnPartitionResult)
    e.partition_index = partition_index
    e.partition_error_code = partition_error_code
    return e, o


def _write_add_partitions_to_txn_partition_result_v0(
    e: AddPartitionsToTxnPartitionResult, put: Put
) -> None:
    put(pack_ih(e.partition_index, e.partition_error_code))


def _read_add_partitions_to_txn_partition_result_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code = unpack_ih(b, o)
    o += 6
    partition_error_code = ERRORS.get(partition_error_code, partition_error_code)
    o = skip_tags(b, o, end, "AddPartitionsToTxnPartitionResult") if b[o] else o + 1
    e = new(AddPartitionsToTxnPartitionResult)
    e.partition_index = partition_index
    e.partition_error_code = partition_error_code
    return e, o


def _write_add_partitions_to_txn_partition_result_v3(
    e: AddPartitionsToTxnPartitionResult, put: Put
) -> None:
    put(pack_ihB(e.partition_index, e.partition_error_code, 0))


def _read_add_partitions_to_txn_topic_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddPartitionsToTxnTopicResult.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnTopicResult.results_by_partition")
    if n * 6 > end - o:
        raise short("AddPartitionsToTxnTopicResult.results_by_partition", n * 6, end - o)
    all_results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
    for _ in range(n):
        one_results_by_partition, o = _read_add_partitions_to_txn_partition_result_v0(b, o, end)
        all_results_by_partition.append(one_results_by_partition)
    results_by_partition = tuple(all_results_by_partition)
    e = new(AddPartitionsToTxnTopicResult)
    e.name = name
    e.results_by_partition = results_by_partition
    return e, o


def _write_add_partitions_to_txn_topic_result_v0(
    e: AddPartitionsToTxnTopicResult, put: Put
) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    results_by_partition = e.results_by_partition
    put(pack_i(len(results_by_partition)))
    if type(results_by_partition) is Packed:
        for piece in results_by_partition.pieces:
            put(piece)
    else:
        for one_results_by_partition in results_by_partition:
            _write_add_partitions_to_txn_partition_result_v0(one_results_by_partition, put)


def _read_add_partitions_to_txn_topic_result_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopicResult.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopicResult.results_by_partition")
    if n * 7 > end - o:
        raise short("AddPartitionsToTxnTopicResult.results_by_partition", n * 7, end - o)
    all_results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
    for _ in range(n):
        one_results_by_partition, o = _read_add_partitions_to_txn_partition_result_v3(b, o, end)
        all_results_by_partition.append(one_results_by_partition)
    results_by_partition = tuple(all_results_by_partition)
    o = skip_tags(b, o, end, "AddPartitionsToTxnTopicResult") if b[o] else o + 1
    e = new(AddPartitionsToTxnTopicResult)
    e.name = name
    e.results_by_partition = results_by_partition
    return e, o


def _write_add_partitions_to_txn_topic_result_v3(
    e: AddPartitionsToTxnTopicResult, put: Put
) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    results_by_partition = e.results_by_partition
    put(put_uvarint(len(results_by_partition) + 1))
    if type(results_by_partition) is Packed:
        for piece in results_by_partition.pieces:
            put(piece)
    else:
        for one_results_by_partition in results_by_partition:
            _write_add_partitions_to_txn_partition_result_v3(one_results_by_partition, put)
    put(b"\0")


def _read_add_partitions_to_txn_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnResult.transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnResult.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnResult.topic_results")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnResult.topic_results", n * 3, end - o)
    all_topic_results: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        one_topic_results, o = _read_add_partitions_to_txn_topic_result_v3(b, o, end)
        all_topic_results.append(one_topic_results)
    topic_results = tuple(all_topic_results)
    o = skip_tags(b, o, end, "AddPartitionsToTxnResult") if b[o] else o + 1
    e = new(AddPartitionsToTxnResult)
    e.transactional_id = transactional_id
    e.topic_results = topic_results
    return e, o


def _write_add_partitions_to_txn_result_v4(e: AddPartitionsToTxnResult, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topic_results = e.topic_results
    put(put_uvarint(len(topic_results) + 1))
    if type(topic_results) is Packed:
        for piece in topic_results.pieces:
            put(piece)
    else:
        for one_topic_results in topic_results:
            _write_add_partitions_to_txn_topic_result_v3(one_topic_results, put)
    put(b"\0")


def _read_add_partitions_to_txn_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnResponse.results_by_topic_v3_and_below")
    if n * 6 > end - o:
        raise short("AddPartitionsToTxnResponse.results_by_topic_v3_and_below", n * 6, end - o)
    all_results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        one_results_by_topic_v3_and_below, o = _read_add_partitions_to_txn_topic_result_v0(
            b, o, end
        )
        all_results_by_topic_v3_and_below.append(one_results_by_topic_v3_and_below)
    results_by_topic_v3_and_below = tuple(all_results_by_topic_v3_and_below)
    e = new(AddPartitionsToTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.results_by_transaction = ()
    e.results_by_topic_v3_and_below = results_by_topic_v3_and_below
    return e, o


def _write_add_partitions_to_txn_response_v0(e: AddPartitionsToTxnResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results_by_topic_v3_and_below = e.results_by_topic_v3_and_below
    put(pack_i(len(results_by_topic_v3_and_below)))
    if type(results_by_topic_v3_and_below) is Packed:
        for piece in results_by_topic_v3_and_below.pieces:
            put(piece)
    else:
        for one_results_by_topic_v3_and_below in results_by_topic_v3_and_below:
            _write_add_partitions_to_txn_topic_result_v0(one_results_by_topic_v3_and_below, put)


def _read_add_partitions_to_txn_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnResponse.results_by_topic_v3_and_below")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnResponse.results_by_topic_v3_and_below", n * 3, end - o)
    all_results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        one_results_by_topic_v3_and_below, o = _read_add_partitions_to_txn_topic_result_v3(
            b, o, end
        )
        all_results_by_topic_v3_and_below.append(one_results_by_topic_v3_and_below)
    results_by_topic_v3_and_below = tuple(all_results_by_topic_v3_and_below)
    o = skip_tags(b, o, end, "AddPartitionsToTxnResponse") if b[o] else o + 1
    e = new(AddPartitionsToTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.results_by_transaction = ()
    e.results_by_topic_v3_and_below = results_by_topic_v3_and_below
    return e, o


def _write_add_partitions_to_txn_response_v3(e: AddPartitionsToTxnResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results_by_topic_v3_and_below = e.results_by_topic_v3_and_below
    put(put_uvarint(len(results_by_topic_v3_and_below) + 1))
    if type(results_by_topic_v3_and_below) is Packed:
        for piece in results_by_topic_v3_and_below.pieces:
            put(piece)
    else:
        for one_results_by_topic_v3_and_below in results_by_topic_v3_and_below:
            _write_add_partitions_to_txn_topic_result_v3(one_results_by_topic_v3_and_below, put)
    put(b"\0")


def _read_add_partitions_to_txn_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnResponse.results_by_transaction")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnResponse.results_by_transaction", n * 3, end - o)
    all_results_by_transaction: list[AddPartitionsToTxnResult] = []
    for _ in range(n):
        one_results_by_transaction, o = _read_add_partitions_to_txn_result_v4(b, o, end)
        all_results_by_transaction.append(one_results_by_transaction)
    results_by_transaction = tuple(all_results_by_transaction)
    o = skip_tags(b, o, end, "AddPartitionsToTxnResponse") if b[o] else o + 1
    e = new(AddPartitionsToTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.results_by_transaction = results_by_transaction
    e.results_by_topic_v3_and_below = ()
    return e, o


def _write_add_partitions_to_txn_response_v4(e: AddPartitionsToTxnResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    results_by_transaction = e.results_by_transaction
    put(put_uvarint(len(results_by_transaction) + 1))
    if type(results_by_transaction) is Packed:
        for piece in results_by_transaction.pieces:
            put(piece)
    else:
        for one_results_by_transaction in results_by_transaction:
            _write_add_partitions_to_txn_result_v4(one_results_by_transaction, put)
    put(b"\0")


AddPartitionsToTxnResponse.READERS = {
    0: _read_add_partitions_to_txn_response_v0,
    1: _read_add_partitions_to_txn_response_v0,
    2: _read_add_partitions_to_txn_response_v0,
    3: _read_add_partitions_to_txn_response_v3,
    4: _read_add_partitions_to_txn_response_v4,
    5: _read_add_partitions_to_txn_response_v4,
}
AddPartitionsToTxnPartitionResult.WRITERS = {
    0: _write_add_partitions_to_txn_partition_result_v0,
    1: _write_add_partitions_to_txn_partition_result_v0,
    2: _write_add_partitions_to_txn_partition_result_v0,
    3: _write_add_partitions_to_txn_partition_result_v3,
    4: _write_add_partitions_to_txn_partition_result_v3,
    5: _write_add_partitions_to_txn_partition_result_v3,
}
AddPartitionsToTxnTopicResult.WRITERS = {
    0: _write_add_partitions_to_txn_topic_result_v0,
    1: _write_add_partitions_to_txn_topic_result_v0,
    2: _write_add_partitions_to_txn_topic_result_v0,
    3: _write_add_partitions_to_txn_topic_result_v3,
    4: _write_add_partitions_to_txn_topic_result_v3,
    5: _write_add_partitions_to_txn_topic_result_v3,
}
AddPartitionsToTxnResult.WRITERS = {
    4: _write_add_partitions_to_txn_result_v4,
    5: _write_add_partitions_to_txn_result_v4,
}
AddPartitionsToTxnResponse.WRITERS = {
    0: _write_add_partitions_to_txn_response_v0,
    1: _write_add_partitions_to_txn_response_v0,
    2: _write_add_partitions_to_txn_response_v0,
    3: _write_add_partitions_to_txn_response_v3,
    4: _write_add_partitions_to_txn_response_v4,
    5: _write_add_partitions_to_txn_response_v4,
}
