"""SnapshotFooter, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags
from spindle.wire.stored import SnapshotFooter

new = object.__new__
pack_hB = Struct(">hB").pack
unpack_h = Struct(">h").unpack_from


class _SnapshotFooter(Open, SnapshotFooter):
    __slots__ = ()


def _read_snapshot_footer_v0(b: Buffer, o: int, end: int) -> tuple[SnapshotFooter, int]:
    (_,) = unpack_h(b, o)
    o += 2
    o = skip_tags(b, o, end, "SnapshotFooter") if b[o] else o + 1
    e: SnapshotFooter = new(_SnapshotFooter)
    e.__class__ = SnapshotFooter
    return e, o


def _write_snapshot_footer_v0(e: SnapshotFooter, put: Put) -> None:
    put(pack_hB(0, 0))


READERS: Final[Mapping[int, Reader[SnapshotFooter]]] = {
    0: _read_snapshot_footer_v0,
}
WRITERS: Final[Mapping[int, Writer[SnapshotFooter]]] = {
    0: _write_snapshot_footer_v0,
}
