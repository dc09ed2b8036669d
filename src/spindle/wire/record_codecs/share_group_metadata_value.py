"""ShareGroupMetadataValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags
from spindle.wire.stored import ConsumerGroupValue

new = object.__new__
pack_iqB = Struct(">iqB").pack
unpack_iq = Struct(">iq").unpack_from


class _ConsumerGroupValue(Open, ConsumerGroupValue):
    __slots__ = ()


def _read_share_group_metadata_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerGroupValue, int]:
    epoch, topics_hash = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "ShareGroupMetadataValue") if b[o] else o + 1
    e: ConsumerGroupValue = new(_ConsumerGroupValue)
    e.epoch = epoch
    e.topics_hash = topics_hash
    e.__class__ = ConsumerGroupValue
    return e, o


def _write_share_group_metadata_value_v0(e: ConsumerGroupValue, put: Put) -> None:
    put(pack_iqB(e.epoch, e.topics_hash, 0))


READERS: Final[Mapping[int, Reader[ConsumerGroupValue]]] = {
    0: _read_share_group_metadata_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ConsumerGroupValue]]] = {
    0: _write_share_group_metadata_value_v0,
}
