"""IncrementalAlterConfigsResponse (key 44), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class AlterConfigsResourceResponse(Message):
    """A part of IncrementalAlterConfigsResponse."""

    __slots__ = ("error_code", "error_message", "resource_type", "resource_name")
    error_code: ErrorCode
    error_message: str | None
    resource_type: int
    resource_name: str

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        resource_type: int = 0,
        resource_name: str = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name


class IncrementalAlterConfigsResponse(Response):
    """The response of API 44."""

    KEY: ClassVar = 44
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "responses")
    throttle_time_ms: int
    responses: Sequence[AlterConfigsResourceResponse]

    def __init__(
        self, *, throttle_time_ms: int = 0, responses: Sequence[AlterConfigsResourceResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


def _read_alter_configs_resource_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterConfigsResourceResponse, int]:
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
            raise short("AlterConfigsResourceResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterConfigsResourceResponse.resource_name")
    if n > end - o:
        raise short("AlterConfigsResourceResponse.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    e = new(AlterConfigsResourceResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    return e, o


def _write_alter_configs_resource_response_v0(e: AlterConfigsResourceResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_alter_configs_resource_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterConfigsResourceResponse, int]:
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
            raise short("AlterConfigsResourceResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterConfigsResourceResponse.resource_name")
    if n > end - o:
        raise short("AlterConfigsResourceResponse.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "AlterConfigsResourceResponse") if b[o] else o + 1
    e = new(AlterConfigsResourceResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    return e, o


def _write_alter_configs_resource_response_v1(e: AlterConfigsResourceResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_incremental_alter_configs_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[IncrementalAlterConfigsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("IncrementalAlterConfigsResponse.responses")
    if n * 7 > end - o:
        raise short("IncrementalAlterConfigsResponse.responses", n * 7, end - o)
    all_responses: list[AlterConfigsResourceResponse] = []
    for _ in range(n):
        one_responses, o = _read_alter_configs_resource_response_v0(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(IncrementalAlterConfigsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_incremental_alter_configs_response_v0(
    e: IncrementalAlterConfigsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_alter_configs_resource_response_v0(one_responses, put)


def _read_incremental_alter_configs_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[IncrementalAlterConfigsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("IncrementalAlterConfigsResponse.responses")
    if n * 6 > end - o:
        raise short("IncrementalAlterConfigsResponse.responses", n * 6, end - o)
    all_responses: list[AlterConfigsResourceResponse] = []
    for _ in range(n):
        one_responses, o = _read_alter_configs_resource_response_v1(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "IncrementalAlterConfigsResponse") if b[o] else o + 1
    e = new(IncrementalAlterConfigsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_incremental_alter_configs_response_v1(
    e: IncrementalAlterConfigsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_alter_configs_resource_response_v1(one_responses, put)
    put(b"\0")


IncrementalAlterConfigsResponse.READERS = {
    0: _read_incremental_alter_configs_response_v0,
    1: _read_incremental_alter_configs_response_v1,
}
AlterConfigsResourceResponse.WRITERS = {
    0: _write_alter_configs_resource_response_v0,
    1: _write_alter_configs_resource_response_v1,
}
IncrementalAlterConfigsResponse.WRITERS = {
    0: _write_incremental_alter_configs_response_v0,
    1: _write_incremental_alter_configs_response_v1,
}
