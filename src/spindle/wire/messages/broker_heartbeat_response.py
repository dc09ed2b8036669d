"""BrokerHeartbeatResponse (key 63), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_ihtttB = Struct(">ih???B").pack
unpack_ihttt = Struct(">ih???").unpack_from


class BrokerHeartbeatResponse(Response):
    """The response of API 63."""

    KEY: ClassVar = 63
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "is_caught_up", "is_fenced", "should_shut_down")
    throttle_time_ms: int
    error_code: ErrorCode
    is_caught_up: bool
    is_fenced: bool
    should_shut_down: bool

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down


def _read_broker_heartbeat_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[BrokerHeartbeatResponse, int]:
    throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down = unpack_ihttt(b, o)
    o += 9
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "BrokerHeartbeatResponse") if b[o] else o + 1
    e = new(BrokerHeartbeatResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.is_caught_up = is_caught_up
    e.is_fenced = is_fenced
    e.should_shut_down = should_shut_down
    return e, o


def _write_broker_heartbeat_response_v0(e: BrokerHeartbeatResponse, put: Put) -> None:
    put(
        pack_ihtttB(
            e.throttle_time_ms, e.error_code, e.is_caught_up, e.is_fenced, e.should_shut_down, 0
        )
    )


BrokerHeartbeatResponse.READERS = {
    0: _read_broker_heartbeat_response_v0,
    1: _read_broker_heartbeat_response_v0,
    2: _read_broker_heartbeat_response_v0,
}
BrokerHeartbeatResponse.WRITERS = {
    0: _write_broker_heartbeat_response_v0,
    1: _write_broker_heartbeat_response_v0,
    2: _write_broker_heartbeat_response_v0,
}
