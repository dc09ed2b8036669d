"""SnapshotHeader, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags
from spindle.wire.stored import SnapshotHeader

new = object.__new__
pack_hqB = Struct(">hqB").pack
unpack_hq = Struct(">hq").unpack_from


class _SnapshotHeader(Open, SnapshotHeader):
    __slots__ = ()


def _read_snapshot_header_v0(b: Buffer, o: int, end: int) -> tuple[SnapshotHeader, int]:
    _, last_timestamp = unpack_hq(b, o)
    o += 10
    o = skip_tags(b, o, end, "SnapshotHeader") if b[o] else o + 1
    e: SnapshotHeader = new(_SnapshotHeader)
    e.last_timestamp = last_timestamp
    e.__class__ = SnapshotHeader
    return e, o


def _write_snapshot_header_v0(e: SnapshotHeader, put: Put) -> None:
    put(pack_hqB(0, e.last_timestamp, 0))


READERS: Final[Mapping[int, Reader[SnapshotHeader]]] = {
    0: _read_snapshot_header_v0,
}
WRITERS: Final[Mapping[int, Writer[SnapshotHeader]]] = {
    0: _write_snapshot_header_v0,
}
