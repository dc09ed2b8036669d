"""GroupMetadataKey, version 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import GroupKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _GroupKey(Open, GroupKey):
    __slots__ = ()


def _read_group_metadata_key_v2(b: Buffer, o: int, end: int) -> tuple[GroupKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("GroupMetadataKey.group")
    if n > end - o:
        raise short("GroupMetadataKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    e: GroupKey = new(_GroupKey)
    e.group = group
    e.__class__ = GroupKey
    return e, o


def _write_group_metadata_key_v2(e: GroupKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[GroupKey]]] = {
    2: _read_group_metadata_key_v2,
}
WRITERS: Final[Mapping[int, Writer[GroupKey]]] = {
    2: _write_group_metadata_key_v2,
}
