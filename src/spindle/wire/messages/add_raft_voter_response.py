"""AddRaftVoterResponse (key 80), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Put, Response, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_ih = Struct(">ih").pack
unpack_ih = Struct(">ih").unpack_from


class AddRaftVoterResponse(Response):
    """The response of API 80."""

    KEY: ClassVar = 80
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message


def _read_add_raft_voter_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddRaftVoterResponse, int]:
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
            raise short("AddRaftVoterResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "AddRaftVoterResponse") if b[o] else o + 1
    e = new(AddRaftVoterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_add_raft_voter_response_v0(e: AddRaftVoterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


AddRaftVoterResponse.READERS = {
    0: _read_add_raft_voter_response_v0,
    1: _read_add_raft_voter_response_v0,
}
AddRaftVoterResponse.WRITERS = {
    0: _write_add_raft_voter_response_v0,
    1: _write_add_raft_voter_response_v0,
}
