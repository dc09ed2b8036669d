"""AddOffsetsToTxnRequest (key 25), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_qh = Struct(">qh").pack
unpack_h = Struct(">h").unpack_from
unpack_qh = Struct(">qh").unpack_from


class AddOffsetsToTxnRequest(Request[AddOffsetsToTxnResponse]):
    """The request of API 25."""

    KEY: ClassVar = 25
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "group_id")
    transactional_id: str
    producer_id: int
    producer_epoch: int
    group_id: str

    def __init__(
        self,
        *,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id


def _read_add_offsets_to_txn_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddOffsetsToTxnRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddOffsetsToTxnRequest.transactional_id")
    if n > end - o:
        raise short("AddOffsetsToTxnRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddOffsetsToTxnRequest.group_id")
    if n > end - o:
        raise short("AddOffsetsToTxnRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    e = new(AddOffsetsToTxnRequest)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.group_id = group_id
    return e, o


def _write_add_offsets_to_txn_request_v0(e: AddOffsetsToTxnRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qh(e.producer_id, e.producer_epoch))
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_add_offsets_to_txn_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddOffsetsToTxnRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddOffsetsToTxnRequest.transactional_id")
    if n > end - o:
        raise short("AddOffsetsToTxnRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddOffsetsToTxnRequest.group_id")
    if n > end - o:
        raise short("AddOffsetsToTxnRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "AddOffsetsToTxnRequest") if b[o] else o + 1
    e = new(AddOffsetsToTxnRequest)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.group_id = group_id
    return e, o


def _write_add_offsets_to_txn_request_v3(e: AddOffsetsToTxnRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qh(e.producer_id, e.producer_epoch))
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


AddOffsetsToTxnRequest.RESPONSE = AddOffsetsToTxnResponse
AddOffsetsToTxnRequest.READERS = {
    0: _read_add_offsets_to_txn_request_v0,
    1: _read_add_offsets_to_txn_request_v0,
    2: _read_add_offsets_to_txn_request_v0,
    3: _read_add_offsets_to_txn_request_v3,
    4: _read_add_offsets_to_txn_request_v3,
}
AddOffsetsToTxnRequest.WRITERS = {
    0: _write_add_offsets_to_txn_request_v0,
    1: _write_add_offsets_to_txn_request_v0,
    2: _write_add_offsets_to_txn_request_v0,
    3: _write_add_offsets_to_txn_request_v3,
    4: _write_add_offsets_to_txn_request_v3,
}
