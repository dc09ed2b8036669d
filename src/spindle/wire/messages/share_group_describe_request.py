"""ShareGroupDescribeRequest (key 77), version 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.share_group_describe_response import ShareGroupDescribeResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_tB = Struct(">?B").pack
unpack_t = Struct(">?").unpack_from


class ShareGroupDescribeRequest(Request[ShareGroupDescribeResponse]):
    """The request of API 77."""

    KEY: ClassVar = 77
    VERSIONS: ClassVar = range(1, 2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_ids", "include_authorized_operations")
    group_ids: Sequence[str]
    include_authorized_operations: bool

    def __init__(
        self, *, group_ids: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations


def _read_share_group_describe_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareGroupDescribeRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupDescribeRequest.group_ids")
    if n > end - o:
        raise short("ShareGroupDescribeRequest.group_ids", n, end - o)
    all_group_ids: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ShareGroupDescribeRequest.group_ids")
        if n > end - o:
            raise short("ShareGroupDescribeRequest.group_ids", n, end - o)
        one_group_ids = str(b[o : o + n], "utf-8")
        o += n
        all_group_ids.append(one_group_ids)
    group_ids = tuple(all_group_ids)
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "ShareGroupDescribeRequest") if b[o] else o + 1
    e = new(ShareGroupDescribeRequest)
    e.group_ids = group_ids
    e.include_authorized_operations = include_authorized_operations
    return e, o


def _write_share_group_describe_request_v1(e: ShareGroupDescribeRequest, put: Put) -> None:
    group_ids = e.group_ids
    put(put_uvarint(len(group_ids) + 1))
    for one_group_ids in group_ids:
        raw = one_group_ids.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tB(e.include_authorized_operations, 0))


def _walk_share_group_describe_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareGroupDescribeRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupDescribeRequest.group_ids")
    if n > end - o:
        raise short("ShareGroupDescribeRequest.group_ids", n, end - o)
    group_ids, o = yield from read_each(
        partial(compact_string, "ShareGroupDescribeRequest.group_ids"), b, o, end, at, n
    )
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "ShareGroupDescribeRequest") if b[o] else o + 1
    e = new(ShareGroupDescribeRequest)
    e.group_ids = group_ids
    e.include_authorized_operations = include_authorized_operations
    return e, o


ShareGroupDescribeRequest.RESPONSE = ShareGroupDescribeResponse
ShareGroupDescribeRequest.WALKERS = {
    1: _walk_share_group_describe_request_v1,
}
ShareGroupDescribeRequest.READERS = {
    1: _read_share_group_describe_request_v1,
}
ShareGroupDescribeRequest.WRITERS = {
    1: _write_share_group_describe_request_v1,
}
