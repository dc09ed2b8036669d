"""SyncGroupResponse (key 14), versions 0 to 5. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class SyncGroupResponse(Response):
    """The response of API 14."""

    KEY: ClassVar = 14
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code", "protocol_type", "protocol_name", "assignment")
    throttle_time_ms: int  # from version 1
    error_code: ErrorCode
    protocol_type: str | None  # from version 5
    protocol_name: str | None  # from version 5
    assignment: bytes

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment


def _read_sync_group_response_v0(b: Buffer, o: int, end: int) -> tuple[SyncGroupResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupResponse.assignment")
    if n > end - o:
        raise short("SyncGroupResponse.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e = new(SyncGroupResponse)
    e.throttle_time_ms = 0
    e.error_code = error_code
    e.protocol_type = None
    e.protocol_name = None
    e.assignment = assignment
    return e, o


def _write_sync_group_response_v0(e: SyncGroupResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_sync_group_response_v1(b: Buffer, o: int, end: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupResponse.assignment")
    if n > end - o:
        raise short("SyncGroupResponse.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e = new(SyncGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.protocol_type = None
    e.protocol_name = None
    e.assignment = assignment
    return e, o


def _write_sync_group_response_v1(e: SyncGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_sync_group_response_v4(b: Buffer, o: int, end: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupResponse.assignment")
    if n > end - o:
        raise short("SyncGroupResponse.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "SyncGroupResponse") if b[o] else o + 1
    e = new(SyncGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.protocol_type = None
    e.protocol_name = None
    e.assignment = assignment
    return e, o


def _write_sync_group_response_v4(e: SyncGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    assignment = e.assignment
    put(put_uvarint(len(assignment) + 1))
    put(assignment)
    put(b"\0")


def _read_sync_group_response_v5(b: Buffer, o: int, end: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    protocol_type: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        protocol_type = None
    else:
        if n > end - o:
            raise short("SyncGroupResponse.protocol_type", n, end - o)
        protocol_type = str(b[o : o + n], "utf-8")
        o += n
    protocol_name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        protocol_name = None
    else:
        if n > end - o:
            raise short("SyncGroupResponse.protocol_name", n, end - o)
        protocol_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupResponse.assignment")
    if n > end - o:
        raise short("SyncGroupResponse.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "SyncGroupResponse") if b[o] else o + 1
    e = new(SyncGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.protocol_type = protocol_type
    e.protocol_name = protocol_name
    e.assignment = assignment
    return e, o


def _write_sync_group_response_v5(e: SyncGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    protocol_type = e.protocol_type
    if protocol_type is None:
        put(b"\0")
    else:
        raw = protocol_type.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    protocol_name = e.protocol_name
    if protocol_name is None:
        put(b"\0")
    else:
        raw = protocol_name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    assignment = e.assignment
    put(put_uvarint(len(assignment) + 1))
    put(assignment)
    put(b"\0")


SyncGroupResponse.READERS = {
    0: _read_sync_group_response_v0,
    1: _read_sync_group_response_v1,
    2: _read_sync_group_response_v1,
    3: _read_sync_group_response_v1,
    4: _read_sync_group_response_v4,
    5: _read_sync_group_response_v5,
}
SyncGroupResponse.WRITERS = {
    0: _write_sync_group_response_v0,
    1: _write_sync_group_response_v1,
    2: _write_sync_group_response_v1,
    3: _write_sync_group_response_v1,
    4: _write_sync_group_response_v4,
    5: _write_sync_group_response_v5,
}
