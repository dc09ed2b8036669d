"""EnvelopeResponse (key 58), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_hB = Struct(">hB").pack
unpack_h = Struct(">h").unpack_from


class EnvelopeResponse(Response):
    """The response of API 58."""

    KEY: ClassVar = 58
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("response_data", "error_code")
    response_data: bytes | None
    error_code: ErrorCode

    def __init__(
        self, *, response_data: bytes | None = None, error_code: ErrorCode = Error.NONE
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code


def _read_envelope_response_v0(b: Buffer, o: int, end: int) -> tuple[EnvelopeResponse, int]:
    response_data: bytes | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        response_data = None
    else:
        if n > end - o:
            raise short("EnvelopeResponse.response_data", n, end - o)
        response_data = bytes(b[o : o + n])
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "EnvelopeResponse") if b[o] else o + 1
    e = new(EnvelopeResponse)
    e.response_data = response_data
    e.error_code = error_code
    return e, o


def _write_envelope_response_v0(e: EnvelopeResponse, put: Put) -> None:
    response_data = e.response_data
    if response_data is None:
        put(b"\0")
    else:
        put(put_uvarint(len(response_data) + 1))
        put(response_data)
    put(pack_hB(e.error_code, 0))


EnvelopeResponse.READERS = {
    0: _read_envelope_response_v0,
}
EnvelopeResponse.WRITERS = {
    0: _write_envelope_response_v0,
}
