"""SaslAuthenticateResponse (key 36), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from


class SaslAuthenticateResponse(Response):
    """The response of API 36."""

    KEY: ClassVar = 36
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms")
    error_code: ErrorCode
    error_message: str | None
    auth_bytes: bytes
    session_lifetime_ms: int  # from version 1

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms


def _read_sasl_authenticate_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[SaslAuthenticateResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("SaslAuthenticateResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SaslAuthenticateResponse.auth_bytes")
    if n > end - o:
        raise short("SaslAuthenticateResponse.auth_bytes", n, end - o)
    auth_bytes = bytes(b[o : o + n])
    o += n
    e = new(SaslAuthenticateResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.auth_bytes = auth_bytes
    e.session_lifetime_ms = 0
    return e, o


def _write_sasl_authenticate_response_v0(e: SaslAuthenticateResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    auth_bytes = e.auth_bytes
    put(pack_i(len(auth_bytes)))
    put(auth_bytes)


def _read_sasl_authenticate_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[SaslAuthenticateResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("SaslAuthenticateResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SaslAuthenticateResponse.auth_bytes")
    if n > end - o:
        raise short("SaslAuthenticateResponse.auth_bytes", n, end - o)
    auth_bytes = bytes(b[o : o + n])
    o += n
    (session_lifetime_ms,) = unpack_q(b, o)
    o += 8
    e = new(SaslAuthenticateResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.auth_bytes = auth_bytes
    e.session_lifetime_ms = session_lifetime_ms
    return e, o


def _write_sasl_authenticate_response_v1(e: SaslAuthenticateResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    auth_bytes = e.auth_bytes
    put(pack_i(len(auth_bytes)))
    put(auth_bytes)
    put(pack_q(e.session_lifetime_ms))


def _read_sasl_authenticate_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[SaslAuthenticateResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("SaslAuthenticateResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SaslAuthenticateResponse.auth_bytes")
    if n > end - o:
        raise short("SaslAuthenticateResponse.auth_bytes", n, end - o)
    auth_bytes = bytes(b[o : o + n])
    o += n
    (session_lifetime_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "SaslAuthenticateResponse") if b[o] else o + 1
    e = new(SaslAuthenticateResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.auth_bytes = auth_bytes
    e.session_lifetime_ms = session_lifetime_ms
    return e, o


def _write_sasl_authenticate_response_v2(e: SaslAuthenticateResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    auth_bytes = e.auth_bytes
    put(put_uvarint(len(auth_bytes) + 1))
    put(auth_bytes)
    put(pack_qB(e.session_lifetime_ms, 0))


SaslAuthenticateResponse.READERS = {
    0: _read_sasl_authenticate_response_v0,
    1: _read_sasl_authenticate_response_v1,
    2: _read_sasl_authenticate_response_v2,
}
SaslAuthenticateResponse.WRITERS = {
    0: _write_sasl_authenticate_response_v0,
    1: _write_sasl_authenticate_response_v1,
    2: _write_sasl_authenticate_response_v2,
}
