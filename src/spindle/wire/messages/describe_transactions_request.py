"""DescribeTransactionsRequest (key 65), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.describe_transactions_response import DescribeTransactionsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class DescribeTransactionsRequest(Request[DescribeTransactionsResponse]):
    """The request of API 65."""

    KEY: ClassVar = 65
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("transactional_ids",)
    transactional_ids: Sequence[str]

    def __init__(self, *, transactional_ids: Sequence[str] = ()) -> None:
        self.transactional_ids = transactional_ids


def _read_describe_transactions_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTransactionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTransactionsRequest.transactional_ids")
    if n > end - o:
        raise short("DescribeTransactionsRequest.transactional_ids", n, end - o)
    all_transactional_ids: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("DescribeTransactionsRequest.transactional_ids")
        if n > end - o:
            raise short("DescribeTransactionsRequest.transactional_ids", n, end - o)
        one_transactional_ids = str(b[o : o + n], "utf-8")
        o += n
        all_transactional_ids.append(one_transactional_ids)
    transactional_ids = tuple(all_transactional_ids)
    o = skip_tags(b, o, end, "DescribeTransactionsRequest") if b[o] else o + 1
    e = new(DescribeTransactionsRequest)
    e.transactional_ids = transactional_ids
    return e, o


def _write_describe_transactions_request_v0(e: DescribeTransactionsRequest, put: Put) -> None:
    transactional_ids = e.transactional_ids
    put(put_uvarint(len(transactional_ids) + 1))
    for one_transactional_ids in transactional_ids:
        raw = one_transactional_ids.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_describe_transactions_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeTransactionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTransactionsRequest.transactional_ids")
    if n > end - o:
        raise short("DescribeTransactionsRequest.transactional_ids", n, end - o)
    transactional_ids, o = yield from read_each(
        partial(compact_string, "DescribeTransactionsRequest.transactional_ids"), b, o, end, at, n
    )
    o = skip_tags(b, o, end, "DescribeTransactionsRequest") if b[o] else o + 1
    e = new(DescribeTransactionsRequest)
    e.transactional_ids = transactional_ids
    return e, o


DescribeTransactionsRequest.RESPONSE = DescribeTransactionsResponse
DescribeTransactionsRequest.WALKERS = {
    0: _walk_describe_transactions_request_v0,
}
DescribeTransactionsRequest.READERS = {
    0: _read_describe_transactions_request_v0,
}
DescribeTransactionsRequest.WRITERS = {
    0: _write_describe_transactions_request_v0,
}
