"""UnfenceBroker, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import BrokerRegistrationChange
from spindle.wire.codec import Reader, skip_tags
from spindle.wire.making import unfence

new = object.__new__
unpack_iq = Struct(">iq").unpack_from


def _read_unfence_broker_v0(b: Buffer, o: int, end: int) -> tuple[BrokerRegistrationChange, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "UnfenceBroker") if b[o] else o + 1
    return unfence(broker_id, broker_epoch), o


READERS: Final[Mapping[int, Reader[BrokerRegistrationChange]]] = {
    0: _read_unfence_broker_v0,
}
