"""RemoveAccessControlEntry, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import RemoveAccessControlEntry
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags
from spindle.wire.values import id_of

new = object.__new__
pack_uB = Struct(">16sB").pack
unpack_u = Struct(">16s").unpack_from


class _RemoveAccessControlEntry(Open, RemoveAccessControlEntry):
    __slots__ = ()


def _read_remove_access_control_entry_v0(
    b: Buffer, o: int, end: int
) -> tuple[RemoveAccessControlEntry, int]:
    (id,) = unpack_u(b, o)
    o += 16
    id = id_of(id)
    o = skip_tags(b, o, end, "RemoveAccessControlEntry") if b[o] else o + 1
    e: RemoveAccessControlEntry = new(_RemoveAccessControlEntry)
    e.id = id
    e.__class__ = RemoveAccessControlEntry
    return e, o


def _write_remove_access_control_entry_v0(e: RemoveAccessControlEntry, put: Put) -> None:
    put(pack_uB(e.id.bytes, 0))


READERS: Final[Mapping[int, Reader[RemoveAccessControlEntry]]] = {
    0: _read_remove_access_control_entry_v0,
}
WRITERS: Final[Mapping[int, Writer[RemoveAccessControlEntry]]] = {
    0: _write_remove_access_control_entry_v0,
}
