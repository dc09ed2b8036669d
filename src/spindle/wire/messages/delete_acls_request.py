"""DeleteAclsRequest (key 31), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.delete_acls_response import DeleteAclsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

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


class DeleteAclsFilter(Message):
    """A part of DeleteAclsRequest."""

    __slots__ = (
        "resource_type_filter",
        "resource_name_filter",
        "pattern_type_filter",
        "principal_filter",
        "host_filter",
        "operation",
        "permission_type",
    )
    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int

    def __init__(
        self,
        *,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = None,
        pattern_type_filter: int = 3,
        principal_filter: str | None = None,
        host_filter: str | None = None,
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsRequest(Request[DeleteAclsResponse]):
    """The request of API 31."""

    KEY: ClassVar = 31
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("filters",)
    filters: Sequence[DeleteAclsFilter]

    def __init__(self, *, filters: Sequence[DeleteAclsFilter] = ()) -> None:
        self.filters = filters


def _read_delete_acls_filter_v1(b: Buffer, o: int, end: int) -> tuple[DeleteAclsFilter, int]:
    (resource_type_filter,) = unpack_b(b, o)
    o += 1
    resource_name_filter: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        resource_name_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.resource_name_filter", n, end - o)
        resource_name_filter = str(b[o : o + n], "utf-8")
        o += n
    (pattern_type_filter,) = unpack_b(b, o)
    o += 1
    principal_filter: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        principal_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.principal_filter", n, end - o)
        principal_filter = str(b[o : o + n], "utf-8")
        o += n
    host_filter: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        host_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.host_filter", n, end - o)
        host_filter = str(b[o : o + n], "utf-8")
        o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    e = new(DeleteAclsFilter)
    e.resource_type_filter = resource_type_filter
    e.resource_name_filter = resource_name_filter
    e.pattern_type_filter = pattern_type_filter
    e.principal_filter = principal_filter
    e.host_filter = host_filter
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_delete_acls_filter_v1(e: DeleteAclsFilter, put: Put) -> None:
    put(pack_b(e.resource_type_filter))
    resource_name_filter = e.resource_name_filter
    if resource_name_filter is None:
        put(b"\xff\xff")
    else:
        raw = resource_name_filter.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_b(e.pattern_type_filter))
    principal_filter = e.principal_filter
    if principal_filter is None:
        put(b"\xff\xff")
    else:
        raw = principal_filter.encode()
        put(pack_h(len(raw)))
        put(raw)
    host_filter = e.host_filter
    if host_filter is None:
        put(b"\xff\xff")
    else:
        raw = host_filter.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_bb(e.operation, e.permission_type))


def _read_delete_acls_filter_v2(b: Buffer, o: int, end: int) -> tuple[DeleteAclsFilter, int]:
    (resource_type_filter,) = unpack_b(b, o)
    o += 1
    resource_name_filter: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        resource_name_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.resource_name_filter", n, end - o)
        resource_name_filter = str(b[o : o + n], "utf-8")
        o += n
    (pattern_type_filter,) = unpack_b(b, o)
    o += 1
    principal_filter: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        principal_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.principal_filter", n, end - o)
        principal_filter = str(b[o : o + n], "utf-8")
        o += n
    host_filter: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        host_filter = None
    else:
        if n > end - o:
            raise short("DeleteAclsFilter.host_filter", n, end - o)
        host_filter = str(b[o : o + n], "utf-8")
        o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "DeleteAclsFilter") if b[o] else o + 1
    e = new(DeleteAclsFilter)
    e.resource_type_filter = resource_type_filter
    e.resource_name_filter = resource_name_filter
    e.pattern_type_filter = pattern_type_filter
    e.principal_filter = principal_filter
    e.host_filter = host_filter
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_delete_acls_filter_v2(e: DeleteAclsFilter, put: Put) -> None:
    put(pack_b(e.resource_type_filter))
    resource_name_filter = e.resource_name_filter
    if resource_name_filter is None:
        put(b"\0")
    else:
        raw = resource_name_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_b(e.pattern_type_filter))
    principal_filter = e.principal_filter
    if principal_filter is None:
        put(b"\0")
    else:
        raw = principal_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    host_filter = e.host_filter
    if host_filter is None:
        put(b"\0")
    else:
        raw = host_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_bbB(e.operation, e.permission_type, 0))


def _read_delete_acls_request_v1(b: Buffer, o: int, end: int) -> tuple[DeleteAclsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteAclsRequest.filters")
    if n * 10 > end - o:
        raise short("DeleteAclsRequest.filters", n * 10, end - o)
    all_filters: list[DeleteAclsFilter] = []
    for _ in range(n):
        one_filters, o = _read_delete_acls_filter_v1(b, o, end)
        all_filters.append(one_filters)
    filters = tuple(all_filters)
    e = new(DeleteAclsRequest)
    e.filters = filters
    return e, o


def _write_delete_acls_request_v1(e: DeleteAclsRequest, put: Put) -> None:
    filters = e.filters
    put(pack_i(len(filters)))
    for one_filters in filters:
        _write_delete_acls_filter_v1(one_filters, put)


def _walk_delete_acls_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteAclsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteAclsRequest.filters")
    if n * 10 > end - o:
        raise short("DeleteAclsRequest.filters", n * 10, end - o)
    filters, o = yield from read_each(_read_delete_acls_filter_v1, b, o, end, at, n)
    e = new(DeleteAclsRequest)
    e.filters = filters
    return e, o


def _read_delete_acls_request_v2(b: Buffer, o: int, end: int) -> tuple[DeleteAclsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsRequest.filters")
    if n * 8 > end - o:
        raise short("DeleteAclsRequest.filters", n * 8, end - o)
    all_filters: list[DeleteAclsFilter] = []
    for _ in range(n):
        one_filters, o = _read_delete_acls_filter_v2(b, o, end)
        all_filters.append(one_filters)
    filters = tuple(all_filters)
    o = skip_tags(b, o, end, "DeleteAclsRequest") if b[o] else o + 1
    e = new(DeleteAclsRequest)
    e.filters = filters
    return e, o


def _write_delete_acls_request_v2(e: DeleteAclsRequest, put: Put) -> None:
    filters = e.filters
    put(put_uvarint(len(filters) + 1))
    for one_filters in filters:
        _write_delete_acls_filter_v2(one_filters, put)
    put(b"\0")


def _walk_delete_acls_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteAclsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteAclsRequest.filters")
    if n * 8 > end - o:
        raise short("DeleteAclsRequest.filters", n * 8, end - o)
    filters, o = yield from read_each(_read_delete_acls_filter_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "DeleteAclsRequest") if b[o] else o + 1
    e = new(DeleteAclsRequest)
    e.filters = filters
    return e, o


DeleteAclsRequest.RESPONSE = DeleteAclsResponse
DeleteAclsRequest.WALKERS = {
    1: _walk_delete_acls_request_v1,
    2: _walk_delete_acls_request_v2,
    3: _walk_delete_acls_request_v2,
}
DeleteAclsRequest.READERS = {
    1: _read_delete_acls_request_v1,
    2: _read_delete_acls_request_v2,
    3: _read_delete_acls_request_v2,
}
DeleteAclsRequest.WRITERS = {
    1: _write_delete_acls_request_v1,
    2: _write_delete_acls_request_v2,
    3: _write_delete_acls_request_v2,
}
