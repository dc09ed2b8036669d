"""CreateDelegationTokenResponse (key 38), versions 1 to 3. Written by `tools.messages`."""

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
pack_iB = Struct(">iB").pack
pack_qqq = Struct(">qqq").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_qqq = Struct(">qqq").unpack_from


class CreateDelegationTokenResponse(Response):
    """The response of API 38."""

    KEY: ClassVar = 38
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = (
        "error_code",
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp_ms",
        "expiry_timestamp_ms",
        "max_timestamp_ms",
        "token_id",
        "hmac",
        "throttle_time_ms",
    )
    error_code: ErrorCode
    principal_type: str
    principal_name: str
    token_requester_principal_type: str  # from version 3
    token_requester_principal_name: str  # from version 3
    issue_timestamp_ms: int
    expiry_timestamp_ms: int
    max_timestamp_ms: int
    token_id: str
    hmac: bytes
    throttle_time_ms: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms


def _read_create_delegation_token_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_type")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_name")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = unpack_qqq(b, o)
    o += 24
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreateDelegationTokenResponse.token_id")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateDelegationTokenResponse.hmac")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(CreateDelegationTokenResponse)
    e.error_code = error_code
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = ""
    e.token_requester_principal_name = ""
    e.issue_timestamp_ms = issue_timestamp_ms
    e.expiry_timestamp_ms = expiry_timestamp_ms
    e.max_timestamp_ms = max_timestamp_ms
    e.token_id = token_id
    e.hmac = hmac
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_create_delegation_token_response_v1(e: CreateDelegationTokenResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qqq(e.issue_timestamp_ms, e.expiry_timestamp_ms, e.max_timestamp_ms))
    token_id = e.token_id
    raw = token_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    hmac = e.hmac
    put(pack_i(len(hmac)))
    put(hmac)
    put(pack_i(e.throttle_time_ms))


def _read_create_delegation_token_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_type")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_name")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = unpack_qqq(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.token_id")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.hmac")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "CreateDelegationTokenResponse") if b[o] else o + 1
    e = new(CreateDelegationTokenResponse)
    e.error_code = error_code
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = ""
    e.token_requester_principal_name = ""
    e.issue_timestamp_ms = issue_timestamp_ms
    e.expiry_timestamp_ms = expiry_timestamp_ms
    e.max_timestamp_ms = max_timestamp_ms
    e.token_id = token_id
    e.hmac = hmac
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_create_delegation_token_response_v2(e: CreateDelegationTokenResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qqq(e.issue_timestamp_ms, e.expiry_timestamp_ms, e.max_timestamp_ms))
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    hmac = e.hmac
    put(put_uvarint(len(hmac) + 1))
    put(hmac)
    put(pack_iB(e.throttle_time_ms, 0))


def _read_create_delegation_token_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_type")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.principal_name")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.token_requester_principal_type")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.token_requester_principal_type", n, end - o)
    token_requester_principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.token_requester_principal_name")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.token_requester_principal_name", n, end - o)
    token_requester_principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = unpack_qqq(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.token_id")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenResponse.hmac")
    if n > end - o:
        raise short("CreateDelegationTokenResponse.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "CreateDelegationTokenResponse") if b[o] else o + 1
    e = new(CreateDelegationTokenResponse)
    e.error_code = error_code
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = token_requester_principal_type
    e.token_requester_principal_name = token_requester_principal_name
    e.issue_timestamp_ms = issue_timestamp_ms
    e.expiry_timestamp_ms = expiry_timestamp_ms
    e.max_timestamp_ms = max_timestamp_ms
    e.token_id = token_id
    e.hmac = hmac
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_create_delegation_token_response_v3(e: CreateDelegationTokenResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    token_requester_principal_type = e.token_requester_principal_type
    raw = token_requester_principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    token_requester_principal_name = e.token_requester_principal_name
    raw = token_requester_principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qqq(e.issue_timestamp_ms, e.expiry_timestamp_ms, e.max_timestamp_ms))
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    hmac = e.hmac
    put(put_uvarint(len(hmac) + 1))
    put(hmac)
    put(pack_iB(e.throttle_time_ms, 0))


CreateDelegationTokenResponse.READERS = {
    1: _read_create_delegation_token_response_v1,
    2: _read_create_delegation_token_response_v2,
    3: _read_create_delegation_token_response_v3,
}
CreateDelegationTokenResponse.WRITERS = {
    1: _write_create_delegation_token_response_v1,
    2: _write_create_delegation_token_response_v2,
    3: _write_create_delegation_token_response_v3,
}
