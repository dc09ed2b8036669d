"""DeleteGroupsResponse (key 42), versions 0 to 2. Written by `tools.messages`."""

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
pack_hB = Struct(">hB").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class DeletableGroupResult(Message):
    """A part of DeleteGroupsResponse."""

    __slots__ = ("group_id", "error_code")
    group_id: str
    error_code: ErrorCode

    def __init__(self, *, group_id: str = "", error_code: ErrorCode = Error.NONE) -> None:
        self.group_id = group_id
        self.error_code = error_code


class DeleteGroupsResponse(Response):
    """The response of API 42."""

    KEY: ClassVar = 42
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[DeletableGroupResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[DeletableGroupResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_deletable_group_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeletableGroupResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeletableGroupResult.group_id")
    if n > end - o:
        raise short("DeletableGroupResult.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(DeletableGroupResult)
    e.group_id = group_id
    e.error_code = error_code
    return e, o


def _write_deletable_group_result_v0(e: DeletableGroupResult, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_h(e.error_code))


def _read_deletable_group_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeletableGroupResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeletableGroupResult.group_id")
    if n > end - o:
        raise short("DeletableGroupResult.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "DeletableGroupResult") if b[o] else o + 1
    e = new(DeletableGroupResult)
    e.group_id = group_id
    e.error_code = error_code
    return e, o


def _write_deletable_group_result_v2(e: DeletableGroupResult, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hB(e.error_code, 0))


def _read_delete_groups_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteGroupsResponse.results")
    if n * 4 > end - o:
        raise short("DeleteGroupsResponse.results", n * 4, end - o)
    all_results: list[DeletableGroupResult] = []
    for _ in range(n):
        one_results, o = _read_deletable_group_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(DeleteGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_delete_groups_response_v0(e: DeleteGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_deletable_group_result_v0(one_results, put)


def _read_delete_groups_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DeleteGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteGroupsResponse.results")
    if n * 4 > end - o:
        raise short("DeleteGroupsResponse.results", n * 4, end - o)
    all_results: list[DeletableGroupResult] = []
    for _ in range(n):
        one_results, o = _read_deletable_group_result_v2(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DeleteGroupsResponse") if b[o] else o + 1
    e = new(DeleteGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_delete_groups_response_v2(e: DeleteGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_deletable_group_result_v2(one_results, put)
    put(b"\0")


DeleteGroupsResponse.READERS = {
    0: _read_delete_groups_response_v0,
    1: _read_delete_groups_response_v0,
    2: _read_delete_groups_response_v2,
}
DeletableGroupResult.WRITERS = {
    0: _write_deletable_group_result_v0,
    1: _write_deletable_group_result_v0,
    2: _write_deletable_group_result_v2,
}
DeleteGroupsResponse.WRITERS = {
    0: _write_delete_groups_response_v0,
    1: _write_delete_groups_response_v0,
    2: _write_delete_groups_response_v2,
}
