"""ListGroupsRequest (key 16), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.list_groups_response import ListGroupsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class ListGroupsRequest(Request[ListGroupsResponse]):
    """The request of API 16."""

    KEY: ClassVar = 16
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = ("states_filter", "types_filter")
    states_filter: Sequence[str]  # from version 4
    types_filter: Sequence[str]  # from version 5

    def __init__(
        self, *, states_filter: Sequence[str] = (), types_filter: Sequence[str] = ()
    ) -> None:
        self.states_filter = states_filter
        self.types_filter = types_filter


def _read_list_groups_request_v0(b: Buffer, o: int, end: int) -> tuple[ListGroupsRequest, int]:
    e = new(ListGroupsRequest)
    e.states_filter = ()
    e.types_filter = ()
    return e, o


def _write_list_groups_request_v0(e: ListGroupsRequest, put: Put) -> None:
    pass


def _read_list_groups_request_v3(b: Buffer, o: int, end: int) -> tuple[ListGroupsRequest, int]:
    o = skip_tags(b, o, end, "ListGroupsRequest") if b[o] else o + 1
    e = new(ListGroupsRequest)
    e.states_filter = ()
    e.types_filter = ()
    return e, o


def _write_list_groups_request_v3(e: ListGroupsRequest, put: Put) -> None:
    put(b"\0")


def _read_list_groups_request_v4(b: Buffer, o: int, end: int) -> tuple[ListGroupsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.states_filter")
    if n > end - o:
        raise short("ListGroupsRequest.states_filter", n, end - o)
    all_states_filter: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListGroupsRequest.states_filter")
        if n > end - o:
            raise short("ListGroupsRequest.states_filter", n, end - o)
        one_states_filter = str(b[o : o + n], "utf-8")
        o += n
        all_states_filter.append(one_states_filter)
    states_filter = tuple(all_states_filter)
    o = skip_tags(b, o, end, "ListGroupsRequest") if b[o] else o + 1
    e = new(ListGroupsRequest)
    e.states_filter = states_filter
    e.types_filter = ()
    return e, o


def _write_list_groups_request_v4(e: ListGroupsRequest, put: Put) -> None:
    states_filter = e.states_filter
    put(put_uvarint(len(states_filter) + 1))
    for one_states_filter in states_filter:
        raw = one_states_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_list_groups_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListGroupsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.states_filter")
    if n > end - o:
        raise short("ListGroupsRequest.states_filter", n, end - o)
    states_filter, o = yield from read_each(
        partial(compact_string, "ListGroupsRequest.states_filter"), b, o, end, at, n
    )
    o = skip_tags(b, o, end, "ListGroupsRequest") if b[o] else o + 1
    e = new(ListGroupsRequest)
    e.states_filter = states_filter
    e.types_filter = ()
    return e, o


def _read_list_groups_request_v5(b: Buffer, o: int, end: int) -> tuple[ListGroupsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.states_filter")
    if n > end - o:
        raise short("ListGroupsRequest.states_filter", n, end - o)
    all_states_filter: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListGroupsRequest.states_filter")
        if n > end - o:
            raise short("ListGroupsRequest.states_filter", n, end - o)
        one_states_filter = str(b[o : o + n], "utf-8")
        o += n
        all_states_filter.append(one_states_filter)
    states_filter = tuple(all_states_filter)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.types_filter")
    if n > end - o:
        raise short("ListGroupsRequest.types_filter", n, end - o)
    all_types_filter: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListGroupsRequest.types_filter")
        if n > end - o:
            raise short("ListGroupsRequest.types_filter", n, end - o)
        one_types_filter = str(b[o : o + n], "utf-8")
        o += n
        all_types_filter.append(one_types_filter)
    types_filter = tuple(all_types_filter)
    o = skip_tags(b, o, end, "ListGroupsRequest") if b[o] else o + 1
    e = new(ListGroupsRequest)
    e.states_filter = states_filter
    e.types_filter = types_filter
    return e, o


def _write_list_groups_request_v5(e: ListGroupsRequest, put: Put) -> None:
    states_filter = e.states_filter
    put(put_uvarint(len(states_filter) + 1))
    for one_states_filter in states_filter:
        raw = one_states_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    types_filter = e.types_filter
    put(put_uvarint(len(types_filter) + 1))
    for one_types_filter in types_filter:
        raw = one_types_filter.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_list_groups_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListGroupsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.states_filter")
    if n > end - o:
        raise short("ListGroupsRequest.states_filter", n, end - o)
    states_filter, o = yield from read_each(
        partial(compact_string, "ListGroupsRequest.states_filter"), b, o, end, at, n
    )
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsRequest.types_filter")
    if n > end - o:
        raise short("ListGroupsRequest.types_filter", n, end - o)
    types_filter, o = yield from read_each(
        partial(compact_string, "ListGroupsRequest.types_filter"), b, o, end, at, n
    )
    o = skip_tags(b, o, end, "ListGroupsRequest") if b[o] else o + 1
    e = new(ListGroupsRequest)
    e.states_filter = states_filter
    e.types_filter = types_filter
    return e, o


ListGroupsRequest.RESPONSE = ListGroupsResponse
ListGroupsRequest.WALKERS = {
    4: _walk_list_groups_request_v4,
    5: _walk_list_groups_request_v5,
}
ListGroupsRequest.READERS = {
    0: _read_list_groups_request_v0,
    1: _read_list_groups_request_v0,
    2: _read_list_groups_request_v0,
    3: _read_list_groups_request_v3,
    4: _read_list_groups_request_v4,
    5: _read_list_groups_request_v5,
}
ListGroupsRequest.WRITERS = {
    0: _write_list_groups_request_v0,
    1: _write_list_groups_request_v0,
    2: _write_list_groups_request_v0,
    3: _write_list_groups_request_v3,
    4: _write_list_groups_request_v4,
    5: _write_list_groups_request_v5,
}
