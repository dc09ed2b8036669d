"""FeatureLevel, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import FeatureLevel
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_hB = Struct(">hB").pack
unpack_h = Struct(">h").unpack_from


class _FeatureLevel(Open, FeatureLevel):
    __slots__ = ()


def _read_feature_level_v0(b: Buffer, o: int, end: int) -> tuple[FeatureLevel, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FeatureLevel.name")
    if n > end - o:
        raise short("FeatureLevel.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (level,) = unpack_h(b, o)
    o += 2
    o = skip_tags(b, o, end, "FeatureLevel") if b[o] else o + 1
    e: FeatureLevel = new(_FeatureLevel)
    e.name = name
    e.level = level
    e.__class__ = FeatureLevel
    return e, o


def _write_feature_level_v0(e: FeatureLevel, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hB(e.level, 0))


READERS: Final[Mapping[int, Reader[FeatureLevel]]] = {
    0: _read_feature_level_v0,
}
WRITERS: Final[Mapping[int, Writer[FeatureLevel]]] = {
    0: _write_feature_level_v0,
}
