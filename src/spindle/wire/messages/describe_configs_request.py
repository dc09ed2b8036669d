"""DescribeConfigsRequest (key 32), versions 1 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each, string, walk_each
from spindle.wire.messages.describe_configs_response import DescribeConfigsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
pack_tt = Struct(">??").pack
pack_ttB = Struct(">??B").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tt = Struct(">??").unpack_from


class DescribeConfigsResource(Message):
    """A part of DescribeConfigsRequest."""

    __slots__ = ("resource_type", "resource_name", "configuration_keys")
    resource_type: int
    resource_name: str
    configuration_keys: Sequence[str] | None

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: Sequence[str] | None = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = configuration_keys


class DescribeConfigsRequest(Request[DescribeConfigsResponse]):
    """The request of API 32."""

    KEY: ClassVar = 32
    VERSIONS: ClassVar = range(1, 5)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = ("resources", "include_synonyms", "include_documentation")
    resources: Sequence[DescribeConfigsResource]
    include_synonyms: bool
    include_documentation: bool  # from version 3

    def __init__(
        self,
        *,
        resources: Sequence[DescribeConfigsResource] = (),
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources = resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation


def _read_describe_configs_resource_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResource.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    configuration_keys: Sequence[str] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        configuration_keys = None
    else:
        if n * 2 > end - o:
            raise short("DescribeConfigsResource.configuration_keys", n * 2, end - o)
        all_configuration_keys: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(b, o)
            o += 2
            if n < 0:
                raise null("DescribeConfigsResource.configuration_keys")
            if n > end - o:
                raise short("DescribeConfigsResource.configuration_keys", n, end - o)
            one_configuration_keys = str(b[o : o + n], "utf-8")
            o += n
            all_configuration_keys.append(one_configuration_keys)
        configuration_keys = tuple(all_configuration_keys)
    e = new(DescribeConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configuration_keys = configuration_keys
    return e, o


def _write_describe_configs_resource_v1(e: DescribeConfigsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    configuration_keys = e.configuration_keys
    if configuration_keys is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(configuration_keys)))
        for one_configuration_keys in configuration_keys:
            raw = one_configuration_keys.encode()
            put(pack_h(len(raw)))
            put(raw)


def _walk_describe_configs_resource_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeConfigsResource]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResource.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    configuration_keys: Sequence[str] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        configuration_keys = None
    else:
        if n * 2 > end - o:
            raise short("DescribeConfigsResource.configuration_keys", n * 2, end - o)
        configuration_keys, o = yield from read_each(
            partial(string, "DescribeConfigsResource.configuration_keys"), b, o, end, at, n
        )
    e = new(DescribeConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configuration_keys = configuration_keys
    return e, o


def _read_describe_configs_resource_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResource.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    configuration_keys: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        configuration_keys = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResource.configuration_keys", n, end - o)
        all_configuration_keys: list[str] = []
        for _ in range(n):
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("DescribeConfigsResource.configuration_keys")
            if n > end - o:
                raise short("DescribeConfigsResource.configuration_keys", n, end - o)
            one_configuration_keys = str(b[o : o + n], "utf-8")
            o += n
            all_configuration_keys.append(one_configuration_keys)
        configuration_keys = tuple(all_configuration_keys)
    o = skip_tags(b, o, end, "DescribeConfigsResource") if b[o] else o + 1
    e = new(DescribeConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configuration_keys = configuration_keys
    return e, o


def _write_describe_configs_resource_v4(e: DescribeConfigsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    configuration_keys = e.configuration_keys
    if configuration_keys is None:
        put(b"\0")
    else:
        put(put_uvarint(len(configuration_keys) + 1))
        for one_configuration_keys in configuration_keys:
            raw = one_configuration_keys.encode()
            put(put_uvarint(len(raw) + 1))
            put(raw)
    put(b"\0")


def _walk_describe_configs_resource_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeConfigsResource]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResource.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    configuration_keys: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        configuration_keys = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResource.configuration_keys", n, end - o)
        configuration_keys, o = yield from read_each(
            partial(compact_string, "DescribeConfigsResource.configuration_keys"), b, o, end, at, n
        )
    o = skip_tags(b, o, end, "DescribeConfigsResource") if b[o] else o + 1
    e = new(DescribeConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configuration_keys = configuration_keys
    return e, o


def _read_describe_configs_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 7, end - o)
    all_resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        one_resources, o = _read_describe_configs_resource_v1(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    (include_synonyms,) = unpack_t(b, o)
    o += 1
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = False
    return e, o


def _write_describe_configs_request_v1(e: DescribeConfigsRequest, put: Put) -> None:
    resources = e.resources
    put(pack_i(len(resources)))
    for one_resources in resources:
        _write_describe_configs_resource_v1(one_resources, put)
    put(pack_t(e.include_synonyms))


def _walk_describe_configs_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeConfigsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 7, end - o)
    resources, o = yield from walk_each(_walk_describe_configs_resource_v1, b, o, end, at, n)
    (include_synonyms,) = unpack_t(b, o)
    o += 1
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = False
    return e, o


def _read_describe_configs_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 7, end - o)
    all_resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        one_resources, o = _read_describe_configs_resource_v1(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    include_synonyms, include_documentation = unpack_tt(b, o)
    o += 2
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = include_documentation
    return e, o


def _write_describe_configs_request_v3(e: DescribeConfigsRequest, put: Put) -> None:
    resources = e.resources
    put(pack_i(len(resources)))
    for one_resources in resources:
        _write_describe_configs_resource_v1(one_resources, put)
    put(pack_tt(e.include_synonyms, e.include_documentation))


def _walk_describe_configs_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeConfigsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 7, end - o)
    resources, o = yield from walk_each(_walk_describe_configs_resource_v1, b, o, end, at, n)
    include_synonyms, include_documentation = unpack_tt(b, o)
    o += 2
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = include_documentation
    return e, o


def _read_describe_configs_request_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 4 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 4, end - o)
    all_resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        one_resources, o = _read_describe_configs_resource_v4(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    include_synonyms, include_documentation = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "DescribeConfigsRequest") if b[o] else o + 1
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = include_documentation
    return e, o


def _write_describe_configs_request_v4(e: DescribeConfigsRequest, put: Put) -> None:
    resources = e.resources
    put(put_uvarint(len(resources) + 1))
    for one_resources in resources:
        _write_describe_configs_resource_v4(one_resources, put)
    put(pack_ttB(e.include_synonyms, e.include_documentation, 0))


def _walk_describe_configs_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeConfigsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsRequest.resources")
    if n * 4 > end - o:
        raise short("DescribeConfigsRequest.resources", n * 4, end - o)
    resources, o = yield from walk_each(_walk_describe_configs_resource_v4, b, o, end, at, n)
    include_synonyms, include_documentation = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "DescribeConfigsRequest") if b[o] else o + 1
    e = new(DescribeConfigsRequest)
    e.resources = resources
    e.include_synonyms = include_synonyms
    e.include_documentation = include_documentation
    return e, o


DescribeConfigsRequest.RESPONSE = DescribeConfigsResponse
DescribeConfigsRequest.WALKERS = {
    1: _walk_describe_configs_request_v1,
    2: _walk_describe_configs_request_v1,
    3: _walk_describe_configs_request_v3,
    4: _walk_describe_configs_request_v4,
}
DescribeConfigsRequest.READERS = {
    1: _read_describe_configs_request_v1,
    2: _read_describe_configs_request_v1,
    3: _read_describe_configs_request_v3,
    4: _read_describe_configs_request_v4,
}
DescribeConfigsRequest.WRITERS = {
    1: _write_describe_configs_request_v1,
    2: _write_describe_configs_request_v1,
    3: _write_describe_configs_request_v3,
    4: _write_describe_configs_request_v4,
}
