"""ProducerIds, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import ProducerIdsBlock
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags

new = object.__new__
pack_iqqB = Struct(">iqqB").pack
unpack_iqq = Struct(">iqq").unpack_from


class _ProducerIdsBlock(Open, ProducerIdsBlock):
    __slots__ = ()


def _read_producer_ids_v0(b: Buffer, o: int, end: int) -> tuple[ProducerIdsBlock, int]:
    broker_id, broker_epoch, next_producer_id = unpack_iqq(b, o)
    o += 20
    o = skip_tags(b, o, end, "ProducerIds") if b[o] else o + 1
    e: ProducerIdsBlock = new(_ProducerIdsBlock)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.next_producer_id = next_producer_id
    e.__class__ = ProducerIdsBlock
    return e, o


def _write_producer_ids_v0(e: ProducerIdsBlock, put: Put) -> None:
    put(pack_iqqB(e.broker_id, e.broker_epoch, e.next_producer_id, 0))


READERS: Final[Mapping[int, Reader[ProducerIdsBlock]]] = {
    0: _read_producer_ids_v0,
}
WRITERS: Final[Mapping[int, Writer[ProducerIdsBlock]]] = {
    0: _write_producer_ids_v0,
}
