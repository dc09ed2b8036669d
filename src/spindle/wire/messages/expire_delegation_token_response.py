"""ExpireDelegationTokenResponse (key 40), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_hqi = Struct(">hqi").pack
pack_hqiB = Struct(">hqiB").pack
unpack_hqi = Struct(">hqi").unpack_from


class ExpireDelegationTokenResponse(Response):
    """The response of API 40."""

    KEY: ClassVar = 40
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms")
    error_code: ErrorCode
    expiry_timestamp_ms: int
    throttle_time_ms: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms


def _read_expire_delegation_token_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ExpireDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms = unpack_hqi(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    e = new(ExpireDelegationTokenResponse)
    e.error_code = error_code
    e.expiry_timestamp_ms = expiry_timestamp_ms
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_expire_delegation_token_response_v1(e: ExpireDelegationTokenResponse, put: Put) -> None:
    put(pack_hqi(e.error_code, e.expiry_timestamp_ms, e.throttle_time_ms))


def _read_expire_delegation_token_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[ExpireDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms = unpack_hqi(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "ExpireDelegationTokenResponse") if b[o] else o + 1
    e = new(ExpireDelegationTokenResponse)
    e.error_code = error_code
    e.expiry_timestamp_ms = expiry_timestamp_ms
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_expire_delegation_token_response_v2(e: ExpireDelegationTokenResponse, put: Put) -> None:
    put(pack_hqiB(e.error_code, e.expiry_timestamp_ms, e.throttle_time_ms, 0))


ExpireDelegationTokenResponse.READERS = {
    1: _read_expire_delegation_token_response_v1,
    2: _read_expire_delegation_token_response_v2,
}
ExpireDelegationTokenResponse.WRITERS = {
    1: _write_expire_delegation_token_response_v1,
    2: _write_expire_delegation_token_response_v2,
}
