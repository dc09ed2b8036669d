"""LeaveGroupResponse (key 13), versions 0 to 5. Written by `tools.messages`."""

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
pack_hB = Struct(">hB").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class MemberResponse(Message):
    """A part of LeaveGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "error_code")
    member_id: str
    group_instance_id: str | None
    error_code: ErrorCode

    def __init__(
        self,
        *,
        member_id: str = "",
        group_instance_id: str | None = None,
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code


class LeaveGroupResponse(Response):
    """The response of API 13."""

    KEY: ClassVar = 13
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code", "members")
    throttle_time_ms: int  # from version 1
    error_code: ErrorCode
    members: Sequence[MemberResponse]  # from version 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        members: Sequence[MemberResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = members


def _read_member_response_v3(b: Buffer, o: int, end: int) -> tuple[MemberResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberResponse.member_id")
    if n > end - o:
        raise short("MemberResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("MemberResponse.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(MemberResponse)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.error_code = error_code
    return e, o


def _write_member_response_v3(e: MemberResponse, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\xff\xff")
    else:
        raw = group_instance_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_h(e.error_code))


def _read_member_response_v4(b: Buffer, o: int, end: int) -> tuple[MemberResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberResponse.member_id")
    if n > end - o:
        raise short("MemberResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("MemberResponse.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "MemberResponse") if b[o] else o + 1
    e = new(MemberResponse)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.error_code = error_code
    return e, o


def _write_member_response_v4(e: MemberResponse, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\0")
    else:
        raw = group_instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_hB(e.error_code, 0))


def _read_leave_group_response_v0(b: Buffer, o: int, end: int) -> tuple[LeaveGroupResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(LeaveGroupResponse)
    e.throttle_time_ms = 0
    e.error_code = error_code
    e.members = ()
    return e, o


def _write_leave_group_response_v0(e: LeaveGroupResponse, put: Put) -> None:
    put(pack_h(e.error_code))


def _read_leave_group_response_v1(b: Buffer, o: int, end: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(LeaveGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.members = ()
    return e, o


def _write_leave_group_response_v1(e: LeaveGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))


def _read_leave_group_response_v3(b: Buffer, o: int, end: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("LeaveGroupResponse.members")
    if n * 6 > end - o:
        raise short("LeaveGroupResponse.members", n * 6, end - o)
    all_members: list[MemberResponse] = []
    for _ in range(n):
        one_members, o = _read_member_response_v3(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(LeaveGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.members = members
    return e, o


def _write_leave_group_response_v3(e: LeaveGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_member_response_v3(one_members, put)


def _read_leave_group_response_v4(b: Buffer, o: int, end: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupResponse.members")
    if n * 5 > end - o:
        raise short("LeaveGroupResponse.members", n * 5, end - o)
    all_members: list[MemberResponse] = []
    for _ in range(n):
        one_members, o = _read_member_response_v4(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "LeaveGroupResponse") if b[o] else o + 1
    e = new(LeaveGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.members = members
    return e, o


def _write_leave_group_response_v4(e: LeaveGroupResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_member_response_v4(one_members, put)
    put(b"\0")


LeaveGroupResponse.READERS = {
    0: _read_leave_group_response_v0,
    1: _read_leave_group_response_v1,
    2: _read_leave_group_response_v1,
    3: _read_leave_group_response_v3,
    4: _read_leave_group_response_v4,
    5: _read_leave_group_response_v4,
}
MemberResponse.WRITERS = {
    3: _write_member_response_v3,
    4: _write_member_response_v4,
    5: _write_member_response_v4,
}
LeaveGroupResponse.WRITERS = {
    0: _write_leave_group_response_v0,
    1: _write_leave_group_response_v1,
    2: _write_leave_group_response_v1,
    3: _write_leave_group_response_v3,
    4: _write_leave_group_response_v4,
    5: _write_leave_group_response_v4,
}
