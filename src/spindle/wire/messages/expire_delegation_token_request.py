"""ExpireDelegationTokenRequest (key 40), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from


class ExpireDelegationTokenRequest(Request[ExpireDelegationTokenResponse]):
    """The request of API 40."""

    KEY: ClassVar = 40
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("hmac", "expiry_time_period_ms")
    hmac: bytes
    expiry_time_period_ms: int

    def __init__(self, *, hmac: bytes = b"", expiry_time_period_ms: int = 0) -> None:
        self.hmac = hmac
        self.expiry_time_period_ms = expiry_time_period_ms


def _read_expire_delegation_token_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ExpireDelegationTokenRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ExpireDelegationTokenRequest.hmac")
    if n > end - o:
        raise short("ExpireDelegationTokenRequest.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (expiry_time_period_ms,) = unpack_q(b, o)
    o += 8
    e = new(ExpireDelegationTokenRequest)
    e.hmac = hmac
    e.expiry_time_period_ms = expiry_time_period_ms
    return e, o


def _write_expire_delegation_token_request_v1(e: ExpireDelegationTokenRequest, put: Put) -> None:
    hmac = e.hmac
    put(pack_i(len(hmac)))
    put(hmac)
    put(pack_q(e.expiry_time_period_ms))


def _read_expire_delegation_token_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[ExpireDelegationTokenRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ExpireDelegationTokenRequest.hmac")
    if n > end - o:
        raise short("ExpireDelegationTokenRequest.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (expiry_time_period_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "ExpireDelegationTokenRequest") if b[o] else o + 1
    e = new(ExpireDelegationTokenRequest)
    e.hmac = hmac
    e.expiry_time_period_ms = expiry_time_period_ms
    return e, o


def _write_expire_delegation_token_request_v2(e: ExpireDelegationTokenRequest, put: Put) -> None:
    hmac = e.hmac
    put(put_uvarint(len(hmac) + 1))
    put(hmac)
    put(pack_qB(e.expiry_time_period_ms, 0))


ExpireDelegationTokenRequest.RESPONSE = ExpireDelegationTokenResponse
ExpireDelegationTokenRequest.READERS = {
    1: _read_expire_delegation_token_request_v1,
    2: _read_expire_delegation_token_request_v2,
}
ExpireDelegationTokenRequest.WRITERS = {
    1: _write_expire_delegation_token_request_v1,
    2: _write_expire_delegation_token_request_v2,
}
