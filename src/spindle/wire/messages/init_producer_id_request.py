"""InitProducerIdRequest (key 22), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.init_producer_id_response import InitProducerIdResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_iqhB = Struct(">iqhB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iqh = Struct(">iqh").unpack_from


class InitProducerIdRequest(Request[InitProducerIdResponse]):
    """The request of API 22."""

    KEY: ClassVar = 22
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("transactional_id", "transaction_timeout_ms", "producer_id", "producer_epoch")
    transactional_id: str | None
    transaction_timeout_ms: int
    producer_id: int  # from version 3
    producer_epoch: int  # from version 3

    def __init__(
        self,
        *,
        transactional_id: str | None = None,
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


def _read_init_producer_id_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[InitProducerIdRequest, int]:
    transactional_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("InitProducerIdRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    (transaction_timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(InitProducerIdRequest)
    e.transactional_id = transactional_id
    e.transaction_timeout_ms = transaction_timeout_ms
    e.producer_id = -1
    e.producer_epoch = -1
    return e, o


def _write_init_producer_id_request_v0(e: InitProducerIdRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\xff\xff")
    else:
        raw = transactional_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.transaction_timeout_ms))


def _read_init_producer_id_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[InitProducerIdRequest, int]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("InitProducerIdRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    (transaction_timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "InitProducerIdRequest") if b[o] else o + 1
    e = new(InitProducerIdRequest)
    e.transactional_id = transactional_id
    e.transaction_timeout_ms = transaction_timeout_ms
    e.producer_id = -1
    e.producer_epoch = -1
    return e, o


def _write_init_producer_id_request_v2(e: InitProducerIdRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\0")
    else:
        raw = transactional_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_iB(e.transaction_timeout_ms, 0))


def _read_init_producer_id_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[InitProducerIdRequest, int]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("InitProducerIdRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    transaction_timeout_ms, producer_id, producer_epoch = unpack_iqh(b, o)
    o += 14
    o = skip_tags(b, o, end, "InitProducerIdRequest") if b[o] else o + 1
    e = new(InitProducerIdRequest)
    e.transactional_id = transactional_id
    e.transaction_timeout_ms = transaction_timeout_ms
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    return e, o


def _write_init_producer_id_request_v3(e: InitProducerIdRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\0")
    else:
        raw = transactional_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_iqhB(e.transaction_timeout_ms, e.producer_id, e.producer_epoch, 0))


InitProducerIdRequest.RESPONSE = InitProducerIdResponse
InitProducerIdRequest.READERS = {
    0: _read_init_producer_id_request_v0,
    1: _read_init_producer_id_request_v0,
    2: _read_init_producer_id_request_v2,
    3: _read_init_producer_id_request_v3,
    4: _read_init_producer_id_request_v3,
    5: _read_init_producer_id_request_v3,
}
InitProducerIdRequest.WRITERS = {
    0: _write_init_producer_id_request_v0,
    1: _write_init_producer_id_request_v0,
    2: _write_init_producer_id_request_v2,
    3: _write_init_producer_id_request_v3,
    4: _write_init_producer_id_request_v3,
    5: _write_init_producer_id_request_v3,
}
