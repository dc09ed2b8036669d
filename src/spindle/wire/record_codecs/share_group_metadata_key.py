"""ShareGroupMetadataKey, version 11. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import ConsumerGroupKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _ConsumerGroupKey(Open, ConsumerGroupKey):
    __slots__ = ()


def _read_share_group_metadata_key_v11(b: Buffer, o: int, end: int) -> tuple[ConsumerGroupKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ShareGroupMetadataKey.group")
    if n > end - o:
        raise short("ShareGroupMetadataKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    e: ConsumerGroupKey = new(_ConsumerGroupKey)
    e.group = group
    e.__class__ = ConsumerGroupKey
    return e, o


def _write_share_group_metadata_key_v11(e: ConsumerGroupKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[ConsumerGroupKey]]] = {
    11: _read_share_group_metadata_key_v11,
}
WRITERS: Final[Mapping[int, Writer[ConsumerGroupKey]]] = {
    11: _write_share_group_metadata_key_v11,
}
