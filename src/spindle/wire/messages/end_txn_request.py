"""EndTxnRequest (key 26), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.end_txn_response import EndTxnResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_qht = Struct(">qh?").pack
pack_qhtB = Struct(">qh?B").pack
unpack_h = Struct(">h").unpack_from
unpack_qht = Struct(">qh?").unpack_from


class EndTxnRequest(Request[EndTxnResponse]):
    """The request of API 26."""

    KEY: ClassVar = 26
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "committed")
    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool

    def __init__(
        self,
        *,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed


def _read_end_txn_request_v0(b: Buffer, o: int, end: int) -> tuple[EndTxnRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("EndTxnRequest.transactional_id")
    if n > end - o:
        raise short("EndTxnRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, committed = unpack_qht(b, o)
    o += 11
    e = new(EndTxnRequest)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.committed = committed
    return e, o


def _write_end_txn_request_v0(e: EndTxnRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qht(e.producer_id, e.producer_epoch, e.committed))


def _read_end_txn_request_v3(b: Buffer, o: int, end: int) -> tuple[EndTxnRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EndTxnRequest.transactional_id")
    if n > end - o:
        raise short("EndTxnRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, committed = unpack_qht(b, o)
    o += 11
    o = skip_tags(b, o, end, "EndTxnRequest") if b[o] else o + 1
    e = new(EndTxnRequest)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.committed = committed
    return e, o


def _write_end_txn_request_v3(e: EndTxnRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qhtB(e.producer_id, e.producer_epoch, e.committed, 0))


EndTxnRequest.RESPONSE = EndTxnResponse
EndTxnRequest.READERS = {
    0: _read_end_txn_request_v0,
    1: _read_end_txn_request_v0,
    2: _read_end_txn_request_v0,
    3: _read_end_txn_request_v3,
    4: _read_end_txn_request_v3,
    5: _read_end_txn_request_v3,
}
EndTxnRequest.WRITERS = {
    0: _write_end_txn_request_v0,
    1: _write_end_txn_request_v0,
    2: _write_end_txn_request_v0,
    3: _write_end_txn_request_v3,
    4: _write_end_txn_request_v3,
    5: _write_end_txn_request_v3,
}
