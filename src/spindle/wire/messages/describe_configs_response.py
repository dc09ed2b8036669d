"""DescribeConfigsResponse (key 32), versions 1 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_tbt = Struct(">?b?").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_tbt = Struct(">?b?").unpack_from


class DescribeConfigsSynonym(Message):
    """A part of DescribeConfigsResponse."""

    __slots__ = ("name", "value", "source")
    name: str
    value: str | None
    source: int

    def __init__(self, *, name: str = "", value: str | None = None, source: int = 0) -> None:
        self.name = name
        self.value = value
        self.source = source


class DescribeConfigsResourceResult(Message):
    """A part of DescribeConfigsResponse."""

    __slots__ = (
        "name",
        "value",
        "read_only",
        "config_source",
        "is_sensitive",
        "synonyms",
        "config_type",
        "documentation",
    )
    name: str
    value: str | None
    read_only: bool
    config_source: int
    is_sensitive: bool
    synonyms: Sequence[DescribeConfigsSynonym]
    config_type: int  # from version 3
    documentation: str | None  # from version 3

    def __init__(
        self,
        *,
        name: str = "",
        value: str | None = None,
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: Sequence[DescribeConfigsSynonym] = (),
        config_type: int = 0,
        documentation: str | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = synonyms
        self.config_type = config_type
        self.documentation = documentation


class DescribeConfigsResult(Message):
    """A part of DescribeConfigsResponse."""

    __slots__ = ("error_code", "error_message", "resource_type", "resource_name", "configs")
    error_code: ErrorCode
    error_message: str | None
    resource_type: int
    resource_name: str
    configs: Sequence[DescribeConfigsResourceResult]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[DescribeConfigsResourceResult] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class DescribeConfigsResponse(Response):
    """The response of API 32."""

    KEY: ClassVar = 32
    VERSIONS: ClassVar = range(1, 5)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[DescribeConfigsResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[DescribeConfigsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_describe_configs_synonym_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsSynonym, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsSynonym.name")
    if n > end - o:
        raise short("DescribeConfigsSynonym.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("DescribeConfigsSynonym.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    (source,) = unpack_b(b, o)
    o += 1
    e = new(DescribeConfigsSynonym)
    e.name = name
    e.value = value
    e.source = source
    return e, o


def _write_describe_configs_synonym_v1(e: DescribeConfigsSynonym, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    value = e.value
    if value is None:
        put(b"\xff\xff")
    else:
        raw = value.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_b(e.source))


def _read_describe_configs_synonym_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsSynonym, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsSynonym.name")
    if n > end - o:
        raise short("DescribeConfigsSynonym.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
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
            raise short("DescribeConfigsSynonym.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    (source,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeConfigsSynonym") if b[o] else o + 1
    e = new(DescribeConfigsSynonym)
    e.name = name
    e.value = value
    e.source = source
    return e, o


def _write_describe_configs_synonym_v4(e: DescribeConfigsSynonym, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_bB(e.source, 0))


def _read_describe_configs_resource_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResourceResult.name")
    if n > end - o:
        raise short("DescribeConfigsResourceResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResourceResult.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    read_only, config_source, is_sensitive = unpack_tbt(b, o)
    o += 3
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResourceResult.synonyms")
    if n * 5 > end - o:
        raise short("DescribeConfigsResourceResult.synonyms", n * 5, end - o)
    all_synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        one_synonyms, o = _read_describe_configs_synonym_v1(b, o, end)
        all_synonyms.append(one_synonyms)
    synonyms = tuple(all_synonyms)
    e = new(DescribeConfigsResourceResult)
    e.name = name
    e.value = value
    e.read_only = read_only
    e.config_source = config_source
    e.is_sensitive = is_sensitive
    e.synonyms = synonyms
    e.config_type = 0
    e.documentation = None
    return e, o


def _write_describe_configs_resource_result_v1(e: DescribeConfigsResourceResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    value = e.value
    if value is None:
        put(b"\xff\xff")
    else:
        raw = value.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_tbt(e.read_only, e.config_source, e.is_sensitive))
    synonyms = e.synonyms
    put(pack_i(len(synonyms)))
    if type(synonyms) is Packed:
        for piece in synonyms.pieces:
            put(piece)
    else:
        for one_synonyms in synonyms:
            _write_describe_configs_synonym_v1(one_synonyms, put)


def _read_describe_configs_resource_result_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResourceResult.name")
    if n > end - o:
        raise short("DescribeConfigsResourceResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResourceResult.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    read_only, config_source, is_sensitive = unpack_tbt(b, o)
    o += 3
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResourceResult.synonyms")
    if n * 5 > end - o:
        raise short("DescribeConfigsResourceResult.synonyms", n * 5, end - o)
    all_synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        one_synonyms, o = _read_describe_configs_synonym_v1(b, o, end)
        all_synonyms.append(one_synonyms)
    synonyms = tuple(all_synonyms)
    (config_type,) = unpack_b(b, o)
    o += 1
    documentation: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        documentation = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResourceResult.documentation", n, end - o)
        documentation = str(b[o : o + n], "utf-8")
        o += n
    e = new(DescribeConfigsResourceResult)
    e.name = name
    e.value = value
    e.read_only = read_only
    e.config_source = config_source
    e.is_sensitive = is_sensitive
    e.synonyms = synonyms
    e.config_type = config_type
    e.documentation = documentation
    return e, o


def _write_describe_configs_resource_result_v3(e: DescribeConfigsResourceResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    value = e.value
    if value is None:
        put(b"\xff\xff")
    else:
        raw = value.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_tbt(e.read_only, e.config_source, e.is_sensitive))
    synonyms = e.synonyms
    put(pack_i(len(synonyms)))
    if type(synonyms) is Packed:
        for piece in synonyms.pieces:
            put(piece)
    else:
        for one_synonyms in synonyms:
            _write_describe_configs_synonym_v1(one_synonyms, put)
    put(pack_b(e.config_type))
    documentation = e.documentation
    if documentation is None:
        put(b"\xff\xff")
    else:
        raw = documentation.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_describe_configs_resource_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResourceResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResourceResult.name")
    if n > end - o:
        raise short("DescribeConfigsResourceResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
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
            raise short("DescribeConfigsResourceResult.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    read_only, config_source, is_sensitive = unpack_tbt(b, o)
    o += 3
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResourceResult.synonyms")
    if n * 4 > end - o:
        raise short("DescribeConfigsResourceResult.synonyms", n * 4, end - o)
    all_synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        one_synonyms, o = _read_describe_configs_synonym_v4(b, o, end)
        all_synonyms.append(one_synonyms)
    synonyms = tuple(all_synonyms)
    (config_type,) = unpack_b(b, o)
    o += 1
    documentation: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        documentation = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResourceResult.documentation", n, end - o)
        documentation = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeConfigsResourceResult") if b[o] else o + 1
    e = new(DescribeConfigsResourceResult)
    e.name = name
    e.value = value
    e.read_only = read_only
    e.config_source = config_source
    e.is_sensitive = is_sensitive
    e.synonyms = synonyms
    e.config_type = config_type
    e.documentation = documentation
    return e, o


def _write_describe_configs_resource_result_v4(e: DescribeConfigsResourceResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tbt(e.read_only, e.config_source, e.is_sensitive))
    synonyms = e.synonyms
    put(put_uvarint(len(synonyms) + 1))
    if type(synonyms) is Packed:
        for piece in synonyms.pieces:
            put(piece)
    else:
        for one_synonyms in synonyms:
            _write_describe_configs_synonym_v4(one_synonyms, put)
    put(pack_b(e.config_type))
    documentation = e.documentation
    if documentation is None:
        put(b"\0")
    else:
        raw = documentation.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_configs_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResult.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResult.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResult.configs")
    if n * 11 > end - o:
        raise short("DescribeConfigsResult.configs", n * 11, end - o)
    all_configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        one_configs, o = _read_describe_configs_resource_result_v1(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    e = new(DescribeConfigsResult)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _write_describe_configs_result_v1(e: DescribeConfigsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    configs = e.configs
    put(pack_i(len(configs)))
    if type(configs) is Packed:
        for piece in configs.pieces:
            put(piece)
    else:
        for one_configs in configs:
            _write_describe_configs_resource_result_v1(one_configs, put)


def _read_describe_configs_result_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeConfigsResult.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResult.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResult.configs")
    if n * 14 > end - o:
        raise short("DescribeConfigsResult.configs", n * 14, end - o)
    all_configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        one_configs, o = _read_describe_configs_resource_result_v3(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    e = new(DescribeConfigsResult)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _write_describe_configs_result_v3(e: DescribeConfigsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    configs = e.configs
    put(pack_i(len(configs)))
    if type(configs) is Packed:
        for piece in configs.pieces:
            put(piece)
    else:
        for one_configs in configs:
            _write_describe_configs_resource_result_v3(one_configs, put)


def _read_describe_configs_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResult, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeConfigsResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResult.resource_name")
    if n > end - o:
        raise short("DescribeConfigsResult.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResult.configs")
    if n * 9 > end - o:
        raise short("DescribeConfigsResult.configs", n * 9, end - o)
    all_configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        one_configs, o = _read_describe_configs_resource_result_v4(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    o = skip_tags(b, o, end, "DescribeConfigsResult") if b[o] else o + 1
    e = new(DescribeConfigsResult)
    e.error_code = error_code
    e.error_message = error_message
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.configs = configs
    return e, o


def _write_describe_configs_result_v4(e: DescribeConfigsResult, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    configs = e.configs
    put(put_uvarint(len(configs) + 1))
    if type(configs) is Packed:
        for piece in configs.pieces:
            put(piece)
    else:
        for one_configs in configs:
            _write_describe_configs_resource_result_v4(one_configs, put)
    put(b"\0")


def _read_describe_configs_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResponse.results")
    if n * 11 > end - o:
        raise short("DescribeConfigsResponse.results", n * 11, end - o)
    all_results: list[DescribeConfigsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_configs_result_v1(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(DescribeConfigsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_describe_configs_response_v1(e: DescribeConfigsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_configs_result_v1(one_results, put)


def _read_describe_configs_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeConfigsResponse.results")
    if n * 11 > end - o:
        raise short("DescribeConfigsResponse.results", n * 11, end - o)
    all_results: list[DescribeConfigsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_configs_result_v3(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    e = new(DescribeConfigsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_describe_configs_response_v3(e: DescribeConfigsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(pack_i(len(results)))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_configs_result_v3(one_results, put)


def _read_describe_configs_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeConfigsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeConfigsResponse.results")
    if n * 7 > end - o:
        raise short("DescribeConfigsResponse.results", n * 7, end - o)
    all_results: list[DescribeConfigsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_configs_result_v4(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeConfigsResponse") if b[o] else o + 1
    e = new(DescribeConfigsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_describe_configs_response_v4(e: DescribeConfigsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_configs_result_v4(one_results, put)
    put(b"\0")


DescribeConfigsResponse.READERS = {
    1: _read_describe_configs_response_v1,
    2: _read_describe_configs_response_v1,
    3: _read_describe_configs_response_v3,
    4: _read_describe_configs_response_v4,
}
DescribeConfigsSynonym.WRITERS = {
    1: _write_describe_configs_synonym_v1,
    2: _write_describe_configs_synonym_v1,
    3: _write_describe_configs_synonym_v1,
    4: _write_describe_configs_synonym_v4,
}
DescribeConfigsResourceResult.WRITERS = {
    1: _write_describe_configs_resource_result_v1,
    2: _write_describe_configs_resource_result_v1,
    3: _write_describe_configs_resource_result_v3,
    4: _write_describe_configs_resource_result_v4,
}
DescribeConfigsResult.WRITERS = {
    1: _write_describe_configs_result_v1,
    2: _write_describe_configs_result_v1,
    3: _write_describe_configs_result_v3,
    4: _write_describe_configs_result_v4,
}
DescribeConfigsResponse.WRITERS = {
    1: _write_describe_configs_response_v1,
    2: _write_describe_configs_response_v1,
    3: _write_describe_configs_response_v3,
    4: _write_describe_configs_response_v4,
}
