"""ClientQuota, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import ClientQuota
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.making import quota_part
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_dtB = Struct(">d?B").pack
unpack_dt = Struct(">d?").unpack_from


class _ClientQuota(Open, ClientQuota):
    __slots__ = ()


def _read_quota_part_v0(b: Buffer, o: int, end: int) -> tuple[tuple[str, str | None], int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("QuotaPart.type")
    if n > end - o:
        raise short("QuotaPart.type", n, end - o)
    type = str(b[o : o + n], "utf-8")
    o += n
    name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        name = None
    else:
        if n > end - o:
            raise short("QuotaPart.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "QuotaPart") if b[o] else o + 1
    return quota_part(type, name), o


def _write_quota_part_v0(e: tuple[str, str | None], put: Put) -> None:
    type = e[0]
    raw = type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    name = e[1]
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_client_quota_v0(b: Buffer, o: int, end: int) -> tuple[ClientQuota, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClientQuota.entity")
    if n * 3 > end - o:
        raise short("ClientQuota.entity", n * 3, end - o)
    all_entity: list[tuple[str, str | None]] = []
    for _ in range(n):
        one_entity, o = _read_quota_part_v0(b, o, end)
        all_entity.append(one_entity)
    entity = tuple(all_entity)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClientQuota.key")
    if n > end - o:
        raise short("ClientQuota.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    value, remove = unpack_dt(b, o)
    o += 9
    o = skip_tags(b, o, end, "ClientQuota") if b[o] else o + 1
    e: ClientQuota = new(_ClientQuota)
    e.entity = entity
    e.key = key
    e.value = value
    e.remove = remove
    e.__class__ = ClientQuota
    return e, o


def _write_client_quota_v0(e: ClientQuota, put: Put) -> None:
    entity = e.entity
    put(put_uvarint(len(entity) + 1))
    for one_entity in entity:
        _write_quota_part_v0(one_entity, put)
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_dtB(e.value, e.remove, 0))


READERS: Final[Mapping[int, Reader[ClientQuota]]] = {
    0: _read_client_quota_v0,
}
WRITERS: Final[Mapping[int, Writer[ClientQuota]]] = {
    0: _write_client_quota_v0,
}
