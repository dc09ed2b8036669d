"""DescribeClientQuotasRequest (key 48), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
pack_tB = Struct(">?B").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from


class ComponentData(Message):
    """A part of DescribeClientQuotasRequest."""

    __slots__ = ("entity_type", "match_type", "match")
    entity_type: str
    match_type: int
    match: str | None

    def __init__(
        self, *, entity_type: str = "", match_type: int = 0, match: str | None = None
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match


class DescribeClientQuotasRequest(Request[DescribeClientQuotasResponse]):
    """The request of API 48."""

    KEY: ClassVar = 48
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("components", "strict")
    components: Sequence[ComponentData]
    strict: bool

    def __init__(self, *, components: Sequence[ComponentData] = (), strict: bool = False) -> None:
        self.components = components
        self.strict = strict


def _read_component_data_v0(b: Buffer, o: int, end: int) -> tuple[ComponentData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ComponentData.entity_type")
    if n > end - o:
        raise short("ComponentData.entity_type", n, end - o)
    entity_type = str(b[o : o + n], "utf-8")
    o += n
    (match_type,) = unpack_b(b, o)
    o += 1
    match: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        match = None
    else:
        if n > end - o:
            raise short("ComponentData.match", n, end - o)
        match = str(b[o : o + n], "utf-8")
        o += n
    e = new(ComponentData)
    e.entity_type = entity_type
    e.match_type = match_type
    e.match = match
    return e, o


def _write_component_data_v0(e: ComponentData, put: Put) -> None:
    entity_type = e.entity_type
    raw = entity_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_b(e.match_type))
    match = e.match
    if match is None:
        put(b"\xff\xff")
    else:
        raw = match.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_component_data_v1(b: Buffer, o: int, end: int) -> tuple[ComponentData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ComponentData.entity_type")
    if n > end - o:
        raise short("ComponentData.entity_type", n, end - o)
    entity_type = str(b[o : o + n], "utf-8")
    o += n
    (match_type,) = unpack_b(b, o)
    o += 1
    match: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        match = None
    else:
        if n > end - o:
            raise short("ComponentData.match", n, end - o)
        match = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "ComponentData") if b[o] else o + 1
    e = new(ComponentData)
    e.entity_type = entity_type
    e.match_type = match_type
    e.match = match
    return e, o


def _write_component_data_v1(e: ComponentData, put: Put) -> None:
    entity_type = e.entity_type
    raw = entity_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.match_type))
    match = e.match
    if match is None:
        put(b"\0")
    else:
        raw = match.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_client_quotas_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClientQuotasRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeClientQuotasRequest.components")
    if n * 5 > end - o:
        raise short("DescribeClientQuotasRequest.components", n * 5, end - o)
    all_components: list[ComponentData] = []
    for _ in range(n):
        one_components, o = _read_component_data_v0(b, o, end)
        all_components.append(one_components)
    components = tuple(all_components)
    (strict,) = unpack_t(b, o)
    o += 1
    e = new(DescribeClientQuotasRequest)
    e.components = components
    e.strict = strict
    return e, o


def _write_describe_client_quotas_request_v0(e: DescribeClientQuotasRequest, put: Put) -> None:
    components = e.components
    put(pack_i(len(components)))
    for one_components in components:
        _write_component_data_v0(one_components, put)
    put(pack_t(e.strict))


def _walk_describe_client_quotas_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeClientQuotasRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeClientQuotasRequest.components")
    if n * 5 > end - o:
        raise short("DescribeClientQuotasRequest.components", n * 5, end - o)
    components, o = yield from read_each(_read_component_data_v0, b, o, end, at, n)
    (strict,) = unpack_t(b, o)
    o += 1
    e = new(DescribeClientQuotasRequest)
    e.components = components
    e.strict = strict
    return e, o


def _read_describe_client_quotas_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClientQuotasRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClientQuotasRequest.components")
    if n * 4 > end - o:
        raise short("DescribeClientQuotasRequest.components", n * 4, end - o)
    all_components: list[ComponentData] = []
    for _ in range(n):
        one_components, o = _read_component_data_v1(b, o, end)
        all_components.append(one_components)
    components = tuple(all_components)
    (strict,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeClientQuotasRequest") if b[o] else o + 1
    e = new(DescribeClientQuotasRequest)
    e.components = components
    e.strict = strict
    return e, o


def _write_describe_client_quotas_request_v1(e: DescribeClientQuotasRequest, put: Put) -> None:
    components = e.components
    put(put_uvarint(len(components) + 1))
    for one_components in components:
        _write_component_data_v1(one_components, put)
    put(pack_tB(e.strict, 0))


def _walk_describe_client_quotas_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeClientQuotasRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClientQuotasRequest.components")
    if n * 4 > end - o:
        raise short("DescribeClientQuotasRequest.components", n * 4, end - o)
    components, o = yield from read_each(_read_component_data_v1, b, o, end, at, n)
    (strict,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeClientQuotasRequest") if b[o] else o + 1
    e = new(DescribeClientQuotasRequest)
    e.components = components
    e.strict = strict
    return e, o


DescribeClientQuotasRequest.RESPONSE = DescribeClientQuotasResponse
DescribeClientQuotasRequest.WALKERS = {
    0: _walk_describe_client_quotas_request_v0,
    1: _walk_describe_client_quotas_request_v1,
}
DescribeClientQuotasRequest.READERS = {
    0: _read_describe_client_quotas_request_v0,
    1: _read_describe_client_quotas_request_v1,
}
DescribeClientQuotasRequest.WRITERS = {
    0: _write_describe_client_quotas_request_v0,
    1: _write_describe_client_quotas_request_v1,
}
