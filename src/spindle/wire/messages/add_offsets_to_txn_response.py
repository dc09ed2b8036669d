"""AddOffsetsToTxnResponse (key 25), versions 0 to 4. Written by `tools.messages`."""

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
unpack_ih = Struct(">ih").unpack_from


class AddOffsetsToTxnResponse(Response):
    """The response of API 25."""

    KEY: ClassVar = 25
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code")
    throttle_time_ms: int
    error_code: ErrorCode

    def __init__(self, *, throttle_time_ms: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _read_add_offsets_to_txn_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(AddOffsetsToTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    return e, o


def _write_add_offsets_to_txn_response_v0(e: AddOffsetsToTxnResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))


def _read_add_offsets_to_txn_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "AddOffsetsToTxnResponse") if b[o] else o + 1
    e = new(AddOffsetsToTxnResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    return e, o


def _write_add_offsets_to_txn_response_v3(e: AddOffsetsToTxnResponse, put: Put) -> None:
    put(pack_ihB(e.throttle_time_ms, e.error_code, 0))


AddOffsetsToTxnResponse.READERS = {
    0: _read_add_offsets_to_txn_response_v0,
    1: _read_add_offsets_to_txn_response_v0,
    2: _read_add_offsets_to_txn_response_v0,
    3: _read_add_offsets_to_txn_response_v3,
    4: _read_add_offsets_to_txn_response_v3,
}
AddOffsetsToTxnResponse.WRITERS = {
    0: _write_add_offsets_to_txn_response_v0,
    1: _write_add_offsets_to_txn_response_v0,
    2: _write_add_offsets_to_txn_response_v0,
    3: _write_add_offsets_to_txn_response_v3,
    4: _write_add_offsets_to_txn_response_v3,
}
