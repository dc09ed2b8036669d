"""ListConfigResourcesRequest (key 74), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers
from spindle.wire.messages.list_config_resources_response import ListConfigResourcesResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class ListConfigResourcesRequest(Request[ListConfigResourcesResponse]):
    """The request of API 74."""

    KEY: ClassVar = 74
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("resource_types",)
    resource_types: Sequence[int]  # from version 1

    def __init__(self, *, resource_types: Sequence[int] = ()) -> None:
        self.resource_types = resource_types


def _read_list_config_resources_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListConfigResourcesRequest, int]:
    o = skip_tags(b, o, end, "ListConfigResourcesRequest") if b[o] else o + 1
    e = new(ListConfigResourcesRequest)
    e.resource_types = ()
    return e, o


def _write_list_config_resources_request_v0(e: ListConfigResourcesRequest, put: Put) -> None:
    put(b"\0")


def _read_list_config_resources_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListConfigResourcesRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListConfigResourcesRequest.resource_types")
    if n > end - o:
        raise short("ListConfigResourcesRequest.resource_types", n, end - o)
    resource_types = unpack_from(f">{n}b", b, o)
    o += n * 1
    o = skip_tags(b, o, end, "ListConfigResourcesRequest") if b[o] else o + 1
    e = new(ListConfigResourcesRequest)
    e.resource_types = resource_types
    return e, o


def _write_list_config_resources_request_v1(e: ListConfigResourcesRequest, put: Put) -> None:
    resource_types = e.resource_types
    put(put_uvarint(len(resource_types) + 1))
    if resource_types:
        put(pack(f">{len(resource_types)}b", *resource_types))
    put(b"\0")


def _walk_list_config_resources_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListConfigResourcesRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListConfigResourcesRequest.resource_types")
    if n > end - o:
        raise short("ListConfigResourcesRequest.resource_types", n, end - o)
    resource_types, o = yield from numbers(">b", 1, b, o, n)
    o = skip_tags(b, o, end, "ListConfigResourcesRequest") if b[o] else o + 1
    e = new(ListConfigResourcesRequest)
    e.resource_types = resource_types
    return e, o


ListConfigResourcesRequest.RESPONSE = ListConfigResourcesResponse
ListConfigResourcesRequest.WALKERS = {
    1: _walk_list_config_resources_request_v1,
}
ListConfigResourcesRequest.READERS = {
    0: _read_list_config_resources_request_v0,
    1: _read_list_config_resources_request_v1,
}
ListConfigResourcesRequest.WRITERS = {
    0: _write_list_config_resources_request_v0,
    1: _write_list_config_resources_request_v1,
}
