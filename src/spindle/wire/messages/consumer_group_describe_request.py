"""ConsumerGroupDescribeRequest (key 69), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_tB = Struct(">?B").pack
unpack_t = Struct(">?").unpack_from


class ConsumerGroupDescribeRequest(Request[ConsumerGroupDescribeResponse]):
    """The request of API 69."""

    KEY: ClassVar = 69
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_ids", "include_authorized_operations")
    group_ids: Sequence[str]
    include_authorized_operations: bool

    def __init__(
        self, *, group_ids: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations


def _read_consumer_group_describe_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerGroupDescribeRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupDescribeRequest.group_ids")
    if n > end - o:
        raise short("ConsumerGroupDescribeRequest.group_ids", n, end - o)
    all_group_ids: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ConsumerGroupDescribeRequest.group_ids")
        if n > end - o:
            raise short("ConsumerGroupDescribeRequest.group_ids", n, end - o)
        one_group_ids = str(b[o : o + n], "utf-8")
        o += n
        all_group_ids.append(one_group_ids)
    group_ids = tuple(all_group_ids)
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "ConsumerGroupDescribeRequest") if b[o] else o + 1
    e = new(ConsumerGroupDescribeRequest)
    e.group_ids = group_ids
    e.include_authorized_operations = include_authorized_operations
    return e, o


def _write_consumer_group_describe_request_v0(e: ConsumerGroupDescribeRequest, put: Put) -> None:
    group_ids = e.group_ids
    put(put_uvarint(len(group_ids) + 1))
    for one_group_ids in group_ids:
        raw = one_group_ids.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tB(e.include_authorized_operations, 0))


def _walk_consumer_group_describe_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ConsumerGroupDescribeRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupDescribeRequest.group_ids")
    if n > end - o:
        raise short("ConsumerGroupDescribeRequest.group_ids", n, end - o)
    group_ids, o = yield from read_each(
        partial(compact_string, "ConsumerGroupDescribeRequest.group_ids"), b, o, end, at, n
    )
    (include_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "ConsumerGroupDescribeRequest") if b[o] else o + 1
    e = new(ConsumerGroupDescribeRequest)
    e.group_ids = group_ids
    e.include_authorized_operations = include_authorized_operations
    return e, o


ConsumerGroupDescribeRequest.RESPONSE = ConsumerGroupDescribeResponse
ConsumerGroupDescribeRequest.WALKERS = {
    0: _walk_consumer_group_describe_request_v0,
    1: _walk_consumer_group_describe_request_v0,
}
ConsumerGroupDescribeRequest.READERS = {
    0: _read_consumer_group_describe_request_v0,
    1: _read_consumer_group_describe_request_v0,
}
ConsumerGroupDescribeRequest.WRITERS = {
    0: _write_consumer_group_describe_request_v0,
    1: _write_consumer_group_describe_request_v0,
}
