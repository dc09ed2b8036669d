"""DescribeAclsRequest (key 29), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.describe_acls_response import DescribeAclsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_bb = Struct(">bb").pack
pack_bbB = Struct(">bbB").pack
pack_h = Struct(">h").pack
unpack_b = Struct(">b").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_h = Struct(">h").unpack_from


class DescribeAclsRequest(Request[DescribeAclsResponse]):
    """The request of API 29."""

    KEY: ClassVar = 29
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

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


def _read_describe_acls_request_v1(b: Buffer, o: int, end: int) -> tuple[DescribeAclsRequest, int]:
    (resource_type_filter,) = unpack_b(b, o)
    o += 1
    resource_name_filter: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        resource_name_filter = None
    else:
        if n > end - o:
            raise short("DescribeAclsRequest.resource_name_filter", n, end - o)
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
            raise short("DescribeAclsRequest.principal_filter", n, end - o)
        principal_filter = str(b[o : o + n], "utf-8")
        o += n
    host_filter: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        host_filter = None
    else:
        if n > end - o:
            raise short("DescribeAclsRequest.host_filter", n, end - o)
        host_filter = str(b[o : o + n], "utf-8")
        o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    e = new(DescribeAclsRequest)
    e.resource_type_filter = resource_type_filter
    e.resource_name_filter = resource_name_filter
    e.pattern_type_filter = pattern_type_filter
    e.principal_filter = principal_filter
    e.host_filter = host_filter
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_describe_acls_request_v1(e: DescribeAclsRequest, put: Put) -> None:
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


def _read_describe_acls_request_v2(b: Buffer, o: int, end: int) -> tuple[DescribeAclsRequest, int]:
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
            raise short("DescribeAclsRequest.resource_name_filter", n, end - o)
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
            raise short("DescribeAclsRequest.principal_filter", n, end - o)
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
            raise short("DescribeAclsRequest.host_filter", n, end - o)
        host_filter = str(b[o : o + n], "utf-8")
        o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "DescribeAclsRequest") if b[o] else o + 1
    e = new(DescribeAclsRequest)
    e.resource_type_filter = resource_type_filter
    e.resource_name_filter = resource_name_filter
    e.pattern_type_filter = pattern_type_filter
    e.principal_filter = principal_filter
    e.host_filter = host_filter
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_describe_acls_request_v2(e: DescribeAclsRequest, put: Put) -> None:
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


DescribeAclsRequest.RESPONSE = DescribeAclsResponse
DescribeAclsRequest.READERS = {
    1: _read_describe_acls_request_v1,
    2: _read_describe_acls_request_v2,
    3: _read_describe_acls_request_v2,
}
DescribeAclsRequest.WRITERS = {
    1: _write_describe_acls_request_v1,
    2: _write_describe_acls_request_v2,
    3: _write_describe_acls_request_v2,
}
