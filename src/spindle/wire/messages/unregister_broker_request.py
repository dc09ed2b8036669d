"""UnregisterBrokerRequest (key 64), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.unregister_broker_response import UnregisterBrokerResponse

new = object.__new__
pack_iB = Struct(">iB").pack
unpack_i = Struct(">i").unpack_from


class UnregisterBrokerRequest(Request[UnregisterBrokerResponse]):
    """The request of API 64."""

    KEY: ClassVar = 64
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("broker_id",)
    broker_id: int

    def __init__(self, *, broker_id: int = 0) -> None:
        self.broker_id = broker_id


def _read_unregister_broker_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[UnregisterBrokerRequest, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "UnregisterBrokerRequest") if b[o] else o + 1
    e = new(UnregisterBrokerRequest)
    e.broker_id = broker_id
    return e, o


def _write_unregister_broker_request_v0(e: UnregisterBrokerRequest, put: Put) -> None:
    put(pack_iB(e.broker_id, 0))


UnregisterBrokerRequest.RESPONSE = UnregisterBrokerResponse
UnregisterBrokerRequest.READERS = {
    0: _read_unregister_broker_request_v0,
}
UnregisterBrokerRequest.WRITERS = {
    0: _write_unregister_broker_request_v0,
}
