"""CreatePartitionsResponse (key 37), versions 0 to 3. Written by `tools.messages`."""

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
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class CreatePartitionsTopicResult(Message):
    """A part of CreatePartitionsResponse."""

    __slots__ = ("name", "error_code", "error_message")
    name: str
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        name: str = "",
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message


class CreatePartitionsResponse(Response):
    """The response of API 37."""

    KEY: ClassVar = 37
    VERSIONS: ClassVar = range(4)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[CreatePartitionsTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[CreatePartitionsTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_create_partitions_topic_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatePartitionsTopicResult.name")
    if n > end - o:
        raise short("CreatePartitionsTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("CreatePartitionsTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(CreatePartitionsTopicResult)
    e.name = name
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_create_partitions_topic_result_v0(e: CreatePartitionsTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_create_partitions_topic_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsTopicResult.name")
    if n > end - o:
        raise short("CreatePartitionsTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
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
            raise short("CreatePartitionsTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "CreatePartitionsTopicResult") if b[o] else o + 1
    e = new(CreatePartitionsTopicResult)
    e.name = name
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_create_partitions_topic_result_v2(e: CreatePartitionsTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_create_partitions_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatePartitionsResponse.results")
    if n * 6 > end - o:
        raise short("CreatePartitionsResponse.results", n * 6, end - o)
    all_results: list[CreatePartitionsTopicResult] = []
    for _ in range(n):
        one_results, o = _read_create_partitions_topic_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(CreatePartitionsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_create_partitions_response_v0(e: CreatePartitionsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_create_partitions_topic_result_v0(one_results, put)


def _read_create_partitions_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsResponse.results")
    if n * 5 > end - o:
        raise short("CreatePartitionsResponse.results", n * 5, end - o)
    all_results: list[CreatePartitionsTopicResult] = []
    for _ in range(n):
        one_results, o = _read_create_partitions_topic_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "CreatePartitionsResponse") if b[o] else o + 1
    e = new(CreatePartitionsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_create_partitions_response_v2(e: CreatePartitionsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_create_partitions_topic_result_v2(one_results, put)
    put(b"\0")


CreatePartitionsResponse.READERS = {
    0: _read_create_partitions_response_v0,
    1: _read_create_partitions_response_v0,
    2: _read_create_partitions_response_v2,
    3: _read_create_partitions_response_v2,
}
CreatePartitionsTopicResult.WRITERS = {
    0: _write_create_partitions_topic_result_v0,
    1: _write_create_partitions_topic_result_v0,
    2: _write_create_partitions_topic_result_v2,
    3: _write_create_partitions_topic_result_v2,
}
CreatePartitionsResponse.WRITERS = {
    0: _write_create_partitions_response_v0,
    1: _write_create_partitions_response_v0,
    2: _write_create_partitions_response_v2,
    3: _write_create_partitions_response_v2,
}
