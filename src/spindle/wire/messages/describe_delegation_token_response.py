"""DescribeDelegationTokenResponse (key 41), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_qqq = Struct(">qqq").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_qqq = Struct(">qqq").unpack_from


class DescribedDelegationTokenRenewer(Message):
    """A part of DescribeDelegationTokenResponse."""

    __slots__ = ("principal_type", "principal_name")
    principal_type: str
    principal_name: str

    def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribedDelegationToken(Message):
    """A part of DescribeDelegationTokenResponse."""

    __slots__ = (
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp",
        "expiry_timestamp",
        "max_timestamp",
        "token_id",
        "hmac",
        "renewers",
    )
    principal_type: str
    principal_name: str
    token_requester_principal_type: str  # from version 3
    token_requester_principal_name: str  # from version 3
    issue_timestamp: int
    expiry_timestamp: int
    max_timestamp: int
    token_id: str
    hmac: bytes
    renewers: Sequence[DescribedDelegationTokenRenewer]

    def __init__(
        self,
        *,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        renewers: Sequence[DescribedDelegationTokenRenewer] = (),
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = renewers


class DescribeDelegationTokenResponse(Response):
    """The response of API 41."""

    KEY: ClassVar = 41
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("error_code", "tokens", "throttle_time_ms")
    error_code: ErrorCode
    tokens: Sequence[DescribedDelegationToken]
    throttle_time_ms: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        tokens: Sequence[DescribedDelegationToken] = (),
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.tokens = tokens
        self.throttle_time_ms = throttle_time_ms


def _read_described_delegation_token_renewer_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribedDelegationTokenRenewer, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedDelegationTokenRenewer.principal_type")
    if n > end - o:
        raise short("DescribedDelegationTokenRenewer.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedDelegationTokenRenewer.principal_name")
    if n > end - o:
        raise short("DescribedDelegationTokenRenewer.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    e = new(DescribedDelegationTokenRenewer)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_described_delegation_token_renewer_v1(
    e: DescribedDelegationTokenRenewer, put: Put
) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_described_delegation_token_renewer_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribedDelegationTokenRenewer, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationTokenRenewer.principal_type")
    if n > end - o:
        raise short("DescribedDelegationTokenRenewer.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationTokenRenewer.principal_name")
    if n > end - o:
        raise short("DescribedDelegationTokenRenewer.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "DescribedDelegationTokenRenewer") if b[o] else o + 1
    e = new(DescribedDelegationTokenRenewer)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_described_delegation_token_renewer_v2(
    e: DescribedDelegationTokenRenewer, put: Put
) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_described_delegation_token_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribedDelegationToken, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedDelegationToken.principal_type")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedDelegationToken.principal_name")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp, expiry_timestamp, max_timestamp = unpack_qqq(b, o)
    o += 24
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedDelegationToken.token_id")
    if n > end - o:
        raise short("DescribedDelegationToken.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedDelegationToken.hmac")
    if n > end - o:
        raise short("DescribedDelegationToken.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedDelegationToken.renewers")
    if n * 4 > end - o:
        raise short("DescribedDelegationToken.renewers", n * 4, end - o)
    all_renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        one_renewers, o = _read_described_delegation_token_renewer_v1(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    e = new(DescribedDelegationToken)
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = ""
    e.token_requester_principal_name = ""
    e.issue_timestamp = issue_timestamp
    e.expiry_timestamp = expiry_timestamp
    e.max_timestamp = max_timestamp
    e.token_id = token_id
    e.hmac = hmac
    e.renewers = renewers
    return e, o


def _write_described_delegation_token_v1(e: DescribedDelegationToken, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qqq(e.issue_timestamp, e.expiry_timestamp, e.max_timestamp))
    token_id = e.token_id
    raw = token_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    hmac = e.hmac
    put(pack_i(len(hmac)))
    put(hmac)
    renewers = e.renewers
    put(pack_i(len(renewers)))
    if type(renewers) is Packed:
        for piece in renewers.pieces:
            put(piece)
    else:
        for one_renewers in renewers:
            _write_described_delegation_token_renewer_v1(one_renewers, put)


def _read_described_delegation_token_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribedDelegationToken, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.principal_type")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.principal_name")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp, expiry_timestamp, max_timestamp = unpack_qqq(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.token_id")
    if n > end - o:
        raise short("DescribedDelegationToken.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.hmac")
    if n > end - o:
        raise short("DescribedDelegationToken.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.renewers")
    if n * 3 > end - o:
        raise short("DescribedDelegationToken.renewers", n * 3, end - o)
    all_renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        one_renewers, o = _read_described_delegation_token_renewer_v2(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    o = skip_tags(b, o, end, "DescribedDelegationToken") if b[o] else o + 1
    e = new(DescribedDelegationToken)
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = ""
    e.token_requester_principal_name = ""
    e.issue_timestamp = issue_timestamp
    e.expiry_timestamp = expiry_timestamp
    e.max_timestamp = max_timestamp
    e.token_id = token_id
    e.hmac = hmac
    e.renewers = renewers
    return e, o


def _write_described_delegation_token_v2(e: DescribedDelegationToken, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qqq(e.issue_timestamp, e.expiry_timestamp, e.max_timestamp))
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    hmac = e.hmac
    put(put_uvarint(len(hmac) + 1))
    put(hmac)
    renewers = e.renewers
    put(put_uvarint(len(renewers) + 1))
    if type(renewers) is Packed:
        for piece in renewers.pieces:
            put(piece)
    else:
        for one_renewers in renewers:
            _write_described_delegation_token_renewer_v2(one_renewers, put)
    put(b"\0")


def _read_described_delegation_token_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribedDelegationToken, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.principal_type")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.principal_name")
    if n > end - o:
        raise short("DescribedDelegationToken.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.token_requester_principal_type")
    if n > end - o:
        raise short("DescribedDelegationToken.token_requester_principal_type", n, end - o)
    token_requester_principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.token_requester_principal_name")
    if n > end - o:
        raise short("DescribedDelegationToken.token_requester_principal_name", n, end - o)
    token_requester_principal_name = str(b[o : o + n], "utf-8")
    o += n
    issue_timestamp, expiry_timestamp, max_timestamp = unpack_qqq(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.token_id")
    if n > end - o:
        raise short("DescribedDelegationToken.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.hmac")
    if n > end - o:
        raise short("DescribedDelegationToken.hmac", n, end - o)
    hmac = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedDelegationToken.renewers")
    if n * 3 > end - o:
        raise short("DescribedDelegationToken.renewers", n * 3, end - o)
    all_renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        one_renewers, o = _read_described_delegation_token_renewer_v2(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    o = skip_tags(b, o, end, "DescribedDelegationToken") if b[o] else o + 1
    e = new(DescribedDelegationToken)
    e.principal_type = principal_type
    e.principal_name = principal_name
    e.token_requester_principal_type = token_requester_principal_type
    e.token_requester_principal_name = token_requester_principal_name
    e.issue_timestamp = issue_timestamp
    e.expiry_timestamp = expiry_timestamp
    e.max_timestamp = max_timestamp
    e.token_id = token_id
    e.hmac = hmac
    e.renewers = renewers
    return e, o


def _write_described_delegation_token_v3(e: DescribedDelegationToken, put: Put) -> None:
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
    put(pack_qqq(e.issue_timestamp, e.expiry_timestamp, e.max_timestamp))
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    hmac = e.hmac
    put(put_uvarint(len(hmac) + 1))
    put(hmac)
    renewers = e.renewers
    put(put_uvarint(len(renewers) + 1))
    if type(renewers) is Packed:
        for piece in renewers.pieces:
            put(piece)
    else:
        for one_renewers in renewers:
            _write_described_delegation_token_renewer_v2(one_renewers, put)
    put(b"\0")


def _read_describe_delegation_token_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeDelegationTokenResponse.tokens")
    if n * 38 > end - o:
        raise short("DescribeDelegationTokenResponse.tokens", n * 38, end - o)
    all_tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        one_tokens, o = _read_described_delegation_token_v1(b, o, end)
        all_tokens.append(one_tokens)
    tokens = tuple(all_tokens)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(DescribeDelegationTokenResponse)
    e.error_code = error_code
    e.tokens = tokens
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_describe_delegation_token_response_v1(
    e: DescribeDelegationTokenResponse, put: Put
) -> None:
    put(pack_h(e.error_code))
    tokens = e.tokens
    put(pack_i(len(tokens)))
    if type(tokens) is Packed:
        for piece in tokens.pieces:
            put(piece)
    else:
        for one_tokens in tokens:
            _write_described_delegation_token_v1(one_tokens, put)
    put(pack_i(e.throttle_time_ms))


def _read_describe_delegation_token_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeDelegationTokenResponse.tokens")
    if n * 30 > end - o:
        raise short("DescribeDelegationTokenResponse.tokens", n * 30, end - o)
    all_tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        one_tokens, o = _read_described_delegation_token_v2(b, o, end)
        all_tokens.append(one_tokens)
    tokens = tuple(all_tokens)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeDelegationTokenResponse") if b[o] else o + 1
    e = new(DescribeDelegationTokenResponse)
    e.error_code = error_code
    e.tokens = tokens
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_describe_delegation_token_response_v2(
    e: DescribeDelegationTokenResponse, put: Put
) -> None:
    put(pack_h(e.error_code))
    tokens = e.tokens
    put(put_uvarint(len(tokens) + 1))
    if type(tokens) is Packed:
        for piece in tokens.pieces:
            put(piece)
    else:
        for one_tokens in tokens:
            _write_described_delegation_token_v2(one_tokens, put)
    put(pack_iB(e.throttle_time_ms, 0))


def _read_describe_delegation_token_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeDelegationTokenResponse.tokens")
    if n * 32 > end - o:
        raise short("DescribeDelegationTokenResponse.tokens", n * 32, end - o)
    all_tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        one_tokens, o = _read_described_delegation_token_v3(b, o, end)
        all_tokens.append(one_tokens)
    tokens = tuple(all_tokens)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeDelegationTokenResponse") if b[o] else o + 1
    e = new(DescribeDelegationTokenResponse)
    e.error_code = error_code
    e.tokens = tokens
    e.throttle_time_ms = throttle_time_ms
    return e, o


def _write_describe_delegation_token_response_v3(
    e: DescribeDelegationTokenResponse, put: Put
) -> None:
    put(pack_h(e.error_code))
    tokens = e.tokens
    put(put_uvarint(len(tokens) + 1))
    if type(tokens) is Packed:
        for piece in tokens.pieces:
            put(piece)
    else:
        for one_tokens in tokens:
            _write_described_delegation_token_v3(one_tokens, put)
    put(pack_iB(e.throttle_time_ms, 0))


DescribeDelegationTokenResponse.READERS = {
    1: _read_describe_delegation_token_response_v1,
    2: _read_describe_delegation_token_response_v2,
    3: _read_describe_delegation_token_response_v3,
}
DescribedDelegationTokenRenewer.WRITERS = {
    1: _write_described_delegation_token_renewer_v1,
    2: _write_described_delegation_token_renewer_v2,
    3: _write_described_delegation_token_renewer_v2,
}
DescribedDelegationToken.WRITERS = {
    1: _write_described_delegation_token_v1,
    2: _write_described_delegation_token_v2,
    3: _write_described_delegation_token_v3,
}
DescribeDelegationTokenResponse.WRITERS = {
    1: _write_describe_delegation_token_response_v1,
    2: _write_describe_delegation_token_response_v2,
    3: _write_describe_delegation_token_response_v3,
}
