"""ApiVersionsResponse (key 18), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Packed,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_hhB = Struct(">hhB").pack
pack_hhh = Struct(">hhh").pack
pack_hhhB = Struct(">hhhB").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_t = Struct(">?").pack
unpack_h = Struct(">h").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_hhh = Struct(">hhh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_t = Struct(">?").unpack_from


class ApiVersion(Message):
    """A part of ApiVersionsResponse."""

    __slots__ = ("api_key", "min_version", "max_version")
    api_key: int
    min_version: int
    max_version: int

    def __init__(self, *, api_key: int = 0, min_version: int = 0, max_version: int = 0) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version


class SupportedFeatureKey(Message):
    """A part of ApiVersionsResponse."""

    __slots__ = ("name", "min_version", "max_version")
    name: str
    min_version: int
    max_version: int

    def __init__(self, *, name: str = "", min_version: int = 0, max_version: int = 0) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version


class FinalizedFeatureKey(Message):
    """A part of ApiVersionsResponse."""

    __slots__ = ("name", "max_version_level", "min_version_level")
    name: str
    max_version_level: int
    min_version_level: int

    def __init__(
        self, *, name: str = "", max_version_level: int = 0, min_version_level: int = 0
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level


class ApiVersionsResponse(Response):
    """The response of API 18."""

    KEY: ClassVar = 18
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = (
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
    )
    error_code: ErrorCode
    api_keys: Sequence[ApiVersion]
    throttle_time_ms: int  # from version 1
    supported_features: Sequence[SupportedFeatureKey]  # from version 3, tag 0
    finalized_features_epoch: int  # from version 3, tag 1
    finalized_features: Sequence[FinalizedFeatureKey]  # from version 3, tag 2
    zk_migration_ready: bool  # from version 3, tag 3

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        api_keys: Sequence[ApiVersion] = (),
        throttle_time_ms: int = 0,
        supported_features: Sequence[SupportedFeatureKey] = (),
        finalized_features_epoch: int = -1,
        finalized_features: Sequence[FinalizedFeatureKey] = (),
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys = api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = finalized_features
        self.zk_migration_ready = zk_migration_ready


def _read_api_version_v0(b: Buffer, o: int, end: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version = unpack_hhh(b, o)
    o += 6
    e = new(ApiVersion)
    e.api_key = api_key
    e.min_version = min_version
    e.max_version = max_version
    return e, o


def _write_api_version_v0(e: ApiVersion, put: Put) -> None:
    put(pack_hhh(e.api_key, e.min_version, e.max_version))


def _read_api_version_v3(b: Buffer, o: int, end: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version = unpack_hhh(b, o)
    o += 6
    o = skip_tags(b, o, end, "ApiVersion") if b[o] else o + 1
    e = new(ApiVersion)
    e.api_key = api_key
    e.min_version = min_version
    e.max_version = max_version
    return e, o


def _write_api_version_v3(e: ApiVersion, put: Put) -> None:
    put(pack_hhhB(e.api_key, e.min_version, e.max_version, 0))


def _read_supported_feature_key_v3(b: Buffer, o: int, end: int) -> tuple[SupportedFeatureKey, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SupportedFeatureKey.name")
    if n > end - o:
        raise short("SupportedFeatureKey.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    min_version, max_version = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "SupportedFeatureKey") if b[o] else o + 1
    e = new(SupportedFeatureKey)
    e.name = name
    e.min_version = min_version
    e.max_version = max_version
    return e, o


def _write_supported_feature_key_v3(e: SupportedFeatureKey, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hhB(e.min_version, e.max_version, 0))


def _read_finalized_feature_key_v3(b: Buffer, o: int, end: int) -> tuple[FinalizedFeatureKey, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FinalizedFeatureKey.name")
    if n > end - o:
        raise short("FinalizedFeatureKey.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    max_version_level, min_version_level = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "FinalizedFeatureKey") if b[o] else o + 1
    e = new(FinalizedFeatureKey)
    e.name = name
    e.max_version_level = max_version_level
    e.min_version_level = min_version_level
    return e, o


def _write_finalized_feature_key_v3(e: FinalizedFeatureKey, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hhB(e.max_version_level, e.min_version_level, 0))


def _read_api_versions_response_v0(b: Buffer, o: int, end: int) -> tuple[ApiVersionsResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ApiVersionsResponse.api_keys")
    if n * 6 > end - o:
        raise short("ApiVersionsResponse.api_keys", n * 6, end - o)
    all_api_keys: list[ApiVersion] = []
    for _ in range(n):
        one_api_keys, o = _read_api_version_v0(b, o, end)
        all_api_keys.append(one_api_keys)
    api_keys = tuple(all_api_keys)
    e = new(ApiVersionsResponse)
    e.error_code = error_code
    e.api_keys = api_keys
    e.throttle_time_ms = 0
    e.supported_features = ()
    e.finalized_features_epoch = -1
    e.finalized_features = ()
    e.zk_migration_ready = False
    return e, o


def _write_api_versions_response_v0(e: ApiVersionsResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    api_keys = e.api_keys
    put(pack_i(len(api_keys)))
    if type(api_keys) is Packed:
        for piece in api_keys.pieces:
            put(piece)
    else:
        for one_api_keys in api_keys:
            _write_api_version_v0(one_api_keys, put)


def _read_api_versions_response_v1(b: Buffer, o: int, end: int) -> tuple[ApiVersionsResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ApiVersionsResponse.api_keys")
    if n * 6 > end - o:
        raise short("ApiVersionsResponse.api_keys", n * 6, end - o)
    all_api_keys: list[ApiVersion] = []
    for _ in range(n):
        one_api_keys, o = _read_api_version_v0(b, o, end)
        all_api_keys.append(one_api_keys)
    api_keys = tuple(all_api_keys)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(ApiVersionsResponse)
    e.error_code = error_code
    e.api_keys = api_keys
    e.throttle_time_ms = throttle_time_ms
    e.supported_features = ()
    e.finalized_features_epoch = -1
    e.finalized_features = ()
    e.zk_migration_ready = False
    return e, o


def _write_api_versions_response_v1(e: ApiVersionsResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    api_keys = e.api_keys
    put(pack_i(len(api_keys)))
    if type(api_keys) is Packed:
        for piece in api_keys.pieces:
            put(piece)
    else:
        for one_api_keys in api_keys:
            _write_api_version_v0(one_api_keys, put)
    put(pack_i(e.throttle_time_ms))


def _read_api_versions_response_v3(b: Buffer, o: int, end: int) -> tuple[ApiVersionsResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ApiVersionsResponse.api_keys")
    if n * 7 > end - o:
        raise short("ApiVersionsResponse.api_keys", n * 7, end - o)
    all_api_keys: list[ApiVersion] = []
    for _ in range(n):
        one_api_keys, o = _read_api_version_v3(b, o, end)
        all_api_keys.append(one_api_keys)
    api_keys = tuple(all_api_keys)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    supported_features: Sequence[SupportedFeatureKey] = ()
    finalized_features_epoch: int = -1
    finalized_features: Sequence[FinalizedFeatureKey] = ()
    zk_migration_ready: bool = False
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ApiVersionsResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ApiVersionsResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ApiVersionsResponse.supported_features")
                if n * 6 > end - o:
                    raise short("ApiVersionsResponse.supported_features", n * 6, end - o)
                all_supported_features: list[SupportedFeatureKey] = []
                for _ in range(n):
                    one_supported_features, o = _read_supported_feature_key_v3(b, o, end)
                    all_supported_features.append(one_supported_features)
                supported_features = tuple(all_supported_features)
                if o != stop:
                    raise wrong_size("ApiVersionsResponse.supported_features", o - stop)
            elif tag == 1:
                (finalized_features_epoch,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("ApiVersionsResponse.finalized_features_epoch", o - stop)
            elif tag == 2:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ApiVersionsResponse.finalized_features")
                if n * 6 > end - o:
                    raise short("ApiVersionsResponse.finalized_features", n * 6, end - o)
                all_finalized_features: list[FinalizedFeatureKey] = []
                for _ in range(n):
                    one_finalized_features, o = _read_finalized_feature_key_v3(b, o, end)
                    all_finalized_features.append(one_finalized_features)
                finalized_features = tuple(all_finalized_features)
                if o != stop:
                    raise wrong_size("ApiVersionsResponse.finalized_features", o - stop)
            elif tag == 3:
                (zk_migration_ready,) = unpack_t(b, o)
                o += 1
                if o != stop:
                    raise wrong_size("ApiVersionsResponse.zk_migration_ready", o - stop)
            o = stop
    e = new(ApiVersionsResponse)
    e.error_code = error_code
    e.api_keys = api_keys
    e.throttle_time_ms = throttle_time_ms
    e.supported_features = supported_features
    e.finalized_features_epoch = finalized_features_epoch
    e.finalized_features = finalized_features
    e.zk_migration_ready = zk_migration_ready
    return e, o


def _write_api_versions_response_v3(e: ApiVersionsResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    api_keys = e.api_keys
    put(put_uvarint(len(api_keys) + 1))
    if type(api_keys) is Packed:
        for piece in api_keys.pieces:
            put(piece)
    else:
        for one_api_keys in api_keys:
            _write_api_version_v3(one_api_keys, put)
    put(pack_i(e.throttle_time_ms))
    tags: list[bytes] = []
    outer = put
    supported_features = e.supported_features
    if len(supported_features):
        supported_features_pieces: list[Buffer] = []
        put = supported_features_pieces.append
        put(put_uvarint(len(supported_features) + 1))
        if type(supported_features) is Packed:
            for piece in supported_features.pieces:
                put(piece)
        else:
            for one_supported_features in supported_features:
                _write_supported_feature_key_v3(one_supported_features, put)
        piece = b"".join(supported_features_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    finalized_features_epoch = e.finalized_features_epoch
    if finalized_features_epoch != -1:
        finalized_features_epoch_pieces: list[Buffer] = []
        put = finalized_features_epoch_pieces.append
        put(pack_q(finalized_features_epoch))
        piece = b"".join(finalized_features_epoch_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    finalized_features = e.finalized_features
    if len(finalized_features):
        finalized_features_pieces: list[Buffer] = []
        put = finalized_features_pieces.append
        put(put_uvarint(len(finalized_features) + 1))
        if type(finalized_features) is Packed:
            for piece in finalized_features.pieces:
                put(piece)
        else:
            for one_finalized_features in finalized_features:
                _write_finalized_feature_key_v3(one_finalized_features, put)
        piece = b"".join(finalized_features_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    zk_migration_ready = e.zk_migration_ready
    if zk_migration_ready:
        zk_migration_ready_pieces: list[Buffer] = []
        put = zk_migration_ready_pieces.append
        put(pack_t(zk_migration_ready))
        piece = b"".join(zk_migration_ready_pieces)
        tags += (b"\x03", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


ApiVersionsResponse.READERS = {
    0: _read_api_versions_response_v0,
    1: _read_api_versions_response_v1,
    2: _read_api_versions_response_v1,
    3: _read_api_versions_response_v3,
    4: _read_api_versions_response_v3,
}
ApiVersion.WRITERS = {
    0: _write_api_version_v0,
    1: _write_api_version_v0,
    2: _write_api_version_v0,
    3: _write_api_version_v3,
    4: _write_api_version_v3,
}
SupportedFeatureKey.WRITERS = {
    3: _write_supported_feature_key_v3,
    4: _write_supported_feature_key_v3,
}
FinalizedFeatureKey.WRITERS = {
    3: _write_finalized_feature_key_v3,
    4: _write_finalized_feature_key_v3,
}
ApiVersionsResponse.WRITERS = {
    0: _write_api_versions_response_v0,
    1: _write_api_versions_response_v1,
    2: _write_api_versions_response_v1,
    3: _write_api_versions_response_v3,
    4: _write_api_versions_response_v3,
}
