"""HeartbeatResponse (key 12), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from


class HeartbeatResponse(Response):
    """The response of API 12."""

    KEY: ClassVar = 12
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code")
    throttle_time_ms: int  # from version 1
    error_code: ErrorCode

    def __init__(self, *, throttle_time_ms: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _read_heartbeat_response_v0(b: Buffer, o: int, end: int) -> tuple[HeartbeatResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(HeartbeatResponse)
    e.throttle_time_ms = 0
    e.error_code = error_code
    return e, o


def _write_heartbeat_response_v0(e: HeartbeatResponse, put: Put) -> None:
    put(pack_h(e.error_code))


def _read_heartbeat_response_v1(b: Buffer, o: int, end: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(HeartbeatResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    return e, o


def _write_heartbeat_response_v1(e: HeartbeatResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))


def _read_heartbeat_response_v4(b: Buffer, o: int, end: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "HeartbeatResponse") if b[o] else o + 1
    e = new(HeartbeatResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    return e, o


def _write_heartbeat_response_v4(e: HeartbeatResponse, put: Put) -> None:
    put(pack_ihB(e.throttle_time_ms, e.error_code, 0))


HeartbeatResponse.READERS = {
    0: _read_heartbeat_response_v0,
    1: _read_heartbeat_response_v1,
    2: _read_heartbeat_response_v1,
    3: _read_heartbeat_response_v1,
    4: _read_heartbeat_response_v4,
}
HeartbeatResponse.WRITERS = {
    0: _write_heartbeat_response_v0,
    1: _write_heartbeat_response_v1,
    2: _write_heartbeat_response_v1,
    3: _write_heartbeat_response_v1,
    4: _write_heartbeat_response_v4,
}
