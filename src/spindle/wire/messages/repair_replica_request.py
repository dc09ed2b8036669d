"""RepairReplicaRequest (key 30591), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.repair_replica_response import RepairReplicaResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_ibB = Struct(">ibB").pack
unpack_ib = Struct(">ib").unpack_from


class RepairReplicaRequest(Request[RepairReplicaResponse]):
    """The request of API 30591."""

    KEY: ClassVar = 30591
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("topic", "partition_index", "action")
    topic: str
    partition_index: int
    action: int

    def __init__(self, *, topic: str = "", partition_index: int = 0, action: int = 0) -> None:
        self.topic = topic
        self.partition_index = partition_index
        self.action = action


def _read_repair_replica_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[RepairReplicaRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RepairReplicaRequest.topic")
    if n > end - o:
        raise short("RepairReplicaRequest.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    partition_index, action = unpack_ib(b, o)
    o += 5
    o = skip_tags(b, o, end, "RepairReplicaRequest") if b[o] else o + 1
    e = new(RepairReplicaRequest)
    e.topic = topic
    e.partition_index = partition_index
    e.action = action
    return e, o


def _write_repair_replica_request_v0(e: RepairReplicaRequest, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ibB(e.partition_index, e.action, 0))


RepairReplicaRequest.RESPONSE = RepairReplicaResponse
RepairReplicaRequest.READERS = {
    0: _read_repair_replica_request_v0,
}
RepairReplicaRequest.WRITERS = {
    0: _write_repair_replica_request_v0,
}
