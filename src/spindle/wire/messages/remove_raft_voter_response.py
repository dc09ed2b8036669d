"""RemoveRaftVoterResponse (key 81), version 0. Written by `tools.messages`."""

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


class RemoveRaftVoterResponse(Response):
    """The response of API 81."""

    KEY: ClassVar = 81
    VERSIONS: ClassVar = range(1)
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


def _read_remove_raft_voter_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[RemoveRaftVoterResponse, int]:
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
            raise short("RemoveRaftVoterResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "RemoveRaftVoterResponse") if b[o] else o + 1
    e = new(RemoveRaftVoterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_remove_raft_voter_response_v0(e: RemoveRaftVoterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


RemoveRaftVoterResponse.READERS = {
    0: _read_remove_raft_voter_response_v0,
}
RemoveRaftVoterResponse.WRITERS = {
    0: _write_remove_raft_voter_response_v0,
}
