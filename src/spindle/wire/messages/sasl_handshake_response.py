"""SaslHandshakeResponse (key 17), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, null
from spindle.wire.values import ERRORS, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class SaslHandshakeResponse(Response):
    """The response of API 17."""

    KEY: ClassVar = 17
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 32767

    __slots__ = ("error_code", "mechanisms")
    error_code: ErrorCode
    mechanisms: Sequence[str]

    def __init__(
        self, *, error_code: ErrorCode = Error.NONE, mechanisms: Sequence[str] = ()
    ) -> None:
        self.error_code = error_code
        self.mechanisms = mechanisms


def _read_sasl_handshake_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[SaslHandshakeResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SaslHandshakeResponse.mechanisms")
    if n * 2 > end - o:
        raise short("SaslHandshakeResponse.mechanisms", n * 2, end - o)
    all_mechanisms: list[str] = []
    for _ in range(n):
        (n,) = unpack_h(b, o)
        o += 2
        if n < 0:
            raise null("SaslHandshakeResponse.mechanisms")
        if n > end - o:
            raise short("SaslHandshakeResponse.mechanisms", n, end - o)
        one_mechanisms = str(b[o : o + n], "utf-8")
        o += n
        all_mechanisms.append(one_mechanisms)
    mechanisms = tuple(all_mechanisms)
    e = new(SaslHandshakeResponse)
    e.error_code = error_code
    e.mechanisms = mechanisms
    return e, o


def _write_sasl_handshake_response_v0(e: SaslHandshakeResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    mechanisms = e.mechanisms
    put(pack_i(len(mechanisms)))
    for one_mechanisms in mechanisms:
        raw = one_mechanisms.encode()
        put(pack_h(len(raw)))
        put(raw)


SaslHandshakeResponse.READERS = {
    0: _read_sasl_handshake_response_v0,
    1: _read_sasl_handshake_response_v0,
}
SaslHandshakeResponse.WRITERS = {
    0: _write_sasl_handshake_response_v0,
    1: _write_sasl_handshake_response_v0,
}
