"""UpdateFeaturesResponse (key 57), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from


class UpdatableFeatureResult(Message):
    """A part of UpdateFeaturesResponse."""

    __slots__ = ("feature", "error_code", "error_message")
    feature: str
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        feature: str = "",
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message


class UpdateFeaturesResponse(Response):
    """The response of API 57."""

    KEY: ClassVar = 57
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    results: Sequence[UpdatableFeatureResult]  # until version 1

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        results: Sequence[UpdatableFeatureResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results


def _read_updatable_feature_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[UpdatableFeatureResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdatableFeatureResult.feature")
    if n > end - o:
        raise short("UpdatableFeatureResult.feature", n, end - o)
    feature = str(b[o : o + n], "utf-8")
    o += n
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
            raise short("UpdatableFeatureResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "UpdatableFeatureResult") if b[o] else o + 1
    e = new(UpdatableFeatureResult)
    e.feature = feature
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_updatable_feature_result_v0(e: UpdatableFeatureResult, put: Put) -> None:
    feature = e.feature
    raw = feature.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_update_features_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[UpdateFeaturesResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
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
            raise short("UpdateFeaturesResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateFeaturesResponse.results")
    if n * 5 > end - o:
        raise short("UpdateFeaturesResponse.results", n * 5, end - o)
    all_results: list[UpdatableFeatureResult] = []
    for _ in range(n):
        one_results, o = _read_updatable_feature_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "UpdateFeaturesResponse") if b[o] else o + 1
    e = new(UpdateFeaturesResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.results = results
    return e, o


def _write_update_features_response_v0(e: UpdateFeaturesResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_updatable_feature_result_v0(one_results, put)
    put(b"\0")


def _read_update_features_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[UpdateFeaturesResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
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
            raise short("UpdateFeaturesResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "UpdateFeaturesResponse") if b[o] else o + 1
    e = new(UpdateFeaturesResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.results = ()
    return e, o


def _write_update_features_response_v2(e: UpdateFeaturesResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


UpdateFeaturesResponse.READERS = {
    0: _read_update_features_response_v0,
    1: _read_update_features_response_v0,
    2: _read_update_features_response_v2,
}
UpdatableFeatureResult.WRITERS = {
    0: _write_updatable_feature_result_v0,
    1: _write_updatable_feature_result_v0,
}
UpdateFeaturesResponse.WRITERS = {
    0: _write_update_features_response_v0,
    1: _write_update_features_response_v0,
    2: _write_update_features_response_v2,
}
