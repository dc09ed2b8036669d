"""ControllerRegistrationRequest (key 70), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.controller_registration_response import ControllerRegistrationResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_HhB = Struct(">HhB").pack
pack_hhB = Struct(">hhB").pack
pack_iut = Struct(">i16s?").pack
unpack_Hh = Struct(">Hh").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_iut = Struct(">i16s?").unpack_from


class Listener(Message):
    """A part of ControllerRegistrationRequest."""

    __slots__ = ("name", "host", "port", "security_protocol")
    name: str
    host: str
    port: int
    security_protocol: int

    def __init__(
        self, *, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class Feature(Message):
    """A part of ControllerRegistrationRequest."""

    __slots__ = ("name", "min_supported_version", "max_supported_version")
    name: str
    min_supported_version: int
    max_supported_version: int

    def __init__(
        self, *, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class ControllerRegistrationRequest(Request[ControllerRegistrationResponse]):
    """The request of API 70."""

    KEY: ClassVar = 70
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("controller_id", "incarnation_id", "zk_migration_ready", "listeners", "features")
    controller_id: int
    incarnation_id: UUID | None
    zk_migration_ready: bool
    listeners: Sequence[Listener]
    features: Sequence[Feature]

    def __init__(
        self,
        *,
        controller_id: int = 0,
        incarnation_id: UUID | None = None,
        zk_migration_ready: bool = False,
        listeners: Sequence[Listener] = (),
        features: Sequence[Feature] = (),
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.listeners = listeners
        self.features = features


def _read_listener_v0(b: Buffer, o: int, end: int) -> tuple[Listener, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.name")
    if n > end - o:
        raise short("Listener.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.host")
    if n > end - o:
        raise short("Listener.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    port, security_protocol = unpack_Hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "Listener") if b[o] else o + 1
    e = new(Listener)
    e.name = name
    e.host = host
    e.port = port
    e.security_protocol = security_protocol
    return e, o


def _write_listener_v0(e: Listener, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HhB(e.port, e.security_protocol, 0))


def _read_feature_v0(b: Buffer, o: int, end: int) -> tuple[Feature, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Feature.name")
    if n > end - o:
        raise short("Feature.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    min_supported_version, max_supported_version = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "Feature") if b[o] else o + 1
    e = new(Feature)
    e.name = name
    e.min_supported_version = min_supported_version
    e.max_supported_version = max_supported_version
    return e, o


def _write_feature_v0(e: Feature, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hhB(e.min_supported_version, e.max_supported_version, 0))


def _read_controller_registration_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ControllerRegistrationRequest, int]:
    controller_id, incarnation_id, zk_migration_ready = unpack_iut(b, o)
    o += 21
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ControllerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("ControllerRegistrationRequest.listeners", n * 7, end - o)
    all_listeners: list[Listener] = []
    for _ in range(n):
        one_listeners, o = _read_listener_v0(b, o, end)
        all_listeners.append(one_listeners)
    listeners = tuple(all_listeners)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ControllerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("ControllerRegistrationRequest.features", n * 6, end - o)
    all_features: list[Feature] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    o = skip_tags(b, o, end, "ControllerRegistrationRequest") if b[o] else o + 1
    e = new(ControllerRegistrationRequest)
    e.controller_id = controller_id
    e.incarnation_id = incarnation_id
    e.zk_migration_ready = zk_migration_ready
    e.listeners = listeners
    e.features = features
    return e, o


def _write_controller_registration_request_v0(e: ControllerRegistrationRequest, put: Put) -> None:
    put(
        pack_iut(
            e.controller_id,
            ZERO_UUID if e.incarnation_id is None else e.incarnation_id.bytes,
            e.zk_migration_ready,
        )
    )
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    put(b"\0")


def _walk_controller_registration_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ControllerRegistrationRequest]:
    controller_id, incarnation_id, zk_migration_ready = unpack_iut(b, o)
    o += 21
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ControllerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("ControllerRegistrationRequest.listeners", n * 7, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ControllerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("ControllerRegistrationRequest.features", n * 6, end - o)
    features, o = yield from read_each(_read_feature_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ControllerRegistrationRequest") if b[o] else o + 1
    e = new(ControllerRegistrationRequest)
    e.controller_id = controller_id
    e.incarnation_id = incarnation_id
    e.zk_migration_ready = zk_migration_ready
    e.listeners = listeners
    e.features = features
    return e, o


ControllerRegistrationRequest.RESPONSE = ControllerRegistrationResponse
ControllerRegistrationRequest.WALKERS = {
    0: _walk_controller_registration_request_v0,
}
ControllerRegistrationRequest.READERS = {
    0: _read_controller_registration_request_v0,
}
ControllerRegistrationRequest.WRITERS = {
    0: _write_controller_registration_request_v0,
}
