"""BrokerRegistrationRequest (key 62), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, uuids
from spindle.wire.messages.broker_registration_response import BrokerRegistrationResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_HhB = Struct(">HhB").pack
pack_hhB = Struct(">hhB").pack
pack_i = Struct(">i").pack
pack_qB = Struct(">qB").pack
pack_t = Struct(">?").pack
pack_tB = Struct(">?B").pack
pack_u = Struct(">16s").pack
unpack_Hh = Struct(">Hh").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_u = Struct(">16s").unpack_from


class Listener(Message):
    """A part of BrokerRegistrationRequest."""

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
    """A part of BrokerRegistrationRequest."""

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


class BrokerRegistrationRequest(Request[BrokerRegistrationResponse]):
    """The request of API 62."""

    KEY: ClassVar = 62
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "broker_id",
        "cluster_id",
        "incarnation_id",
        "listeners",
        "features",
        "rack",
        "is_migrating_zk_broker",
        "log_dirs",
        "previous_broker_epoch",
    )
    broker_id: int
    cluster_id: str
    incarnation_id: UUID | None
    listeners: Sequence[Listener]
    features: Sequence[Feature]
    rack: str | None
    is_migrating_zk_broker: bool  # from version 1
    log_dirs: Sequence[UUID | None]  # from version 2
    previous_broker_epoch: int  # from version 3

    def __init__(
        self,
        *,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: UUID | None = None,
        listeners: Sequence[Listener] = (),
        features: Sequence[Feature] = (),
        rack: str | None = None,
        is_migrating_zk_broker: bool = False,
        log_dirs: Sequence[UUID | None] = (),
        previous_broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = listeners
        self.features = features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = log_dirs
        self.previous_broker_epoch = previous_broker_epoch


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


def _read_broker_registration_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationRequest, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
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
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    all_features: list[Feature] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = False
    e.log_dirs = ()
    e.previous_broker_epoch = -1
    return e, o


def _write_broker_registration_request_v0(e: BrokerRegistrationRequest, put: Put) -> None:
    put(pack_i(e.broker_id))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.incarnation_id is None else e.incarnation_id.bytes))
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_broker_registration_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerRegistrationRequest]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    features, o = yield from read_each(_read_feature_v0, b, o, end, at, n)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = False
    e.log_dirs = ()
    e.previous_broker_epoch = -1
    return e, o


def _read_broker_registration_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationRequest, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
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
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    all_features: list[Feature] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = ()
    e.previous_broker_epoch = -1
    return e, o


def _write_broker_registration_request_v1(e: BrokerRegistrationRequest, put: Put) -> None:
    put(pack_i(e.broker_id))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.incarnation_id is None else e.incarnation_id.bytes))
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tB(e.is_migrating_zk_broker, 0))


def _walk_broker_registration_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerRegistrationRequest]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    features, o = yield from read_each(_read_feature_v0, b, o, end, at, n)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = ()
    e.previous_broker_epoch = -1
    return e, o


def _read_broker_registration_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationRequest, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
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
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    all_features: list[Feature] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.log_dirs")
    if n * 16 > end - o:
        raise short("BrokerRegistrationRequest.log_dirs", n * 16, end - o)
    log_dirs = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
    o += n * 16
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = log_dirs
    e.previous_broker_epoch = -1
    return e, o


def _write_broker_registration_request_v2(e: BrokerRegistrationRequest, put: Put) -> None:
    put(pack_i(e.broker_id))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.incarnation_id is None else e.incarnation_id.bytes))
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_t(e.is_migrating_zk_broker))
    log_dirs = e.log_dirs
    put(put_uvarint(len(log_dirs) + 1))
    for one_log_dirs in log_dirs:
        put(ZERO_UUID if one_log_dirs is None else one_log_dirs.bytes)
    put(b"\0")


def _walk_broker_registration_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerRegistrationRequest]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    features, o = yield from read_each(_read_feature_v0, b, o, end, at, n)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.log_dirs")
    if n * 16 > end - o:
        raise short("BrokerRegistrationRequest.log_dirs", n * 16, end - o)
    log_dirs, o = yield from uuids(b, o, n)
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = log_dirs
    e.previous_broker_epoch = -1
    return e, o


def _read_broker_registration_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationRequest, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
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
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    all_features: list[Feature] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.log_dirs")
    if n * 16 > end - o:
        raise short("BrokerRegistrationRequest.log_dirs", n * 16, end - o)
    log_dirs = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
    o += n * 16
    (previous_broker_epoch,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = log_dirs
    e.previous_broker_epoch = previous_broker_epoch
    return e, o


def _write_broker_registration_request_v3(e: BrokerRegistrationRequest, put: Put) -> None:
    put(pack_i(e.broker_id))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.incarnation_id is None else e.incarnation_id.bytes))
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_t(e.is_migrating_zk_broker))
    log_dirs = e.log_dirs
    put(put_uvarint(len(log_dirs) + 1))
    for one_log_dirs in log_dirs:
        put(ZERO_UUID if one_log_dirs is None else one_log_dirs.bytes)
    put(pack_qB(e.previous_broker_epoch, 0))


def _walk_broker_registration_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerRegistrationRequest]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.cluster_id")
    if n > end - o:
        raise short("BrokerRegistrationRequest.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (incarnation_id,) = unpack_u(b, o)
    o += 16
    incarnation_id = uuid_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.listeners")
    if n * 7 > end - o:
        raise short("BrokerRegistrationRequest.listeners", n * 7, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.features")
    if n * 6 > end - o:
        raise short("BrokerRegistrationRequest.features", n * 6, end - o)
    features, o = yield from read_each(_read_feature_v0, b, o, end, at, n)
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("BrokerRegistrationRequest.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_migrating_zk_broker,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BrokerRegistrationRequest.log_dirs")
    if n * 16 > end - o:
        raise short("BrokerRegistrationRequest.log_dirs", n * 16, end - o)
    log_dirs, o = yield from uuids(b, o, n)
    (previous_broker_epoch,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "BrokerRegistrationRequest") if b[o] else o + 1
    e = new(BrokerRegistrationRequest)
    e.broker_id = broker_id
    e.cluster_id = cluster_id
    e.incarnation_id = incarnation_id
    e.listeners = listeners
    e.features = features
    e.rack = rack
    e.is_migrating_zk_broker = is_migrating_zk_broker
    e.log_dirs = log_dirs
    e.previous_broker_epoch = previous_broker_epoch
    return e, o


BrokerRegistrationRequest.RESPONSE = BrokerRegistrationResponse
BrokerRegistrationRequest.WALKERS = {
    0: _walk_broker_registration_request_v0,
    1: _walk_broker_registration_request_v1,
    2: _walk_broker_registration_request_v2,
    3: _walk_broker_registration_request_v3,
    4: _walk_broker_registration_request_v3,
}
BrokerRegistrationRequest.READERS = {
    0: _read_broker_registration_request_v0,
    1: _read_broker_registration_request_v1,
    2: _read_broker_registration_request_v2,
    3: _read_broker_registration_request_v3,
    4: _read_broker_registration_request_v3,
}
BrokerRegistrationRequest.WRITERS = {
    0: _write_broker_registration_request_v0,
    1: _write_broker_registration_request_v1,
    2: _write_broker_registration_request_v2,
    3: _write_broker_registration_request_v3,
    4: _write_broker_registration_request_v3,
}
