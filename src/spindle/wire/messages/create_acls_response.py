"""CreateAclsResponse (key 30), versions 1 to 3. Written by `tools.messages`."""

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


class AclCreationResult(Message):
    """A part of CreateAclsResponse."""

    __slots__ = ("error_code", "error_message")
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self, *, error_code: ErrorCode = Error.NONE, error_message: str | None = None
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message


class CreateAclsResponse(Response):
    """The response of API 30."""

    KEY: ClassVar = 30
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[AclCreationResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[AclCreationResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_acl_creation_result_v1(b: Buffer, o: int, end: int) -> tuple[AclCreationResult, int]:
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
            raise short("AclCreationResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(AclCreationResult)
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_acl_creation_result_v1(e: AclCreationResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_acl_creation_result_v2(b: Buffer, o: int, end: int) -> tuple[AclCreationResult, int]:
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
            raise short("AclCreationResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "AclCreationResult") if b[o] else o + 1
    e = new(AclCreationResult)
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_acl_creation_result_v2(e: AclCreationResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_create_acls_response_v1(b: Buffer, o: int, end: int) -> tuple[CreateAclsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateAclsResponse.results")
    if n * 4 > end - o:
        raise short("CreateAclsResponse.results", n * 4, end - o)
    all_results: list[AclCreationResult] = []
    for _ in range(n):
        one_results, o = _read_acl_creation_result_v1(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(CreateAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_create_acls_response_v1(e: CreateAclsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_acl_creation_result_v1(one_results, put)


def _read_create_acls_response_v2(b: Buffer, o: int, end: int) -> tuple[CreateAclsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateAclsResponse.results")
    if n * 4 > end - o:
        raise short("CreateAclsResponse.results", n * 4, end - o)
    all_results: list[AclCreationResult] = []
    for _ in range(n):
        one_results, o = _read_acl_creation_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "CreateAclsResponse") if b[o] else o + 1
    e = new(CreateAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_create_acls_response_v2(e: CreateAclsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_acl_creation_result_v2(one_results, put)
    put(b"\0")


CreateAclsResponse.READERS = {
    1: _read_create_acls_response_v1,
    2: _read_create_acls_response_v2,
    3: _read_create_acls_response_v2,
}
AclCreationResult.WRITERS = {
    1: _write_acl_creation_result_v1,
    2: _write_acl_creation_result_v2,
    3: _write_acl_creation_result_v2,
}
CreateAclsResponse.WRITERS = {
    1: _write_create_acls_response_v1,
    2: _write_create_acls_response_v2,
    3: _write_create_acls_response_v2,
}
