"""RegisterController, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.ids import Endpoint, VersionRange
from spindle.model.metadata_records import RegisterController
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.making import feature
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_HhB = Struct(">HhB").pack
pack_hhB = Struct(">hhB").pack
pack_iut = Struct(">i16s?").pack
unpack_Hh = Struct(">Hh").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_iut = Struct(">i16s?").unpack_from


class _RegisterController(Open, RegisterController):
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


def _read_register_controller_v0(b: Buffer, o: int, end: int) -> tuple[RegisterController, int]:
    controller_id, incarnation_id, _ = unpack_iut(b, o)
    o += 21
    incarnation_id = id_of(incarnation_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RegisterController.endpoints")
    if n * 7 > end - o:
        raise short("RegisterController.endpoints", n * 7, end - o)
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
        raise null("RegisterController.features")
    if n * 6 > end - o:
        raise short("RegisterController.features", n * 6, end - o)
    all_features: list[tuple[str, VersionRange]] = []
    for _ in range(n):
        one_features, o = _read_feature_v0(b, o, end)
        all_features.append(one_features)
    features = tuple(all_features)
    o = skip_tags(b, o, end, "RegisterController") if b[o] else o + 1
    e: RegisterController = new(_RegisterController)
    e.controller_id = controller_id
    e.incarnation_id = incarnation_id
    e.endpoints = endpoints
    e.features = features
    e.__class__ = RegisterController
    return e, o


def _write_register_controller_v0(e: RegisterController, put: Put) -> None:
    put(pack_iut(e.controller_id, e.incarnation_id.bytes, False))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
    features = e.features
    put(put_uvarint(len(features) + 1))
    for one_features in features:
        _write_feature_v0(one_features, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[RegisterController]]] = {
    0: _read_register_controller_v0,
}
WRITERS: Final[Mapping[int, Writer[RegisterController]]] = {
    0: _write_register_controller_v0,
}
