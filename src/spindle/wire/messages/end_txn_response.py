"""EndTxnResponse (key 26), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihqhB = Struct(">ihqhB").pack
unpack_ih = Struct(">ih").unpack_from
unpack_ihqh = Struct(">ihqh").unpack_from


class EndTxnResponse(Response):
    """The response of API 26."""

    KEY: ClassVar = 26
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")
    throttle_time_ms: int
    error_code: ErrorCode
    producer_id: int  # from version 5
    producer_epoch: int  # from version 5

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


def _read_end_txn_response_v0(b: Buffer, o: int, end: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(EndTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id = -1
    e.producer_epoch = -1
    return e, o


def _write_end_txn_response_v0(e: EndTxnResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))


def _read_end_txn_response_v3(b: Buffer, o: int, end: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "EndTxnResponse") if b[o] else o + 1
    e = new(EndTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id = -1
    e.producer_epoch = -1
    return e, o


def _write_end_txn_response_v3(e: EndTxnResponse, put: Put) -> None:
    put(pack_ihB(e.throttle_time_ms, e.error_code, 0))


def _read_end_txn_response_v5(b: Buffer, o: int, end: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch = unpack_ihqh(b, o)
    o += 16
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "EndTxnResponse") if b[o] else o + 1
    e = new(EndTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    return e, o


def _write_end_txn_response_v5(e: EndTxnResponse, put: Put) -> None:
    put(pack_ihqhB(e.throttle_time_ms, e.error_code, e.producer_id, e.producer_epoch, 0))


EndTxnResponse.READERS = {
    0: _read_end_txn_response_v0,
    1: _read_end_txn_response_v0,
    2: _read_end_txn_response_v0,
    3: _read_end_txn_response_v3,
    4: _read_end_txn_response_v3,
    5: _read_end_txn_response_v5,
}
EndTxnResponse.WRITERS = {
    0: _write_end_txn_response_v0,
    1: _write_end_txn_response_v0,
    2: _write_end_txn_response_v0,
    3: _write_end_txn_response_v3,
    4: _write_end_txn_response_v3,
    5: _write_end_txn_response_v5,
}
