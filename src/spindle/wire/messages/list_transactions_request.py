"""ListTransactionsRequest (key 66), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, numbers, read_each
from spindle.wire.messages.list_transactions_response import ListTransactionsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
unpack_q = Struct(">q").unpack_from


class ListTransactionsRequest(Request[ListTransactionsResponse]):
    """The request of API 66."""

    KEY: ClassVar = 66
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "state_filters",
        "producer_id_filters",
        "duration_filter",
        "transactional_id_pattern",
    )
    state_filters: Sequence[str]
    producer_id_filters: Sequence[int]
    duration_filter: int  # from version 1
    transactional_id_pattern: str | None  # from version 2

    def __init__(
        self,
        *,
        state_filters: Sequence[str] = (),
        producer_id_filters: Sequence[int] = (),
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters = state_filters
        self.producer_id_filters = producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern


def _read_list_transactions_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListTransactionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    all_state_filters: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListTransactionsRequest.state_filters")
        if n > end - o:
            raise short("ListTransactionsRequest.state_filters", n, end - o)
        one_state_filters = str(b[o : o + n], "utf-8")
        o += n
        all_state_filters.append(one_state_filters)
    state_filters = tuple(all_state_filters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters = unpack_from(f">{n}q", b, o)
    o += n * 8
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = -1
    e.transactional_id_pattern = None
    return e, o


def _write_list_transactions_request_v0(e: ListTransactionsRequest, put: Put) -> None:
    state_filters = e.state_filters
    put(put_uvarint(len(state_filters) + 1))
    for one_state_filters in state_filters:
        raw = one_state_filters.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    producer_id_filters = e.producer_id_filters
    put(put_uvarint(len(producer_id_filters) + 1))
    if producer_id_filters:
        put(pack(f">{len(producer_id_filters)}q", *producer_id_filters))
    put(b"\0")


def _walk_list_transactions_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListTransactionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    state_filters, o = yield from read_each(
        partial(compact_string, "ListTransactionsRequest.state_filters"), b, o, end, at, n
    )
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters, o = yield from numbers(">q", 8, b, o, n)
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = -1
    e.transactional_id_pattern = None
    return e, o


def _read_list_transactions_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListTransactionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    all_state_filters: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListTransactionsRequest.state_filters")
        if n > end - o:
            raise short("ListTransactionsRequest.state_filters", n, end - o)
        one_state_filters = str(b[o : o + n], "utf-8")
        o += n
        all_state_filters.append(one_state_filters)
    state_filters = tuple(all_state_filters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters = unpack_from(f">{n}q", b, o)
    o += n * 8
    (duration_filter,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = duration_filter
    e.transactional_id_pattern = None
    return e, o


def _write_list_transactions_request_v1(e: ListTransactionsRequest, put: Put) -> None:
    state_filters = e.state_filters
    put(put_uvarint(len(state_filters) + 1))
    for one_state_filters in state_filters:
        raw = one_state_filters.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    producer_id_filters = e.producer_id_filters
    put(put_uvarint(len(producer_id_filters) + 1))
    if producer_id_filters:
        put(pack(f">{len(producer_id_filters)}q", *producer_id_filters))
    put(pack_qB(e.duration_filter, 0))


def _walk_list_transactions_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListTransactionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    state_filters, o = yield from read_each(
        partial(compact_string, "ListTransactionsRequest.state_filters"), b, o, end, at, n
    )
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters, o = yield from numbers(">q", 8, b, o, n)
    (duration_filter,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = duration_filter
    e.transactional_id_pattern = None
    return e, o


def _read_list_transactions_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[ListTransactionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    all_state_filters: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListTransactionsRequest.state_filters")
        if n > end - o:
            raise short("ListTransactionsRequest.state_filters", n, end - o)
        one_state_filters = str(b[o : o + n], "utf-8")
        o += n
        all_state_filters.append(one_state_filters)
    state_filters = tuple(all_state_filters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters = unpack_from(f">{n}q", b, o)
    o += n * 8
    (duration_filter,) = unpack_q(b, o)
    o += 8
    transactional_id_pattern: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id_pattern = None
    else:
        if n > end - o:
            raise short("ListTransactionsRequest.transactional_id_pattern", n, end - o)
        transactional_id_pattern = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = duration_filter
    e.transactional_id_pattern = transactional_id_pattern
    return e, o


def _write_list_transactions_request_v2(e: ListTransactionsRequest, put: Put) -> None:
    state_filters = e.state_filters
    put(put_uvarint(len(state_filters) + 1))
    for one_state_filters in state_filters:
        raw = one_state_filters.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    producer_id_filters = e.producer_id_filters
    put(put_uvarint(len(producer_id_filters) + 1))
    if producer_id_filters:
        put(pack(f">{len(producer_id_filters)}q", *producer_id_filters))
    put(pack_q(e.duration_filter))
    transactional_id_pattern = e.transactional_id_pattern
    if transactional_id_pattern is None:
        put(b"\0")
    else:
        raw = transactional_id_pattern.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_list_transactions_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListTransactionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.state_filters")
    if n > end - o:
        raise short("ListTransactionsRequest.state_filters", n, end - o)
    state_filters, o = yield from read_each(
        partial(compact_string, "ListTransactionsRequest.state_filters"), b, o, end, at, n
    )
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsRequest.producer_id_filters")
    if n * 8 > end - o:
        raise short("ListTransactionsRequest.producer_id_filters", n * 8, end - o)
    producer_id_filters, o = yield from numbers(">q", 8, b, o, n)
    (duration_filter,) = unpack_q(b, o)
    o += 8
    transactional_id_pattern: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id_pattern = None
    else:
        if n > end - o:
            raise short("ListTransactionsRequest.transactional_id_pattern", n, end - o)
        transactional_id_pattern = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "ListTransactionsRequest") if b[o] else o + 1
    e = new(ListTransactionsRequest)
    e.state_filters = state_filters
    e.producer_id_filters = producer_id_filters
    e.duration_filter = duration_filter
    e.transactional_id_pattern = transactional_id_pattern
    return e, o


ListTransactionsRequest.RESPONSE = ListTransactionsResponse
ListTransactionsRequest.WALKERS = {
    0: _walk_list_transactions_request_v0,
    1: _walk_list_transactions_request_v1,
    2: _walk_list_transactions_request_v2,
}
ListTransactionsRequest.READERS = {
    0: _read_list_transactions_request_v0,
    1: _read_list_transactions_request_v1,
    2: _read_list_transactions_request_v2,
}
ListTransactionsRequest.WRITERS = {
    0: _write_list_transactions_request_v0,
    1: _write_list_transactions_request_v1,
    2: _write_list_transactions_request_v2,
}
