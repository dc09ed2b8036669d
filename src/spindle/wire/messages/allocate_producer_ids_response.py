"""AllocateProducerIdsResponse (key 67), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS

new = object.__new__
pack_ihqiB = Struct(">ihqiB").pack
unpack_ihqi = Struct(">ihqi").unpack_from


class AllocateProducerIdsResponse(Response):
    """The response of API 67."""

    KEY: ClassVar = 67
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "producer_id_start", "producer_id_len")
    throttle_time_ms: int
    error_code: ErrorCode
    producer_id_start: int
    producer_id_len: int

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len


def _read_allocate_producer_ids_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AllocateProducerIdsResponse, int]:
    throttle_time_ms, error_code, producer_id_start, producer_id_len = unpack_ihqi(b, o)
    o += 18
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "AllocateProducerIdsResponse") if b[o] else o + 1
    e = new(AllocateProducerIdsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.producer_id_start = producer_id_start
    e.producer_id_len = producer_id_len
    return e, o


def _write_allocate_producer_ids_response_v0(e: AllocateProducerIdsResponse, put: Put) -> None:
    put(pack_ihqiB(e.throttle_time_ms, e.error_code, e.producer_id_start, e.producer_id_len, 0))


AllocateProducerIdsResponse.READERS = {
    0: _read_allocate_producer_ids_response_v0,
}
AllocateProducerIdsResponse.WRITERS = {
    0: _write_allocate_producer_ids_response_v0,
}
