"""DeleteGroupsRequest (key 42), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each, string
from spindle.wire.messages.delete_groups_response import DeleteGroupsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class DeleteGroupsRequest(Request[DeleteGroupsResponse]):
    """The request of API 42."""

    KEY: ClassVar = 42
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("groups_names",)
    groups_names: Sequence[str]

    def __init__(self, *, groups_names: Sequence[str] = ()) -> None:
        self.groups_names = groups_names


def _read_delete_groups_request_v0(b: Buffer, o: int, end: int) -> tuple[DeleteGroupsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteGroupsRequest.groups_names")
    if n * 2 > end - o:
        raise short("DeleteGroupsRequest.groups_names", n * 2, end - o)
    all_groups_names: list[str] = []
    for _ in range(n):
        (n,) = unpack_h(b, o)
        o += 2
        if n < 0:
            raise null("DeleteGroupsRequest.groups_names")
        if n > end - o:
            raise short("DeleteGroupsRequest.groups_names", n, end - o)
        one_groups_names = str(b[o : o + n], "utf-8")
        o += n
        all_groups_names.append(one_groups_names)
    groups_names = tuple(all_groups_names)
    e = new(DeleteGroupsRequest)
    e.groups_names = groups_names
    return e, o


def _write_delete_groups_request_v0(e: DeleteGroupsRequest, put: Put) -> None:
    groups_names = e.groups_names
    put(pack_i(len(groups_names)))
    for one_groups_names in groups_names:
        raw = one_groups_names.encode()
        put(pack_h(len(raw)))
        put(raw)


def _walk_delete_groups_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteGroupsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteGroupsRequest.groups_names")
    if n * 2 > end - o:
        raise short("DeleteGroupsRequest.groups_names", n * 2, end - o)
    groups_names, o = yield from read_each(
        partial(string, "DeleteGroupsRequest.groups_names"), b, o, end, at, n
    )
    e = new(DeleteGroupsRequest)
    e.groups_names = groups_names
    return e, o


def _read_delete_groups_request_v2(b: Buffer, o: int, end: int) -> tuple[DeleteGroupsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteGroupsRequest.groups_names")
    if n > end - o:
        raise short("DeleteGroupsRequest.groups_names", n, end - o)
    all_groups_names: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("DeleteGroupsRequest.groups_names")
        if n > end - o:
            raise short("DeleteGroupsRequest.groups_names", n, end - o)
        one_groups_names = str(b[o : o + n], "utf-8")
        o += n
        all_groups_names.append(one_groups_names)
    groups_names = tuple(all_groups_names)
    o = skip_tags(b, o, end, "DeleteGroupsRequest") if b[o] else o + 1
    e = new(DeleteGroupsRequest)
    e.groups_names = groups_names
    return e, o


def _write_delete_groups_request_v2(e: DeleteGroupsRequest, put: Put) -> None:
    groups_names = e.groups_names
    put(put_uvarint(len(groups_names) + 1))
    for one_groups_names in groups_names:
        raw = one_groups_names.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_delete_groups_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteGroupsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteGroupsRequest.groups_names")
    if n > end - o:
        raise short("DeleteGroupsRequest.groups_names", n, end - o)
    groups_names, o = yield from read_each(
        partial(compact_string, "DeleteGroupsRequest.groups_names"), b, o, end, at, n
    )
    o = skip_tags(b, o, end, "DeleteGroupsRequest") if b[o] else o + 1
    e = new(DeleteGroupsRequest)
    e.groups_names = groups_names
    return e, o


DeleteGroupsRequest.RESPONSE = DeleteGroupsResponse
DeleteGroupsRequest.WALKERS = {
    0: _walk_delete_groups_request_v0,
    1: _walk_delete_groups_request_v0,
    2: _walk_delete_groups_request_v2,
}
DeleteGroupsRequest.READERS = {
    0: _read_delete_groups_request_v0,
    1: _read_delete_groups_request_v0,
    2: _read_delete_groups_request_v2,
}
DeleteGroupsRequest.WRITERS = {
    0: _write_delete_groups_request_v0,
    1: _write_delete_groups_request_v0,
    2: _write_delete_groups_request_v2,
}
