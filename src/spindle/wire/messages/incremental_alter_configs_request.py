"""IncrementalAlterConfigsRequest (key 44), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
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


class AlterableConfig(Message):
    """A part of IncrementalAlterConfigsRequest."""

    __slots__ = ("name", "config_operation", "value")
    name: str
    config_operation: int
    value: str | None

    def __init__(
        self, *, name: str = "", config_operation: int = 0, value: str | None = None
    ) -> None:
        self.name = name
        self.config_operation = config_operation
        self.value = value


class AlterConfigsResource(Message):
    """A part of IncrementalAlterConfigsRequest."""

    __slots__ = ("resource_type", "resource_name", "configs")
    resource_type: int
    resource_name: str
    configs: Sequence[AlterableConfig]

    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[AlterableConfig] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class IncrementalAlterConfigsRequest(Request[IncrementalAlterConfigsResponse]):
    """The request of API 44."""

    KEY: ClassVar = 44
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("resources", "validate_only")
    resources: Sequence[AlterConfigsResource]
    validate_only: bool

    def __init__(
        self, *, resources: Sequence[AlterConfigsResource] = (), validate_only: bool = False
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only


def _read_alterable_config_v0(b: Buffer, o: int, end: int) -> tuple[AlterableConfig, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterableConfig.name")
    if n > end - o:
        raise short("AlterableConfig.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (config_operation,) = unpack_b(b, o)
    o += 1
    value: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("AlterableConfig.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    e = new(AlterableConfig)
    e.name = name
    e.config_operation = config_operation
    e.value = value
    return e, o


def _write_alterable_config_v0(e: AlterableConfig, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_b(e.config_operation))
    value = e.value
    if value is None:
        put(b"\xff\xff")
    else:
        raw = value.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_alterable_config_v1(b: Buffer, o: int, end: int) -> tuple[AlterableConfig, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterableConfig.name")
    if n > end - o:
        raise short("AlterableConfig.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (config_operation,) = unpack_b(b, o)
    o += 1
    value: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("AlterableConfig.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "AlterableConfig") if b[o] else o + 1
    e = new(AlterableConfig)
    e.name = name
    e.config_operation = config_operation
    e.value = value
    return e, o


def _write_alterable_config_v1(e: AlterableConfig, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.config_operation))
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_alter_configs_resource_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterConfigsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterConfigsResource.resource_name")
    if n > end - o:
        raise short("AlterConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterConfigsResource.configs")
    if n * 5 > end - o:
        raise short("AlterConfigsResource.configs", n * 5, end - o)
    all_configs: list[AlterableConfig] = []
    for _ in range(n):
        one_configs, o = _read_alterable_config_v0(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    e = new(AlterConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _write_alter_configs_resource_v0(e: AlterConfigsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    configs = e.configs
    put(pack_i(len(configs)))
    for one_configs in configs:
        _write_alterable_config_v0(one_configs, put)


def _walk_alter_configs_resource_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterConfigsResource]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterConfigsResource.resource_name")
    if n > end - o:
        raise short("AlterConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterConfigsResource.configs")
    if n * 5 > end - o:
        raise short("AlterConfigsResource.configs", n * 5, end - o)
    configs, o = yield from read_each(_read_alterable_config_v0, b, o, end, at, n)
    e = new(AlterConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _read_alter_configs_resource_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterConfigsResource, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterConfigsResource.resource_name")
    if n > end - o:
        raise short("AlterConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterConfigsResource.configs")
    if n * 4 > end - o:
        raise short("AlterConfigsResource.configs", n * 4, end - o)
    all_configs: list[AlterableConfig] = []
    for _ in range(n):
        one_configs, o = _read_alterable_config_v1(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    o = skip_tags(b, o, end, "AlterConfigsResource") if b[o] else o + 1
    e = new(AlterConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _write_alter_configs_resource_v1(e: AlterConfigsResource, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    configs = e.configs
    put(put_uvarint(len(configs) + 1))
    for one_configs in configs:
        _write_alterable_config_v1(one_configs, put)
    put(b"\0")


def _walk_alter_configs_resource_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterConfigsResource]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterConfigsResource.resource_name")
    if n > end - o:
        raise short("AlterConfigsResource.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterConfigsResource.configs")
    if n * 4 > end - o:
        raise short("AlterConfigsResource.configs", n * 4, end - o)
    configs, o = yield from read_each(_read_alterable_config_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterConfigsResource") if b[o] else o + 1
    e = new(AlterConfigsResource)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _read_incremental_alter_configs_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[IncrementalAlterConfigsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("IncrementalAlterConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("IncrementalAlterConfigsRequest.resources", n * 7, end - o)
    all_resources: list[AlterConfigsResource] = []
    for _ in range(n):
        one_resources, o = _read_alter_configs_resource_v0(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    (validate_only,) = unpack_t(b, o)
    o += 1
    e = new(IncrementalAlterConfigsRequest)
    e.resources = resources
    e.validate_only = validate_only
    return e, o


def _write_incremental_alter_configs_request_v0(
    e: IncrementalAlterConfigsRequest, put: Put
) -> None:
    resources = e.resources
    put(pack_i(len(resources)))
    for one_resources in resources:
        _write_alter_configs_resource_v0(one_resources, put)
    put(pack_t(e.validate_only))


def _walk_incremental_alter_configs_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[IncrementalAlterConfigsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("IncrementalAlterConfigsRequest.resources")
    if n * 7 > end - o:
        raise short("IncrementalAlterConfigsRequest.resources", n * 7, end - o)
    resources, o = yield from walk_each(_walk_alter_configs_resource_v0, b, o, end, at, n)
    (validate_only,) = unpack_t(b, o)
    o += 1
    e = new(IncrementalAlterConfigsRequest)
    e.resources = resources
    e.validate_only = validate_only
    return e, o


def _read_incremental_alter_configs_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[IncrementalAlterConfigsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("IncrementalAlterConfigsRequest.resources")
    if n * 4 > end - o:
        raise short("IncrementalAlterConfigsRequest.resources", n * 4, end - o)
    all_resources: list[AlterConfigsResource] = []
    for _ in range(n):
        one_resources, o = _read_alter_configs_resource_v1(b, o, end)
        all_resources.append(one_resources)
    resources = tuple(all_resources)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "IncrementalAlterConfigsRequest") if b[o] else o + 1
    e = new(IncrementalAlterConfigsRequest)
    e.resources = resources
    e.validate_only = validate_only
    return e, o


def _write_incremental_alter_configs_request_v1(
    e: IncrementalAlterConfigsRequest, put: Put
) -> None:
    resources = e.resources
    put(put_uvarint(len(resources) + 1))
    for one_resources in resources:
        _write_alter_configs_resource_v1(one_resources, put)
    put(pack_tB(e.validate_only, 0))


def _walk_incremental_alter_configs_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[IncrementalAlterConfigsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("IncrementalAlterConfigsRequest.resources")
    if n * 4 > end - o:
        raise short("IncrementalAlterConfigsRequest.resources", n * 4, end - o)
    resources, o = yield from walk_each(_walk_alter_configs_resource_v1, b, o, end, at, n)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "IncrementalAlterConfigsRequest") if b[o] else o + 1
    e = new(IncrementalAlterConfigsRequest)
    e.resources = resources
    e.validate_only = validate_only
    return e, o


IncrementalAlterConfigsRequest.RESPONSE = IncrementalAlterConfigsResponse
IncrementalAlterConfigsRequest.WALKERS = {
    0: _walk_incremental_alter_configs_request_v0,
    1: _walk_incremental_alter_configs_request_v1,
}
IncrementalAlterConfigsRequest.READERS = {
    0: _read_incremental_alter_configs_request_v0,
    1: _read_incremental_alter_configs_request_v1,
}
IncrementalAlterConfigsRequest.WRITERS = {
    0: _write_incremental_alter_configs_request_v0,
    1: _write_incremental_alter_configs_request_v1,
}
