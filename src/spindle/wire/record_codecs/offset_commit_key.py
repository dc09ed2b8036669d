"""OffsetCommitKey, versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import OffsetKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class _OffsetKey(Open, OffsetKey):
    __slots__ = ()


def _read_offset_commit_key_v0(b: Buffer, o: int, end: int) -> tuple[OffsetKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitKey.group")
    if n > end - o:
        raise short("OffsetCommitKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitKey.topic")
    if n > end - o:
        raise short("OffsetCommitKey.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (partition,) = unpack_i(b, o)
    o += 4
    e: OffsetKey = new(_OffsetKey)
    e.group = group
    e.topic = topic
    e.partition = partition
    e.__class__ = OffsetKey
    return e, o


def _write_offset_commit_key_v0(e: OffsetKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.partition))


READERS: Final[Mapping[int, Reader[OffsetKey]]] = {
    0: _read_offset_commit_key_v0,
    1: _read_offset_commit_key_v0,
}
WRITERS: Final[Mapping[int, Writer[OffsetKey]]] = {
    0: _write_offset_commit_key_v0,
    1: _write_offset_commit_key_v0,
}
