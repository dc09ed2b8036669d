"""AlterLogDirStateResponse (key 30113), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class AlterLogDirStateResponse(Response):
    """The response of API 30113."""

    KEY: ClassVar = 30113
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("error_code", "error_message", "outcome")
    error_code: ErrorCode
    error_message: str | None
    outcome: str

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        outcome: str = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.outcome = outcome


def _read_alter_log_dir_state_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterLogDirStateResponse, int]:
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
            raise short("AlterLogDirStateResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterLogDirStateResponse.outcome")
    if n > end - o:
        raise short("AlterLogDirStateResponse.outcome", n, end - o)
    outcome = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "AlterLogDirStateResponse") if b[o] else o + 1
    e = new(AlterLogDirStateResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.outcome = outcome
    return e, o


def _write_alter_log_dir_state_response_v0(e: AlterLogDirStateResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    outcome = e.outcome
    raw = outcome.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


AlterLogDirStateResponse.READERS = {
    0: _read_alter_log_dir_state_response_v0,
    1: _read_alter_log_dir_state_response_v0,
}
AlterLogDirStateResponse.WRITERS = {
    0: _write_alter_log_dir_state_response_v0,
    1: _write_alter_log_dir_state_response_v0,
}
