"""BrokerRegistrationResponse (key 62), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_ihqB = Struct(">ihqB").pack
unpack_ihq = Struct(">ihq").unpack_from


class BrokerRegistrationResponse(Response):
    """The response of API 62."""

    KEY: ClassVar = 62
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "broker_epoch")
    throttle_time_ms: int
    error_code: ErrorCode
    broker_epoch: int

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        broker_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch


def _read_broker_registration_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationResponse, int]:
    throttle_time_ms, error_code, broker_epoch = unpack_ihq(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "BrokerRegistrationResponse") if b[o] else o + 1
    e = new(BrokerRegistrationResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.broker_epoch = broker_epoch
    return e, o


def _write_broker_registration_response_v0(e: BrokerRegistrationResponse, put: Put) -> None:
    put(pack_ihqB(e.throttle_time_ms, e.error_code, e.broker_epoch, 0))


BrokerRegistrationResponse.READERS = {
    0: _read_broker_registration_response_v0,
    1: _read_broker_registration_response_v0,
    2: _read_broker_registration_response_v0,
    3: _read_broker_registration_response_v0,
    4: _read_broker_registration_response_v0,
}
BrokerRegistrationResponse.WRITERS = {
    0: _write_broker_registration_response_v0,
    1: _write_broker_registration_response_v0,
    2: _write_broker_registration_response_v0,
    3: _write_broker_registration_response_v0,
    4: _write_broker_registration_response_v0,
}
