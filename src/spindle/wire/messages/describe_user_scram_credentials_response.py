"""DescribeUserScramCredentialsResponse (key 50), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_biB = Struct(">biB").pack
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
unpack_bi = Struct(">bi").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from


class CredentialInfo(Message):
    """A part of DescribeUserScramCredentialsResponse."""

    __slots__ = ("mechanism", "iterations")
    mechanism: int
    iterations: int

    def __init__(self, *, mechanism: int = 0, iterations: int = 0) -> None:
        self.mechanism = mechanism
        self.iterations = iterations


class DescribeUserScramCredentialsResult(Message):
    """A part of DescribeUserScramCredentialsResponse."""

    __slots__ = ("user", "error_code", "error_message", "credential_infos")
    user: str
    error_code: ErrorCode
    error_message: str | None
    credential_infos: Sequence[CredentialInfo]

    def __init__(
        self,
        *,
        user: str = "",
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        credential_infos: Sequence[CredentialInfo] = (),
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = credential_infos


class DescribeUserScramCredentialsResponse(Response):
    """The response of API 50."""

    KEY: ClassVar = 50
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    results: Sequence[DescribeUserScramCredentialsResult]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        results: Sequence[DescribeUserScramCredentialsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results


def _read_credential_info_v0(b: Buffer, o: int, end: int) -> tuple[CredentialInfo, int]:
    mechanism, iterations = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "CredentialInfo") if b[o] else o + 1
    e = new(CredentialInfo)
    e.mechanism = mechanism
    e.iterations = iterations
    return e, o


def _write_credential_info_v0(e: CredentialInfo, put: Put) -> None:
    put(pack_biB(e.mechanism, e.iterations, 0))


def _read_describe_user_scram_credentials_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeUserScramCredentialsResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeUserScramCredentialsResult.user")
    if n > end - o:
        raise short("DescribeUserScramCredentialsResult.user", n, end - o)
    user = str(b[o : o + n], "utf-8")
    o += n
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
            raise short("DescribeUserScramCredentialsResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeUserScramCredentialsResult.credential_infos")
    if n * 6 > end - o:
        raise short("DescribeUserScramCredentialsResult.credential_infos", n * 6, end - o)
    all_credential_infos: list[CredentialInfo] = []
    for _ in range(n):
        one_credential_infos, o = _read_credential_info_v0(b, o, end)
        all_credential_infos.append(one_credential_infos)
    credential_infos = tuple(all_credential_infos)
    o = skip_tags(b, o, end, "DescribeUserScramCredentialsResult") if b[o] else o + 1
    e = new(DescribeUserScramCredentialsResult)
    e.user = user
    e.error_code = error_code
    e.error_message = error_message
    e.credential_infos = credential_infos
    return e, o


def _write_describe_user_scram_credentials_result_v0(
    e: DescribeUserScramCredentialsResult, put: Put
) -> None:
    user = e.user
    raw = user.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    credential_infos = e.credential_infos
    put(put_uvarint(len(credential_infos) + 1))
    if type(credential_infos) is Packed:
        for piece in credential_infos.pieces:
            put(piece)
    else:
        for one_credential_infos in credential_infos:
            _write_credential_info_v0(one_credential_infos, put)
    put(b"\0")


def _read_describe_user_scram_credentials_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeUserScramCredentialsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
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
            raise short("DescribeUserScramCredentialsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeUserScramCredentialsResponse.results")
    if n * 6 > end - o:
        raise short("DescribeUserScramCredentialsResponse.results", n * 6, end - o)
    all_results: list[DescribeUserScramCredentialsResult] = []
    for _ in range(n):
        one_results, o = _read_describe_user_scram_credentials_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DescribeUserScramCredentialsResponse") if b[o] else o + 1
    e = new(DescribeUserScramCredentialsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.results = results
    return e, o


def _write_describe_user_scram_credentials_response_v0(
    e: DescribeUserScramCredentialsResponse, put: Put
) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_describe_user_scram_credentials_result_v0(one_results, put)
    put(b"\0")


DescribeUserScramCredentialsResponse.READERS = {
    0: _read_describe_user_scram_credentials_response_v0,
}
CredentialInfo.WRITERS = {
    0: _write_credential_info_v0,
}
DescribeUserScramCredentialsResult.WRITERS = {
    0: _write_describe_user_scram_credentials_result_v0,
}
DescribeUserScramCredentialsResponse.WRITERS = {
    0: _write_describe_user_scram_credentials_response_v0,
}
