"""EnvelopeResponse (key 58), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, count_of, tag_at, wrong_size
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_q = Struct(">q").pack
unpack_h = Struct(">h").unpack_from
unpack_q = Struct(">q").unpack_from


class EnvelopeResponse(Response):
    """The response of API 58."""

    KEY: ClassVar = 58
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("response_data", "error_code", "metadata_offset")
    response_data: bytes | None
    error_code: ErrorCode
    metadata_offset: int  # tag 10000

    def __init__(
        self,
        *,
        response_data: bytes | None = None,
        error_code: ErrorCode = Error.NONE,
        metadata_offset: int = -1,
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code
        self.metadata_offset = metadata_offset


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
    metadata_offset: int = -1
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "EnvelopeResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "EnvelopeResponse")
            if tag == 10000:
                (metadata_offset,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("EnvelopeResponse.metadata_offset", o - stop)
            o = stop
    e = new(EnvelopeResponse)
    e.response_data = response_data
    e.error_code = error_code
    e.metadata_offset = metadata_offset
    return e, o


def _write_envelope_response_v0(e: EnvelopeResponse, put: Put) -> None:
    response_data = e.response_data
    if response_data is None:
        put(b"\0")
    else:
        put(put_uvarint(len(response_data) + 1))
        put(response_data)
    put(pack_h(e.error_code))
    tags: list[bytes] = []
    outer = put
    metadata_offset = e.metadata_offset
    if metadata_offset != -1:
        metadata_offset_pieces: list[Buffer] = []
        put = metadata_offset_pieces.append
        put(pack_q(metadata_offset))
        piece = b"".join(metadata_offset_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


EnvelopeResponse.READERS = {
    0: _read_envelope_response_v0,
}
EnvelopeResponse.WRITERS = {
    0: _write_envelope_response_v0,
}
