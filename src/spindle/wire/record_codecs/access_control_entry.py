"""AccessControlEntry, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import AccessControlEntry
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_bbB = Struct(">bbB").pack
pack_ub = Struct(">16sb").pack
unpack_b = Struct(">b").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_ub = Struct(">16sb").unpack_from


class _AccessControlEntry(Open, AccessControlEntry):
    __slots__ = ()


def _read_access_control_entry_v0(b: Buffer, o: int, end: int) -> tuple[AccessControlEntry, int]:
    id, resource_type = unpack_ub(b, o)
    o += 17
    id = id_of(id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AccessControlEntry.resource_name")
    if n > end - o:
        raise short("AccessControlEntry.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    (pattern_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AccessControlEntry.principal")
    if n > end - o:
        raise short("AccessControlEntry.principal", n, end - o)
    principal = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AccessControlEntry.host")
    if n > end - o:
        raise short("AccessControlEntry.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    operation, permission_type = unpack_bb(b, o)
    o += 2
    o = skip_tags(b, o, end, "AccessControlEntry") if b[o] else o + 1
    e: AccessControlEntry = new(_AccessControlEntry)
    e.id = id
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.pattern_type = pattern_type
    e.principal = principal
    e.host = host
    e.operation = operation
    e.permission_type = permission_type
    e.__class__ = AccessControlEntry
    return e, o


def _write_access_control_entry_v0(e: AccessControlEntry, put: Put) -> None:
    put(pack_ub(e.id.bytes, e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.pattern_type))
    principal = e.principal
    raw = principal.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bbB(e.operation, e.permission_type, 0))


READERS: Final[Mapping[int, Reader[AccessControlEntry]]] = {
    0: _read_access_control_entry_v0,
}
WRITERS: Final[Mapping[int, Writer[AccessControlEntry]]] = {
    0: _write_access_control_entry_v0,
}
