"""UnregisterBroker, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import UnregisterBroker
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags

new = object.__new__
pack_iqB = Struct(">iqB").pack
unpack_iq = Struct(">iq").unpack_from


class _UnregisterBroker(Open, UnregisterBroker):
    __slots__ = ()


def _read_unregister_broker_v0(b: Buffer, o: int, end: int) -> tuple[UnregisterBroker, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "UnregisterBroker") if b[o] else o + 1
    e: UnregisterBroker = new(_UnregisterBroker)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.__class__ = UnregisterBroker
    return e, o


def _write_unregister_broker_v0(e: UnregisterBroker, put: Put) -> None:
    put(pack_iqB(e.broker_id, e.broker_epoch, 0))


READERS: Final[Mapping[int, Reader[UnregisterBroker]]] = {
    0: _read_unregister_broker_v0,
}
WRITERS: Final[Mapping[int, Writer[UnregisterBroker]]] = {
    0: _write_unregister_broker_v0,
}
