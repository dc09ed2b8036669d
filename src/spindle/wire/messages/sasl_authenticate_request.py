"""SaslAuthenticateRequest (key 36), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
unpack_i = Struct(">i").unpack_from


class SaslAuthenticateRequest(Request[SaslAuthenticateResponse]):
    """The request of API 36."""

    KEY: ClassVar = 36
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("auth_bytes",)
    auth_bytes: bytes

    def __init__(self, *, auth_bytes: bytes = b"") -> None:
        self.auth_bytes = auth_bytes


def _read_sasl_authenticate_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[SaslAuthenticateRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SaslAuthenticateRequest.auth_bytes")
    if n > end - o:
        raise short("SaslAuthenticateRequest.auth_bytes", n, end - o)
    auth_bytes = bytes(b[o : o + n])
    o += n
    e = new(SaslAuthenticateRequest)
    e.auth_bytes = auth_bytes
    return e, o


def _write_sasl_authenticate_request_v0(e: SaslAuthenticateRequest, put: Put) -> None:
    auth_bytes = e.auth_bytes
    put(pack_i(len(auth_bytes)))
    put(auth_bytes)


def _read_sasl_authenticate_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[SaslAuthenticateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SaslAuthenticateRequest.auth_bytes")
    if n > end - o:
        raise short("SaslAuthenticateRequest.auth_bytes", n, end - o)
    auth_bytes = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "SaslAuthenticateRequest") if b[o] else o + 1
    e = new(SaslAuthenticateRequest)
    e.auth_bytes = auth_bytes
    return e, o


def _write_sasl_authenticate_request_v2(e: SaslAuthenticateRequest, put: Put) -> None:
    auth_bytes = e.auth_bytes
    put(put_uvarint(len(auth_bytes) + 1))
    put(auth_bytes)
    put(b"\0")


SaslAuthenticateRequest.RESPONSE = SaslAuthenticateResponse
SaslAuthenticateRequest.READERS = {
    0: _read_sasl_authenticate_request_v0,
    1: _read_sasl_authenticate_request_v0,
    2: _read_sasl_authenticate_request_v2,
}
SaslAuthenticateRequest.WRITERS = {
    0: _write_sasl_authenticate_request_v0,
    1: _write_sasl_authenticate_request_v0,
    2: _write_sasl_authenticate_request_v2,
}
