"""DeleteAclsResponse (key 31), versions 1 to 3. Written by `tools.messages`."""

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
pack_bb = Struct(">bb").pack
pack_bbB = Struct(">bbB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_b = Struct(">b").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class DeleteAclsMatchingAcl(Message):
    """A part of DeleteAclsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    )
    error_code: ErrorCode
    error_message: str | None
    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsFilterResult(Message):
    """A part of DeleteAclsResponse."""

    __slots__ = ("error_code", "error_message", "matching_acls")
    error_code: ErrorCode
    error_message: str | None
    matching_acls: Sequence[DeleteAclsMatchingAcl]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        matching_acls: Sequence[DeleteAclsMatchingAcl] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = matching_acls


class DeleteAclsResponse(Response):
    """The response of API 31."""

    KEY: ClassVar = 31
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "filter_results")
    throttle_time_ms: int
    filter_results: Sequence[DeleteAclsFilterResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, filter_results: Sequence[DeleteAclsFilterResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = filter_results


def _read_delete_acls_matching_acl_v1(
    b: Buffer, o: int, end: int
) -> tuple[DeleteAclsMatchingAcl, int]:
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
            raise short("DeleteAclsMatchingAcl.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteAclsMatchingAcl.resource_name")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (pattern_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteAclsMatchingAcl.principal")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeleteAclsMatchingAcl.host")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    e = new(DeleteAclsMatchingAcl)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.pattern_type = pattern_type
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_delete_acls_matching_acl_v1(e: DeleteAclsMatchingAcl, put: Put) -> None:
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
    put(pack_b(e.pattern_type))
    principal = e.principal
    raw = principal.encode()
    put(pack_h(len(raw)))
    put(raw)
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_bb(e.operation, e.permission_type))


def _read_delete_acls_matching_acl_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteAclsMatchingAcl, int]:
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
            raise short("DeleteAclsMatchingAcl.error_message", n, end - o)
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
        raise null("DeleteAclsMatchingAcl.resource_name")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (pattern_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsMatchingAcl.principal")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsMatchingAcl.host")
    if n > end - o:
        raise short("DeleteAclsMatchingAcl.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "DeleteAclsMatchingAcl") if b[o] else o + 1
    e = new(DeleteAclsMatchingAcl)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.pattern_type = pattern_type
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_delete_acls_matching_acl_v2(e: DeleteAclsMatchingAcl, put: Put) -> None:
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
    put(pack_b(e.pattern_type))
    principal = e.principal
    raw = principal.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bbB(e.operation, e.permission_type, 0))


def _read_delete_acls_filter_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[DeleteAclsFilterResult, int]:
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
            raise short("DeleteAclsFilterResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteAclsFilterResult.matching_acls")
    if n * 14 > end - o:
        raise short("DeleteAclsFilterResult.matching_acls", n * 14, end - o)
    all_matching_acls: list[DeleteAclsMatchingAcl] = []
    for _ in range(n):
        one_matching_acls, o = _read_delete_acls_matching_acl_v1(b, o, end)
        all_matching_acls.append(one_matching_acls)
    matching_acls = tuple(all_matching_acls)
    e = new(DeleteAclsFilterResult)
    e.error_code = error_code
    e.error_message = error_message
    e.matching_acls = matching_acls
    return e, o


def _write_delete_acls_filter_result_v1(e: DeleteAclsFilterResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    matching_acls = e.matching_acls
    put(pack_i(len(matching_acls)))
    if type(matching_acls) is Packed:
        for piece in matching_acls.pieces:
            put(piece)
    else:
        for one_matching_acls in matching_acls:
            _write_delete_acls_matching_acl_v1(one_matching_acls, put)


def _read_delete_acls_filter_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteAclsFilterResult, int]:
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
            raise short("DeleteAclsFilterResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsFilterResult.matching_acls")
    if n * 11 > end - o:
        raise short("DeleteAclsFilterResult.matching_acls", n * 11, end - o)
    all_matching_acls: list[DeleteAclsMatchingAcl] = []
    for _ in range(n):
        one_matching_acls, o = _read_delete_acls_matching_acl_v2(b, o, end)
        all_matching_acls.append(one_matching_acls)
    matching_acls = tuple(all_matching_acls)
    o = skip_tags(b, o, end, "DeleteAclsFilterResult") if b[o] else o + 1
    e = new(DeleteAclsFilterResult)
    e.error_code = error_code
    e.error_message = error_message
    e.matching_acls = matching_acls
    return e, o


def _write_delete_acls_filter_result_v2(e: DeleteAclsFilterResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    matching_acls = e.matching_acls
    put(put_uvarint(len(matching_acls) + 1))
    if type(matching_acls) is Packed:
        for piece in matching_acls.pieces:
            put(piece)
    else:
        for one_matching_acls in matching_acls:
            _write_delete_acls_matching_acl_v2(one_matching_acls, put)
    put(b"\0")


def _read_delete_acls_response_v1(b: Buffer, o: int, end: int) -> tuple[DeleteAclsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteAclsResponse.filter_results")
    if n * 8 > end - o:
        raise short("DeleteAclsResponse.filter_results", n * 8, end - o)
    all_filter_results: list[DeleteAclsFilterResult] = []
    for _ in range(n):
        one_filter_results, o = _read_delete_acls_filter_result_v1(b, o, end)
        all_filter_results.append(one_filter_results)
    filter_results = tuple(all_filter_results)
    e = new(DeleteAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.filter_results = filter_results
    return e, o


def _write_delete_acls_response_v1(e: DeleteAclsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    filter_results = e.filter_results
    put(pack_i(len(filter_results)))
    if type(filter_results) is Packed:
        for piece in filter_results.pieces:
            put(piece)
    else:
        for one_filter_results in filter_results:
            _write_delete_acls_filter_result_v1(one_filter_results, put)


def _read_delete_acls_response_v2(b: Buffer, o: int, end: int) -> tuple[DeleteAclsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsResponse.filter_results")
    if n * 5 > end - o:
        raise short("DeleteAclsResponse.filter_results", n * 5, end - o)
    all_filter_results: list[DeleteAclsFilterResult] = []
    for _ in range(n):
        one_filter_results, o = _read_delete_acls_filter_result_v2(b, o, end)
        all_filter_results.append(one_filter_results)
    filter_results = tuple(all_filter_results)
    o = skip_tags(b, o, end, "DeleteAclsResponse") if b[o] else o + 1
    e = new(DeleteAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.filter_results = filter_results
    return e, o


def _write_delete_acls_response_v2(e: DeleteAclsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    filter_results = e.filter_results
    put(put_uvarint(len(filter_results) + 1))
    if type(filter_results) is Packed:
        for piece in filter_results.pieces:
            put(piece)
    else:
        for one_filter_results in filter_results:
            _write_delete_acls_filter_result_v2(one_filter_results, put)
    put(b"\0")


DeleteAclsResponse.READERS = {
    1: _read_delete_acls_response_v1,
    2: _read_delete_acls_response_v2,
    3: _read_delete_acls_response_v2,
}
DeleteAclsMatchingAcl.WRITERS = {
    1: _write_delete_acls_matching_acl_v1,
    2: _write_delete_acls_matching_acl_v2,
    3: _write_delete_acls_matching_acl_v2,
}
DeleteAclsFilterResult.WRITERS = {
    1: _write_delete_acls_filter_result_v1,
    2: _write_delete_acls_filter_result_v2,
    3: _write_delete_acls_filter_result_v2,
}
DeleteAclsResponse.WRITERS = {
    1: _write_delete_acls_response_v1,
    2: _write_delete_acls_response_v2,
    3: _write_delete_acls_response_v2,
}
