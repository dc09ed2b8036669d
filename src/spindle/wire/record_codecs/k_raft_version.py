"""KRaftVersion, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.quorum_voters import KRaftVersion
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags

new = object.__new__
pack_hhB = Struct(">hhB").pack
unpack_hh = Struct(">hh").unpack_from


class _KRaftVersion(Open, KRaftVersion):
    __slots__ = ()


def _read_k_raft_version_v0(b: Buffer, o: int, end: int) -> tuple[KRaftVersion, int]:
    _, level = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "KRaftVersion") if b[o] else o + 1
    e: KRaftVersion = new(_KRaftVersion)
    e.level = level
    e.__class__ = KRaftVersion
    return e, o


def _write_k_raft_version_v0(e: KRaftVersion, put: Put) -> None:
    put(pack_hhB(0, e.level, 0))


READERS: Final[Mapping[int, Reader[KRaftVersion]]] = {
    0: _read_k_raft_version_v0,
}
WRITERS: Final[Mapping[int, Writer[KRaftVersion]]] = {
    0: _write_k_raft_version_v0,
}
