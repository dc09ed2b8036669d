"""ElectLeadersResponse (key 43), versions 0 to 2. Written by `tools.messages`."""

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
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class PartitionResult(Message):
    """A part of ElectLeadersResponse."""

    __slots__ = ("partition_id", "error_code", "error_message")
    partition_id: int
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        partition_id: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message


class ReplicaElectionResult(Message):
    """A part of ElectLeadersResponse."""

    __slots__ = ("topic", "partition_result")
    topic: str
    partition_result: Sequence[PartitionResult]

    def __init__(
        self, *, topic: str = "", partition_result: Sequence[PartitionResult] = ()
    ) -> None:
        self.topic = topic
        self.partition_result = partition_result


class ElectLeadersResponse(Response):
    """The response of API 43."""

    KEY: ClassVar = 43
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "replica_election_results")
    throttle_time_ms: int
    error_code: ErrorCode  # from version 1
    replica_election_results: Sequence[ReplicaElectionResult]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        replica_election_results: Sequence[ReplicaElectionResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = replica_election_results


def _read_partition_result_v0(b: Buffer, o: int, end: int) -> tuple[PartitionResult, int]:
    partition_id, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("PartitionResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(PartitionResult)
    e.partition_id = partition_id
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_partition_result_v0(e: PartitionResult, put: Put) -> None:
    put(pack_ih(e.partition_id, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_partition_result_v2(b: Buffer, o: int, end: int) -> tuple[PartitionResult, int]:
    partition_id, error_code = unpack_ih(b, o)
    o += 6
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
            raise short("PartitionResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "PartitionResult") if b[o] else o + 1
    e = new(PartitionResult)
    e.partition_id = partition_id
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_partition_result_v2(e: PartitionResult, put: Put) -> None:
    put(pack_ih(e.partition_id, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_replica_election_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReplicaElectionResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ReplicaElectionResult.topic")
    if n > end - o:
        raise short("ReplicaElectionResult.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ReplicaElectionResult.partition_result")
    if n * 8 > end - o:
        raise short("ReplicaElectionResult.partition_result", n * 8, end - o)
    all_partition_result: list[PartitionResult] = []
    for _ in range(n):
        one_partition_result, o = _read_partition_result_v0(b, o, end)
        all_partition_result.append(one_partition_result)
    partition_result = tuple(all_partition_result)
    e = new(ReplicaElectionResult)
    e.topic = topic
    e.partition_result = partition_result
    return e, o


def _write_replica_election_result_v0(e: ReplicaElectionResult, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_result = e.partition_result
    put(pack_i(len(partition_result)))
    if type(partition_result) is Packed:
        for piece in partition_result.pieces:
            put(piece)
    else:
        for one_partition_result in partition_result:
            _write_partition_result_v0(one_partition_result, put)


def _read_replica_election_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[ReplicaElectionResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReplicaElectionResult.topic")
    if n > end - o:
        raise short("ReplicaElectionResult.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReplicaElectionResult.partition_result")
    if n * 8 > end - o:
        raise short("ReplicaElectionResult.partition_result", n * 8, end - o)
    all_partition_result: list[PartitionResult] = []
    for _ in range(n):
        one_partition_result, o = _read_partition_result_v2(b, o, end)
        all_partition_result.append(one_partition_result)
    partition_result = tuple(all_partition_result)
    o = skip_tags(b, o, end, "ReplicaElectionResult") if b[o] else o + 1
    e = new(ReplicaElectionResult)
    e.topic = topic
    e.partition_result = partition_result
    return e, o


def _write_replica_election_result_v2(e: ReplicaElectionResult, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_result = e.partition_result
    put(put_uvarint(len(partition_result) + 1))
    if type(partition_result) is Packed:
        for piece in partition_result.pieces:
            put(piece)
    else:
        for one_partition_result in partition_result:
            _write_partition_result_v2(one_partition_result, put)
    put(b"\0")


def _read_elect_leaders_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ElectLeadersResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ElectLeadersResponse.replica_election_results")
    if n * 6 > end - o:
        raise short("ElectLeadersResponse.replica_election_results", n * 6, end - o)
    all_replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        one_replica_election_results, o = _read_replica_election_result_v0(b, o, end)
        all_replica_election_results.append(one_replica_election_results)
    replica_election_results = tuple(all_replica_election_results)
    e = new(ElectLeadersResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.replica_election_results = replica_election_results
    return e, o


def _write_elect_leaders_response_v0(e: ElectLeadersResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    replica_election_results = e.replica_election_results
    put(pack_i(len(replica_election_results)))
    if type(replica_election_results) is Packed:
        for piece in replica_election_results.pieces:
            put(piece)
    else:
        for one_replica_election_results in replica_election_results:
            _write_replica_election_result_v0(one_replica_election_results, put)


def _read_elect_leaders_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ElectLeadersResponse.replica_election_results")
    if n * 6 > end - o:
        raise short("ElectLeadersResponse.replica_election_results", n * 6, end - o)
    all_replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        one_replica_election_results, o = _read_replica_election_result_v0(b, o, end)
        all_replica_election_results.append(one_replica_election_results)
    replica_election_results = tuple(all_replica_election_results)
    e = new(ElectLeadersResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.replica_election_results = replica_election_results
    return e, o


def _write_elect_leaders_response_v1(e: ElectLeadersResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    replica_election_results = e.replica_election_results
    put(pack_i(len(replica_election_results)))
    if type(replica_election_results) is Packed:
        for piece in replica_election_results.pieces:
            put(piece)
    else:
        for one_replica_election_results in replica_election_results:
            _write_replica_election_result_v0(one_replica_election_results, put)


def _read_elect_leaders_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ElectLeadersResponse.replica_election_results")
    if n * 3 > end - o:
        raise short("ElectLeadersResponse.replica_election_results", n * 3, end - o)
    all_replica_election_results: list[ReplicaElectionResult] = []
    for _ in range(n):
        one_replica_election_results, o = _read_replica_election_result_v2(b, o, end)
        all_replica_election_results.append(one_replica_election_results)
    replica_election_results = tuple(all_replica_election_results)
    o = skip_tags(b, o, end, "ElectLeadersResponse") if b[o] else o + 1
    e = new(ElectLeadersResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.replica_election_results = replica_election_results
    return e, o


def _write_elect_leaders_response_v2(e: ElectLeadersResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    replica_election_results = e.replica_election_results
    put(put_uvarint(len(replica_election_results) + 1))
    if type(replica_election_results) is Packed:
        for piece in replica_election_results.pieces:
            put(piece)
    else:
        for one_replica_election_results in replica_election_results:
            _write_replica_election_result_v2(one_replica_election_results, put)
    put(b"\0")


ElectLeadersResponse.READERS = {
    0: _read_elect_leaders_response_v0,
    1: _read_elect_leaders_response_v1,
    2: _read_elect_leaders_response_v2,
}
PartitionResult.WRITERS = {
    0: _write_partition_result_v0,
    1: _write_partition_result_v0,
    2: _write_partition_result_v2,
}
ReplicaElectionResult.WRITERS = {
    0: _write_replica_election_result_v0,
    1: _write_replica_election_result_v0,
    2: _write_replica_election_result_v2,
}
ElectLeadersResponse.WRITERS = {
    0: _write_elect_leaders_response_v0,
    1: _write_elect_leaders_response_v1,
    2: _write_elect_leaders_response_v2,
}
