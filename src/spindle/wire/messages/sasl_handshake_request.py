"""SaslHandshakeRequest (key 17), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null
from spindle.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class SaslHandshakeRequest(Request[SaslHandshakeResponse]):
    """The request of API 17."""

    KEY: ClassVar = 17
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 32767

    __slots__ = ("mechanism",)
    mechanism: str

    def __init__(self, *, mechanism: str = "") -> None:
        self.mechanism = mechanism


def _read_sasl_handshake_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[SaslHandshakeRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SaslHandshakeRequest.mechanism")
    if n > end - o:
        raise short("SaslHandshakeRequest.mechanism", n, end - o)
    mechanism = str(b[o : o + n], "utf-8")
    o += n
    e = new(SaslHandshakeRequest)
    e.mechanism = mechanism
    return e, o


def _write_sasl_handshake_request_v0(e: SaslHandshakeRequest, put: Put) -> None:
    mechanism = e.mechanism
    raw = mechanism.encode()
    put(pack_h(len(raw)))
    put(raw)


SaslHandshakeRequest.RESPONSE = SaslHandshakeResponse
SaslHandshakeRequest.READERS = {
    0: _read_sasl_handshake_request_v0,
    1: _read_sasl_handshake_request_v0,
}
SaslHandshakeRequest.WRITERS = {
    0: _write_sasl_handshake_request_v0,
    1: _write_sasl_handshake_request_v0,
}
