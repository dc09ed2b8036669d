"""RegisterBroker, versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, unpack_from
from typing import Final
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.ids import Endpoint, VersionRange
from spindle.model.metadata_records import RegisterBroker
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags, wrong_size
from spindle.wire.making import feature
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_HhB = Struct(">HhB").pack
pack_hhB = Struct(">hhB").pack
pack_ituq = Struct(">i?16sq").pack
pack_iuq = Struct(">i16sq").pack
pack_tB = Struct(">?B").pack
pack_tt = Struct(">??").pack
pack_ttB = Struct(">??B").pack
unpack_Hh = Struct(">Hh").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_ituq = Struct(">i?16sq").unpack_from
unpack_iuq = Struct(">i16sq").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tt = Struct(">??").unpack_from


class _RegisterBroker(Open, RegisterBroker):
    __slots__ = ()


def _read_endpoint_v0(b: Buffer, o: int, end: int) -> tuple[Endpoint, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Endpoint.name")
    if n > end - o:
        raise short("Endpoint.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Endpoint.host")
    if n > end - o:
        raise short("Endpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    port, security_protocol = unpack_Hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "Endpoint") if b[o] else o + 1
    return Endpoint(name, host, port, security_protocol), o


def _write_endpoint_v0(e: Endpoint, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HhB(e.port, e.security_protocol, 0))


def _read_feature_v0(b: Buffer, o: int, end: int) -> tuple[tuple[str, VersionRange], int]:
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
    min, max = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "Feature") if b[o] else o + 1
    return feature(name, min, max), o


def _write_feature_v0(e: tuple[str, VersionRange], put: Put) -> None:
    name = e[0]
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hhB(e[1].min, e[1].max, 0))


def _read_register_broker_v0(b: Buffer, o: int, end: int) -> tuple[RegisterBroker, int]:
    broker_id, incarnation_id, broker_epoch = unpack_iuq(b, o)
    o += 28
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.endpoints")
    if n * 7 > end - o:
        raise short("RegisterBroker.endpoints", n * 7, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.features")
    if n * 6 > end - o:
        raise short("RegisterBroker.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
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
            raise short("RegisterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (fenced,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "RegisterBroker") if b[o] else o + 1
    e: RegisterBroker = new(_RegisterBroker)
    e.broker_id = broker_id
    e.incarnation_id = incarnation_id
    e.broker_epoch = broker_epoch
    e.endpoints = endpoints
    e.features = features
    e.rack = rack
    e.fenced = fenced
    e.in_controlled_shutdown = False
    e.log_dirs = ()
    e.cordoned_log_dirs = None
    e.__class__ = RegisterBroker
    return e, o


def _write_register_broker_v0(e: RegisterBroker, put: Put) -> None:
    put(pack_iuq(e.broker_id, e.incarnation_id.bytes, e.broker_epoch))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
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
    put(pack_tB(e.fenced, 0))


def _read_register_broker_v1(b: Buffer, o: int, end: int) -> tuple[RegisterBroker, int]:
    broker_id, incarnation_id, broker_epoch = unpack_iuq(b, o)
    o += 28
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.endpoints")
    if n * 7 > end - o:
        raise short("RegisterBroker.endpoints", n * 7, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.features")
    if n * 6 > end - o:
        raise short("RegisterBroker.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
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
            raise short("RegisterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    fenced, in_controlled_shutdown = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "RegisterBroker") if b[o] else o + 1
    e: RegisterBroker = new(_RegisterBroker)
    e.broker_id = broker_id
    e.incarnation_id = incarnation_id
    e.broker_epoch = broker_epoch
    e.endpoints = endpoints
    e.features = features
    e.rack = rack
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = ()
    e.cordoned_log_dirs = None
    e.__class__ = RegisterBroker
    return e, o


def _write_register_broker_v1(e: RegisterBroker, put: Put) -> None:
    put(pack_iuq(e.broker_id, e.incarnation_id.bytes, e.broker_epoch))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
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
    put(pack_ttB(e.fenced, e.in_controlled_shutdown, 0))


def _read_register_broker_v2(b: Buffer, o: int, end: int) -> tuple[RegisterBroker, int]:
    broker_id, _, incarnation_id, broker_epoch = unpack_ituq(b, o)
    o += 29
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.endpoints")
    if n * 7 > end - o:
        raise short("RegisterBroker.endpoints", n * 7, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.features")
    if n * 6 > end - o:
        raise short("RegisterBroker.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
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
            raise short("RegisterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    fenced, in_controlled_shutdown = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "RegisterBroker") if b[o] else o + 1
    e: RegisterBroker = new(_RegisterBroker)
    e.broker_id = broker_id
    e.incarnation_id = incarnation_id
    e.broker_epoch = broker_epoch
    e.endpoints = endpoints
    e.features = features
    e.rack = rack
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = ()
    e.cordoned_log_dirs = None
    e.__class__ = RegisterBroker
    return e, o


def _write_register_broker_v2(e: RegisterBroker, put: Put) -> None:
    put(pack_ituq(e.broker_id, False, e.incarnation_id.bytes, e.broker_epoch))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
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
    put(pack_ttB(e.fenced, e.in_controlled_shutdown, 0))


def _read_register_broker_v3(b: Buffer, o: int, end: int) -> tuple[RegisterBroker, int]:
    broker_id, _, incarnation_id, broker_epoch = unpack_ituq(b, o)
    o += 29
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.endpoints")
    if n * 7 > end - o:
        raise short("RegisterBroker.endpoints", n * 7, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.features")
    if n * 6 > end - o:
        raise short("RegisterBroker.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
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
            raise short("RegisterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    fenced, in_controlled_shutdown = unpack_tt(b, o)
    o += 2
    log_dirs: tuple[UUID, ...] = ()
    tags = b[o]
    o += 1
    if tags > 127:
        tags, o = long_uvarint(b, o, tags)
    for _ in range(tags):
        tag = b[o]
        o += 1
        if tag > 127:
            tag, o = long_uvarint(b, o, tag)
        size = b[o]
        o += 1
        if size > 127:
            size, o = long_uvarint(b, o, size)
        if size > end - o:
            raise short("RegisterBroker", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("RegisterBroker.log_dirs")
            if n * 16 > end - o:
                raise short("RegisterBroker.log_dirs", n * 16, end - o)
            log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
            o += n * 16
            if o != stop:
                raise wrong_size("RegisterBroker.log_dirs", o - stop)
        o = stop
    e: RegisterBroker = new(_RegisterBroker)
    e.broker_id = broker_id
    e.incarnation_id = incarnation_id
    e.broker_epoch = broker_epoch
    e.endpoints = endpoints
    e.features = features
    e.rack = rack
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = log_dirs
    e.cordoned_log_dirs = None
    e.__class__ = RegisterBroker
    return e, o


def _write_register_broker_v3(e: RegisterBroker, put: Put) -> None:
    put(pack_ituq(e.broker_id, False, e.incarnation_id.bytes, e.broker_epoch))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
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
    put(pack_tt(e.fenced, e.in_controlled_shutdown))
    count = 0
    tags: list[bytes] = []
    log_dirs = e.log_dirs
    if log_dirs:
        count += 1
        log_dirs_pieces: list[Buffer] = []
        log_dirs_pieces.append(put_uvarint(len(log_dirs) + 1))
        for one_log_dirs in log_dirs:
            log_dirs_pieces.append(one_log_dirs.bytes)
        piece = b"".join(log_dirs_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_register_broker_v4(b: Buffer, o: int, end: int) -> tuple[RegisterBroker, int]:
    broker_id, _, incarnation_id, broker_epoch = unpack_ituq(b, o)
    o += 29
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.endpoints")
    if n * 7 > end - o:
        raise short("RegisterBroker.endpoints", n * 7, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterBroker.features")
    if n * 6 > end - o:
        raise short("RegisterBroker.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
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
            raise short("RegisterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    fenced, in_controlled_shutdown = unpack_tt(b, o)
    o += 2
    log_dirs: tuple[UUID, ...] = ()
    cordoned_log_dirs: tuple[UUID, ...] | None = None
    tags = b[o]
    o += 1
    if tags > 127:
        tags, o = long_uvarint(b, o, tags)
    for _ in range(tags):
        tag = b[o]
        o += 1
        if tag > 127:
            tag, o = long_uvarint(b, o, tag)
        size = b[o]
        o += 1
        if size > 127:
            size, o = long_uvarint(b, o, size)
        if size > end - o:
            raise short("RegisterBroker", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("RegisterBroker.log_dirs")
            if n * 16 > end - o:
                raise short("RegisterBroker.log_dirs", n * 16, end - o)
            log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
            o += n * 16
            if o != stop:
                raise wrong_size("RegisterBroker.log_dirs", o - stop)
        elif tag == 1:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                cordoned_log_dirs = None
            else:
                if n * 16 > end - o:
                    raise short("RegisterBroker.cordoned_log_dirs", n * 16, end - o)
                cordoned_log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
            if o != stop:
                raise wrong_size("RegisterBroker.cordoned_log_dirs", o - stop)
        o = stop
    e: RegisterBroker = new(_RegisterBroker)
    e.broker_id = broker_id
    e.incarnation_id = incarnation_id
    e.broker_epoch = broker_epoch
    e.endpoints = endpoints
    e.features = features
    e.rack = rack
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = log_dirs
    e.cordoned_log_dirs = cordoned_log_dirs
    e.__class__ = RegisterBroker
    return e, o


def _write_register_broker_v4(e: RegisterBroker, put: Put) -> None:
    put(pack_ituq(e.broker_id, False, e.incarnation_id.bytes, e.broker_epoch))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
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
    put(pack_tt(e.fenced, e.in_controlled_shutdown))
    count = 0
    tags: list[bytes] = []
    log_dirs = e.log_dirs
    if log_dirs:
        count += 1
        log_dirs_pieces: list[Buffer] = []
        log_dirs_pieces.append(put_uvarint(len(log_dirs) + 1))
        for one_log_dirs in log_dirs:
            log_dirs_pieces.append(one_log_dirs.bytes)
        piece = b"".join(log_dirs_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    cordoned_log_dirs = e.cordoned_log_dirs
    if cordoned_log_dirs is not None:
        count += 1
        cordoned_log_dirs_pieces: list[Buffer] = []
        cordoned_log_dirs_pieces.append(put_uvarint(len(cordoned_log_dirs) + 1))
        for one_cordoned_log_dirs in cordoned_log_dirs:
            cordoned_log_dirs_pieces.append(one_cordoned_log_dirs.bytes)
        piece = b"".join(cordoned_log_dirs_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[RegisterBroker]]] = {
    0: _read_register_broker_v0,
    1: _read_register_broker_v1,
    2: _read_register_broker_v2,
    3: _read_register_broker_v3,
    4: _read_register_broker_v4,
}
WRITERS: Final[Mapping[int, Writer[RegisterBroker]]] = {
    0: _write_register_broker_v0,
    1: _write_register_broker_v1,
    2: _write_register_broker_v2,
    3: _write_register_broker_v3,
    4: _write_register_broker_v4,
}
