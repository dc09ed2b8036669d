"""UpdateFeaturesRequest (key 57), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.update_features_response import UpdateFeaturesResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_hbB = Struct(">hbB").pack
pack_htB = Struct(">h?B").pack
pack_i = Struct(">i").pack
pack_tB = Struct(">?B").pack
unpack_hb = Struct(">hb").unpack_from
unpack_ht = Struct(">h?").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from


class FeatureUpdateKey(Message):
    """A part of UpdateFeaturesRequest."""

    __slots__ = ("feature", "max_version_level", "upgrade_type", "allow_downgrade")
    feature: str
    max_version_level: int
    upgrade_type: int  # from version 1
    allow_downgrade: bool  # until version 0

    def __init__(
        self,
        *,
        feature: str = "",
        max_version_level: int = 0,
        upgrade_type: int = 1,
        allow_downgrade: bool = False,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.upgrade_type = upgrade_type
        self.allow_downgrade = allow_downgrade


class UpdateFeaturesRequest(Request[UpdateFeaturesResponse]):
    """The request of API 57."""

    KEY: ClassVar = 57
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("timeout_ms", "feature_updates", "validate_only")
    timeout_ms: int
    feature_updates: Sequence[FeatureUpdateKey]
    validate_only: bool  # from version 1

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        feature_updates: Sequence[FeatureUpdateKey] = (),
        validate_only: bool = False,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = feature_updates
        self.validate_only = validate_only


def _read_feature_update_key_v0(b: Buffer, o: int, end: int) -> tuple[FeatureUpdateKey, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FeatureUpdateKey.feature")
    if n > end - o:
        raise short("FeatureUpdateKey.feature", n, end - o)
    feature = str(b[o : o + n], "utf-8")
    o += n
    max_version_level, allow_downgrade = unpack_ht(b, o)
    o += 3
    o = skip_tags(b, o, end, "FeatureUpdateKey") if b[o] else o + 1
    e = new(FeatureUpdateKey)
    e.feature = feature
    e.max_version_level = max_version_level
    e.upgrade_type = 1
    e.allow_downgrade = allow_downgrade
    return e, o


def _write_feature_update_key_v0(e: FeatureUpdateKey, put: Put) -> None:
    feature = e.feature
    raw = feature.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_htB(e.max_version_level, e.allow_downgrade, 0))


def _read_feature_update_key_v1(b: Buffer, o: int, end: int) -> tuple[FeatureUpdateKey, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FeatureUpdateKey.feature")
    if n > end - o:
        raise short("FeatureUpdateKey.feature", n, end - o)
    feature = str(b[o : o + n], "utf-8")
    o += n
    max_version_level, upgrade_type = unpack_hb(b, o)
    o += 3
    o = skip_tags(b, o, end, "FeatureUpdateKey") if b[o] else o + 1
    e = new(FeatureUpdateKey)
    e.feature = feature
    e.max_version_level = max_version_level
    e.upgrade_type = upgrade_type
    e.allow_downgrade = False
    return e, o


def _write_feature_update_key_v1(e: FeatureUpdateKey, put: Put) -> None:
    feature = e.feature
    raw = feature.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hbB(e.max_version_level, e.upgrade_type, 0))


def _read_update_features_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[UpdateFeaturesRequest, int]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateFeaturesRequest.feature_updates")
    if n * 5 > end - o:
        raise short("UpdateFeaturesRequest.feature_updates", n * 5, end - o)
    all_feature_updates: list[FeatureUpdateKey] = []
    for _ in range(n):
        one_feature_updates, o = _read_feature_update_key_v0(b, o, end)
        all_feature_updates.append(one_feature_updates)
    feature_updates = tuple(all_feature_updates)
    o = skip_tags(b, o, end, "UpdateFeaturesRequest") if b[o] else o + 1
    e = new(UpdateFeaturesRequest)
    e.timeout_ms = timeout_ms
    e.feature_updates = feature_updates
    e.validate_only = False
    return e, o


def _write_update_features_request_v0(e: UpdateFeaturesRequest, put: Put) -> None:
    put(pack_i(e.timeout_ms))
    feature_updates = e.feature_updates
    put(put_uvarint(len(feature_updates) + 1))
    for one_feature_updates in feature_updates:
        _write_feature_update_key_v0(one_feature_updates, put)
    put(b"\0")


def _walk_update_features_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[UpdateFeaturesRequest]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateFeaturesRequest.feature_updates")
    if n * 5 > end - o:
        raise short("UpdateFeaturesRequest.feature_updates", n * 5, end - o)
    feature_updates, o = yield from read_each(_read_feature_update_key_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "UpdateFeaturesRequest") if b[o] else o + 1
    e = new(UpdateFeaturesRequest)
    e.timeout_ms = timeout_ms
    e.feature_updates = feature_updates
    e.validate_only = False
    return e, o


def _read_update_features_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[UpdateFeaturesRequest, int]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateFeaturesRequest.feature_updates")
    if n * 5 > end - o:
        raise short("UpdateFeaturesRequest.feature_updates", n * 5, end - o)
    all_feature_updates: list[FeatureUpdateKey] = []
    for _ in range(n):
        one_feature_updates, o = _read_feature_update_key_v1(b, o, end)
        all_feature_updates.append(one_feature_updates)
    feature_updates = tuple(all_feature_updates)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "UpdateFeaturesRequest") if b[o] else o + 1
    e = new(UpdateFeaturesRequest)
    e.timeout_ms = timeout_ms
    e.feature_updates = feature_updates
    e.validate_only = validate_only
    return e, o


def _write_update_features_request_v1(e: UpdateFeaturesRequest, put: Put) -> None:
    put(pack_i(e.timeout_ms))
    feature_updates = e.feature_updates
    put(put_uvarint(len(feature_updates) + 1))
    for one_feature_updates in feature_updates:
        _write_feature_update_key_v1(one_feature_updates, put)
    put(pack_tB(e.validate_only, 0))


def _walk_update_features_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[UpdateFeaturesRequest]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateFeaturesRequest.feature_updates")
    if n * 5 > end - o:
        raise short("UpdateFeaturesRequest.feature_updates", n * 5, end - o)
    feature_updates, o = yield from read_each(_read_feature_update_key_v1, b, o, end, at, n)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "UpdateFeaturesRequest") if b[o] else o + 1
    e = new(UpdateFeaturesRequest)
    e.timeout_ms = timeout_ms
    e.feature_updates = feature_updates
    e.validate_only = validate_only
    return e, o


UpdateFeaturesRequest.RESPONSE = UpdateFeaturesResponse
UpdateFeaturesRequest.WALKERS = {
    0: _walk_update_features_request_v0,
    1: _walk_update_features_request_v1,
    2: _walk_update_features_request_v1,
}
UpdateFeaturesRequest.READERS = {
    0: _read_update_features_request_v0,
    1: _read_update_features_request_v1,
    2: _read_update_features_request_v1,
}
UpdateFeaturesRequest.WRITERS = {
    0: _write_update_features_request_v0,
    1: _write_update_features_request_v1,
    2: _write_update_features_request_v1,
}
