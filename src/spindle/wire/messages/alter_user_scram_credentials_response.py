"""AlterUserScramCredentialsResponse (key 51), version 0. Written by `tools.messages`."""

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
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class AlterUserScramCredentialsResult(Message):
    """A part of AlterUserScramCredentialsResponse."""

    __slots__ = ("user", "error_code", "error_message")
    user: str
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        user: str = "",
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message


class AlterUserScramCredentialsResponse(Response):
    """The response of API 51."""

    KEY: ClassVar = 51
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "results")
    throttle_time_ms: int
    results: Sequence[AlterUserScramCredentialsResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, results: Sequence[AlterUserScramCredentialsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _read_alter_user_scram_credentials_result_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterUserScramCredentialsResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsResult.user")
    if n > end - o:
        raise short("AlterUserScramCredentialsResult.user", n, end - o)
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
            raise short("AlterUserScramCredentialsResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "AlterUserScramCredentialsResult") if b[o] else o + 1
    e = new(AlterUserScramCredentialsResult)
    e.user = user
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_alter_user_scram_credentials_result_v0(
    e: AlterUserScramCredentialsResult, put: Put
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
    put(b"\0")


def _read_alter_user_scram_credentials_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterUserScramCredentialsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsResponse.results")
    if n * 5 > end - o:
        raise short("AlterUserScramCredentialsResponse.results", n * 5, end - o)
    all_results: list[AlterUserScramCredentialsResult] = []
    for _ in range(n):
        one_results, o = _read_alter_user_scram_credentials_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "AlterUserScramCredentialsResponse") if b[o] else o + 1
    e = new(AlterUserScramCredentialsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.results = results
    return e, o


def _write_alter_user_scram_credentials_response_v0(
    e: AlterUserScramCredentialsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_alter_user_scram_credentials_result_v0(one_results, put)
    put(b"\0")


AlterUserScramCredentialsResponse.READERS = {
    0: _read_alter_user_scram_credentials_response_v0,
}
AlterUserScramCredentialsResult.WRITERS = {
    0: _write_alter_user_scram_credentials_result_v0,
}
AlterUserScramCredentialsResponse.WRITERS = {
    0: _write_alter_user_scram_credentials_response_v0,
}
