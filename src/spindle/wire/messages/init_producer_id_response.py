"""InitProducerIdResponse (key 22), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_ihqh = Struct(">ihqh").pack
pack_ihqhB = Struct(">ihqhB").pack
unpack_ihqh = Struct(">ihqh").unpack_from


class InitProducerIdResponse(Response):
    """The response of API 22."""

    KEY: ClassVar = 22
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")
    throttle_time_ms: int
    error_code: ErrorCode
    producer_id: int
    producer_epoch: int

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        producer_id: int = -1,
        producer_epoch: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


def _read_init_producer_id_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch = unpack_ihqh(b, o)
    o += 16
    error_code = ERRORS.get(error_code, error_code)
    e = new(InitProducerIdResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    return e, o


def _write_init_producer_id_response_v0(e: InitProducerIdResponse, put: Put) -> None:
    put(pack_ihqh(e.throttle_time_ms, e.error_code, e.producer_id, e.producer_epoch))


def _read_init_producer_id_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch = unpack_ihqh(b, o)
    o += 16
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "InitProducerIdResponse") if b[o] else o + 1
    e = new(InitProducerIdResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    return e, o


def _write_init_producer_id_response_v2(e: InitProducerIdResponse, put: Put) -> None:
    put(pack_ihqhB(e.throttle_time_ms, e.error_code, e.producer_id, e.producer_epoch, 0))


InitProducerIdResponse.READERS = {
    0: _read_init_producer_id_response_v0,
    1: _read_init_producer_id_response_v0,
    2: _read_init_producer_id_response_v2,
    3: _read_init_producer_id_response_v2,
    4: _read_init_producer_id_response_v2,
    5: _read_init_producer_id_response_v2,
}
InitProducerIdResponse.WRITERS = {
    0: _write_init_producer_id_response_v0,
    1: _write_init_producer_id_response_v0,
    2: _write_init_producer_id_response_v2,
    3: _write_init_producer_id_response_v2,
    4: _write_init_producer_id_response_v2,
    5: _write_init_producer_id_response_v2,
}
