"""CreateAclsRequest (key 30), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.create_acls_response import CreateAclsResponse
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


class AclCreation(Message):
    """A part of CreateAclsRequest."""

    __slots__ = (
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    )
    resource_type: int
    resource_name: str
    resource_pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class CreateAclsRequest(Request[CreateAclsResponse]):
    """The request of API 30."""

    KEY: ClassVar = 30
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("creations",)
    creations: Sequence[AclCreation]

    def __init__(self, *, creations: Sequence[AclCreation] = ()) -> None:
        self.creations = creations


def _read_acl_creation_v1(b: Buffer, o: int, end: int) -> tuple[AclCreation, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AclCreation.resource_name")
    if n > end - o:
        raise short("AclCreation.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (resource_pattern_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AclCreation.principal")
    if n > end - o:
        raise short("AclCreation.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AclCreation.host")
    if n > end - o:
        raise short("AclCreation.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    e = new(AclCreation)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.resource_pattern_type = resource_pattern_type
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_acl_creation_v1(e: AclCreation, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_b(e.resource_pattern_type))
    principal = e.principal
    raw = principal.encode()
    put(pack_h(len(raw)))
    put(raw)
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_bb(e.operation, e.permission_type))


def _read_acl_creation_v2(b: Buffer, o: int, end: int) -> tuple[AclCreation, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AclCreation.resource_name")
    if n > end - o:
        raise short("AclCreation.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (resource_pattern_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AclCreation.principal")
    if n > end - o:
        raise short("AclCreation.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AclCreation.host")
    if n > end - o:
        raise short("AclCreation.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "AclCreation") if b[o] else o + 1
    e = new(AclCreation)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.resource_pattern_type = resource_pattern_type
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    return e, o


def _write_acl_creation_v2(e: AclCreation, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.resource_pattern_type))
    principal = e.principal
    raw = principal.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bbB(e.operation, e.permission_type, 0))


def _read_create_acls_request_v1(b: Buffer, o: int, end: int) -> tuple[CreateAclsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateAclsRequest.creations")
    if n * 10 > end - o:
        raise short("CreateAclsRequest.creations", n * 10, end - o)
    all_creations: list[AclCreation] = []
    for _ in range(n):
        one_creations, o = _read_acl_creation_v1(b, o, end)
        all_creations.append(one_creations)
    creations = tuple(all_creations)
    e = new(CreateAclsRequest)
    e.creations = creations
    return e, o


def _write_create_acls_request_v1(e: CreateAclsRequest, put: Put) -> None:
    creations = e.creations
    put(pack_i(len(creations)))
    for one_creations in creations:
        _write_acl_creation_v1(one_creations, put)


def _walk_create_acls_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateAclsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateAclsRequest.creations")
    if n * 10 > end - o:
        raise short("CreateAclsRequest.creations", n * 10, end - o)
    creations, o = yield from read_each(_read_acl_creation_v1, b, o, end, at, n)
    e = new(CreateAclsRequest)
    e.creations = creations
    return e, o


def _read_create_acls_request_v2(b: Buffer, o: int, end: int) -> tuple[CreateAclsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateAclsRequest.creations")
    if n * 8 > end - o:
        raise short("CreateAclsRequest.creations", n * 8, end - o)
    all_creations: list[AclCreation] = []
    for _ in range(n):
        one_creations, o = _read_acl_creation_v2(b, o, end)
        all_creations.append(one_creations)
    creations = tuple(all_creations)
    o = skip_tags(b, o, end, "CreateAclsRequest") if b[o] else o + 1
    e = new(CreateAclsRequest)
    e.creations = creations
    return e, o


def _write_create_acls_request_v2(e: CreateAclsRequest, put: Put) -> None:
    creations = e.creations
    put(put_uvarint(len(creations) + 1))
    for one_creations in creations:
        _write_acl_creation_v2(one_creations, put)
    put(b"\0")


def _walk_create_acls_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateAclsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateAclsRequest.creations")
    if n * 8 > end - o:
        raise short("CreateAclsRequest.creations", n * 8, end - o)
    creations, o = yield from read_each(_read_acl_creation_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "CreateAclsRequest") if b[o] else o + 1
    e = new(CreateAclsRequest)
    e.creations = creations
    return e, o


CreateAclsRequest.RESPONSE = CreateAclsResponse
CreateAclsRequest.WALKERS = {
    1: _walk_create_acls_request_v1,
    2: _walk_create_acls_request_v2,
    3: _walk_create_acls_request_v2,
}
CreateAclsRequest.READERS = {
    1: _read_create_acls_request_v1,
    2: _read_create_acls_request_v2,
    3: _read_create_acls_request_v2,
}
CreateAclsRequest.WRITERS = {
    1: _write_create_acls_request_v1,
    2: _write_create_acls_request_v2,
    3: _write_create_acls_request_v2,
}
