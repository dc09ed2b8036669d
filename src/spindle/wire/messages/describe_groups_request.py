"""DescribeGroupsRequest (key 15), versions 0 to 6. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each, string
from spindle.wire.messages.describe_groups_response import DescribeGroupsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
pack_tB = Struct(">?B").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from


class DescribeGroupsRequest(Request[DescribeGroupsResponse]):
    """The request of API 15."""

    KEY: ClassVar = 15
    VERSIONS: ClassVar = range(7)
    FIRST_FLEXIBLE: ClassVar = 5

    __slots__ = ("groups", "include_authorized_operations")
    groups: Sequence[str]
    include_authorized_operations: bool  # from version 3

    def __init__(
        self, *, groups: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.groups = groups
        self.include_authorized_operations = include_authorized_operations


def _read_describe_groups_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n * 2 > end - o:
        raise short("DescribeGroupsRequest.groups", n * 2, end - o)
    all_groups: list[str] = []
    for _ in range(n):
        (n,) = unpack_h(b, o)
        o += 2
        if n < 0:
            raise null("DescribeGroupsRequest.groups")
        if n > end - o:
            raise short("DescribeGroupsRequest.groups", n, end - o)
        one_groups = str(b[o : o + n], "utf-8")
        o += n
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = False
    return e, o


def _write_describe_groups_request_v0(e: DescribeGroupsRequest, put: Put) -> None:
    groups = e.groups
    put(pack_i(len(groups)))
    for one_groups in groups:
        raw = one_groups.encode()
        put(pack_h(len(raw)))
        put(raw)


def _walk_describe_groups_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeGroupsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n * 2 > end - o:
        raise short("DescribeGroupsRequest.groups", n * 2, end - o)
    groups, o = yield from read_each(
        partial(string, "DescribeGroupsRequest.groups"), b, o, end, at, n
    )
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = False
    return e, o


def _read_describe_groups_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n * 2 > end - o:
        raise short("DescribeGroupsRequest.groups", n * 2, end - o)
    all_groups: list[str] = []
    for _ in range(n):
        (n,) = unpack_h(b, o)
        o += 2
        if n < 0:
            raise null("DescribeGroupsRequest.groups")
        if n > end - o:
            raise short("DescribeGroupsRequest.groups", n, end - o)
        one_groups = str(b[o : o + n], "utf-8")
        o += n
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = include_authorized_operations
    return e, o


def _write_describe_groups_request_v3(e: DescribeGroupsRequest, put: Put) -> None:
    groups = e.groups
    put(pack_i(len(groups)))
    for one_groups in groups:
        raw = one_groups.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_t(e.include_authorized_operations))


def _walk_describe_groups_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeGroupsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n * 2 > end - o:
        raise short("DescribeGroupsRequest.groups", n * 2, end - o)
    groups, o = yield from read_each(
        partial(string, "DescribeGroupsRequest.groups"), b, o, end, at, n
    )
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = include_authorized_operations
    return e, o


def _read_describe_groups_request_v5(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n > end - o:
        raise short("DescribeGroupsRequest.groups", n, end - o)
    all_groups: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("DescribeGroupsRequest.groups")
        if n > end - o:
            raise short("DescribeGroupsRequest.groups", n, end - o)
        one_groups = str(b[o : o + n], "utf-8")
        o += n
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeGroupsRequest") if b[o] else o + 1
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = include_authorized_operations
    return e, o


def _write_describe_groups_request_v5(e: DescribeGroupsRequest, put: Put) -> None:
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    for one_groups in groups:
        raw = one_groups.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tB(e.include_authorized_operations, 0))


def _walk_describe_groups_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeGroupsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeGroupsRequest.groups")
    if n > end - o:
        raise short("DescribeGroupsRequest.groups", n, end - o)
    groups, o = yield from read_each(
        partial(compact_string, "DescribeGroupsRequest.groups"), b, o, end, at, n
    )
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeGroupsRequest") if b[o] else o + 1
    e = new(DescribeGroupsRequest)
    e.groups = groups
    e.include_authorized_operations = include_authorized_operations
    return e, o


DescribeGroupsRequest.RESPONSE = DescribeGroupsResponse
DescribeGroupsRequest.WALKERS = {
    0: _walk_describe_groups_request_v0,
    1: _walk_describe_groups_request_v0,
    2: _walk_describe_groups_request_v0,
    3: _walk_describe_groups_request_v3,
    4: _walk_describe_groups_request_v3,
    5: _walk_describe_groups_request_v5,
    6: _walk_describe_groups_request_v5,
}
DescribeGroupsRequest.READERS = {
    0: _read_describe_groups_request_v0,
    1: _read_describe_groups_request_v0,
    2: _read_describe_groups_request_v0,
    3: _read_describe_groups_request_v3,
    4: _read_describe_groups_request_v3,
    5: _read_describe_groups_request_v5,
    6: _read_describe_groups_request_v5,
}
DescribeGroupsRequest.WRITERS = {
    0: _write_describe_groups_request_v0,
    1: _write_describe_groups_request_v0,
    2: _write_describe_groups_request_v0,
    3: _write_describe_groups_request_v3,
    4: _write_describe_groups_request_v3,
    5: _write_describe_groups_request_v5,
    6: _write_describe_groups_request_v5,
}
