"""ShareSnapshotKey, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import ShareStateKey
from spindle.wire.values import ZERO_UUID, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_ui = Struct(">16si").pack
unpack_h = Struct(">h").unpack_from
unpack_ui = Struct(">16si").unpack_from


class _ShareStateKey(Open, ShareStateKey):
    __slots__ = ()


def _read_share_snapshot_key_v0(b: Buffer, o: int, end: int) -> tuple[ShareStateKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ShareSnapshotKey.group")
    if n > end - o:
        raise short("ShareSnapshotKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    topic_id, partition = unpack_ui(b, o)
    o += 20
    topic_id = uuid_of(topic_id)
    e: ShareStateKey = new(_ShareStateKey)
    e.group = group
    e.topic_id = topic_id
    e.partition = partition
    e.__class__ = ShareStateKey
    return e, o


def _write_share_snapshot_key_v0(e: ShareStateKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_ui(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.partition))


READERS: Final[Mapping[int, Reader[ShareStateKey]]] = {
    0: _read_share_snapshot_key_v0,
}
WRITERS: Final[Mapping[int, Writer[ShareStateKey]]] = {
    0: _write_share_snapshot_key_v0,
}
