"""ListConfigResourcesResponse (key 74), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_bB = Struct(">bB").pack
pack_ih = Struct(">ih").pack
unpack_b = Struct(">b").unpack_from
unpack_ih = Struct(">ih").unpack_from


class ConfigResource(Message):
    """A part of ListConfigResourcesResponse."""

    __slots__ = ("resource_name", "resource_type")
    resource_name: str
    resource_type: int  # from version 1

    def __init__(self, *, resource_name: str = "", resource_type: int = 16) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type


class ListConfigResourcesResponse(Response):
    """The response of API 74."""

    KEY: ClassVar = 74
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "config_resources")
    throttle_time_ms: int
    error_code: ErrorCode
    config_resources: Sequence[ConfigResource]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        config_resources: Sequence[ConfigResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = config_resources


def _read_config_resource_v0(b: Buffer, o: int, end: int) -> tuple[ConfigResource, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConfigResource.resource_name")
    if n > end - o:
        raise short("ConfigResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ConfigResource") if b[o] else o + 1
    e = new(ConfigResource)
    e.resource_name = resource_name
    e.resource_type = 16
    return e, o


def _write_config_resource_v0(e: ConfigResource, put: Put) -> None:
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_config_resource_v1(b: Buffer, o: int, end: int) -> tuple[ConfigResource, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConfigResource.resource_name")
    if n > end - o:
        raise short("ConfigResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "ConfigResource") if b[o] else o + 1
    e = new(ConfigResource)
    e.resource_name = resource_name
    e.resource_type = resource_type
    return e, o


def _write_config_resource_v1(e: ConfigResource, put: Put) -> None:
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bB(e.resource_type, 0))


def _read_list_config_resources_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListConfigResourcesResponse.config_resources")
    if n * 2 > end - o:
        raise short("ListConfigResourcesResponse.config_resources", n * 2, end - o)
    all_config_resources: list[ConfigResource] = []
    for _ in range(n):
        one_config_resources, o = _read_config_resource_v0(b, o, end)
        all_config_resources.append(one_config_resources)
    config_resources = tuple(all_config_resources)
    o = skip_tags(b, o, end, "ListConfigResourcesResponse") if b[o] else o + 1
    e = new(ListConfigResourcesResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.config_resources = config_resources
    return e, o


def _write_list_config_resources_response_v0(e: ListConfigResourcesResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    config_resources = e.config_resources
    put(put_uvarint(len(config_resources) + 1))
    if type(config_resources) is Packed:
        for piece in config_resources.pieces:
            put(piece)
    else:
        for one_config_resources in config_resources:
            _write_config_resource_v0(one_config_resources, put)
    put(b"\0")


def _read_list_config_resources_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListConfigResourcesResponse.config_resources")
    if n * 3 > end - o:
        raise short("ListConfigResourcesResponse.config_resources", n * 3, end - o)
    all_config_resources: list[ConfigResource] = []
    for _ in range(n):
        one_config_resources, o = _read_config_resource_v1(b, o, end)
        all_config_resources.append(one_config_resources)
    config_resources = tuple(all_config_resources)
    o = skip_tags(b, o, end, "ListConfigResourcesResponse") if b[o] else o + 1
    e = new(ListConfigResourcesResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.config_resources = config_resources
    return e, o


def _write_list_config_resources_response_v1(e: ListConfigResourcesResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    config_resources = e.config_resources
    put(put_uvarint(len(config_resources) + 1))
    if type(config_resources) is Packed:
        for piece in config_resources.pieces:
            put(piece)
    else:
        for one_config_resources in config_resources:
            _write_config_resource_v1(one_config_resources, put)
    put(b"\0")


ListConfigResourcesResponse.READERS = {
    0: _read_list_config_resources_response_v0,
    1: _read_list_config_resources_response_v1,
}
ConfigResource.WRITERS = {
    0: _write_config_resource_v0,
    1: _write_config_resource_v1,
}
ListConfigResourcesResponse.WRITERS = {
    0: _write_list_config_resources_response_v0,
    1: _write_list_config_resources_response_v1,
}
