"""DescribeAclsResponse (key 29), versions 1 to 3. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
unpack_b = Struct(">b").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class AclDescription(Message):
    """A part of DescribeAclsResponse."""

    __slots__ = ("principal", "host", "operation", "permission_type")
    principal: str
    host: str
    operation: int
    permission_type: int

    def __init__(
        self, *, principal: str = "", host: str = "", operation: int = 0, permission_type: int = 0
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DescribeAclsResource(Message):
    """A part of DescribeAclsResponse."""

    __slots__ = ("resource_type", "resource_name", "pattern_type", "acls")
    resource_type: int
    resource_name: str
    pattern_type: int
    acls: Sequence[AclDescription]

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        acls: Sequence[AclDescription] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = acls


class DescribeAclsResponse(Response):
    """The response of API 29."""

    KEY: ClassVar = 29
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "resources")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    resources: Sequence[DescribeAclsResource]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        resources: Sequence[DescribeAclsResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = resources


def _read_acl_description_v1(b: Buffer, o: int, end: int) -> tuple[AclDescription, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AclDescription.principal")
    if n > end - o:
        raise short("AclDescription.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AclDescription.host")
    if n > end - o:
        raise short("AclDescription.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    e = new(AclDescription)
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_acl_description_v1(e: AclDescription, put: Put) -> None:
    principal = e.principal
    raw = principal.encode()
    put(pack_h(len(raw)))
    put(raw)
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_bb(e.operation, e.permission_type))


def _read_acl_description_v2(b: Buffer, o: int, end: int) -> tuple[AclDescription, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AclDescription.principal")
    if n > end - o:
        raise short("AclDescription.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AclDescription.host")
    if n > end - o:
        raise short("AclDescription.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "AclDescription") if b[o] else o + 1
    e = new(AclDescription)
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_acl_description_v2(e: AclDescription, put: Put) -> None:
    principal = e.principal
    raw = principal.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bbB(e.operation, e.permission_type, 0))


def _read_describe_acls_resource_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeAclsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeAclsResource.resource_name")
    if n > end - o:
        raise short("DescribeAclsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (pattern_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeAclsResource.acls")
    if n * 6 > end - o:
        raise short("DescribeAclsResource.acls", n * 6, end - o)
    all_acls: list[AclDescription] = []
    for _ in range(n):
        one_acls, o = _read_acl_description_v1(b, o, end)
        all_acls.append(one_acls)
    acls = tuple(all_acls)
    e = new(DescribeAclsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.pattern_type = pattern_type
    e.acls = acls
    return e, o


def _write_describe_acls_resource_v1(e: DescribeAclsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_b(e.pattern_type))
    acls = e.acls
    put(pack_i(len(acls)))
    if type(acls) is Packed:
        for piece in acls.pieces:
            put(piece)
    else:
        for one_acls in acls:
            _write_acl_description_v1(one_acls, put)


def _read_describe_acls_resource_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeAclsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeAclsResource.resource_name")
    if n > end - o:
        raise short("DescribeAclsResource.resource_name", n, end - o)
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
        raise null("DescribeAclsResource.acls")
    if n * 5 > end - o:
        raise short("DescribeAclsResource.acls", n * 5, end - o)
    all_acls: list[AclDescription] = []
    for _ in range(n):
        one_acls, o = _read_acl_description_v2(b, o, end)
        all_acls.append(one_acls)
    acls = tuple(all_acls)
    o = skip_tags(b, o, end, "DescribeAclsResource") if b[o] else o + 1
    e = new(DescribeAclsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.pattern_type = pattern_type
    e.acls = acls
    return e, o


def _write_describe_acls_resource_v2(e: DescribeAclsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.pattern_type))
    acls = e.acls
    put(put_uvarint(len(acls) + 1))
    if type(acls) is Packed:
        for piece in acls.pieces:
            put(piece)
    else:
        for one_acls in acls:
            _write_acl_description_v2(one_acls, put)
    put(b"\0")


def _read_describe_acls_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeAclsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeAclsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeAclsResponse.resources")
    if n * 8 > end - o:
        raise short("DescribeAclsResponse.resources", n * 8, end - o)
    all_resources: list[DescribeAclsResource] = []
    for _ in range(n):
        one_resources, o = _read_describe_acls_resource_v1(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    e = new(DescribeAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.resources = resources
    return e, o


def _write_describe_acls_response_v1(e: DescribeAclsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    resources = e.resources
    put(pack_i(len(resources)))
    if type(resources) is Packed:
        for piece in resources.pieces:
            put(piece)
    else:
        for one_resources in resources:
            _write_describe_acls_resource_v1(one_resources, put)


def _read_describe_acls_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeAclsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
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
            raise short("DescribeAclsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeAclsResponse.resources")
    if n * 5 > end - o:
        raise short("DescribeAclsResponse.resources", n * 5, end - o)
    all_resources: list[DescribeAclsResource] = []
    for _ in range(n):
        one_resources, o = _read_describe_acls_resource_v2(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    o = skip_tags(b, o, end, "DescribeAclsResponse") if b[o] else o + 1
    e = new(DescribeAclsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.resources = resources
    return e, o


def _write_describe_acls_response_v2(e: DescribeAclsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    resources = e.resources
    put(put_uvarint(len(resources) + 1))
    if type(resources) is Packed:
        for piece in resources.pieces:
            put(piece)
    else:
        for one_resources in resources:
            _write_describe_acls_resource_v2(one_resources, put)
    put(b"\0")


DescribeAclsResponse.READERS = {
    1: _read_describe_acls_response_v1,
    2: _read_describe_acls_response_v2,
    3: _read_describe_acls_response_v2,
}
AclDescription.WRITERS = {
    1: _write_acl_description_v1,
    2: _write_acl_description_v2,
    3: _write_acl_description_v2,
}
DescribeAclsResource.WRITERS = {
    1: _write_describe_acls_resource_v1,
    2: _write_describe_acls_resource_v2,
    3: _write_describe_acls_resource_v2,
}
DescribeAclsResponse.WRITERS = {
    1: _write_describe_acls_response_v1,
    2: _write_describe_acls_response_v2,
    3: _write_describe_acls_response_v2,
}
