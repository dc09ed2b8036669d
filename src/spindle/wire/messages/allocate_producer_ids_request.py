"""AllocateProducerIdsRequest (key 67), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse

new = object.__new__
pack_iqB = Struct(">iqB").pack
unpack_iq = Struct(">iq").unpack_from


class AllocateProducerIdsRequest(Request[AllocateProducerIdsResponse]):
    """The request of API 67."""

    KEY: ClassVar = 67
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("broker_id", "broker_epoch")
    broker_id: int
    broker_epoch: int

    def __init__(self, *, broker_id: int = 0, broker_epoch: int = -1) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


def _read_allocate_producer_ids_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AllocateProducerIdsRequest, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "AllocateProducerIdsRequest") if b[o] else o + 1
    e = new(AllocateProducerIdsRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    return e, o


def _write_allocate_producer_ids_request_v0(e: AllocateProducerIdsRequest, put: Put) -> None:
    put(pack_iqB(e.broker_id, e.broker_epoch, 0))


AllocateProducerIdsRequest.RESPONSE = AllocateProducerIdsResponse
AllocateProducerIdsRequest.READERS = {
    0: _read_allocate_producer_ids_request_v0,
}
AllocateProducerIdsRequest.WRITERS = {
    0: _write_allocate_producer_ids_request_v0,
}
