"""LeaveGroupRequest (key 13), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.leave_group_response import LeaveGroupResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class MemberIdentity(Message):
    """A part of LeaveGroupRequest."""

    __slots__ = ("member_id", "group_instance_id", "reason")
    member_id: str
    group_instance_id: str | None
    reason: str | None  # from version 5

    def __init__(
        self,
        *,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason


class LeaveGroupRequest(Request[LeaveGroupResponse]):
    """The request of API 13."""

    KEY: ClassVar = 13
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = ("group_id", "members", "member_id")
    group_id: str
    members: Sequence[MemberIdentity]  # from version 3
    member_id: str  # until version 2

    def __init__(
        self, *, group_id: str = "", members: Sequence[MemberIdentity] = (), member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.members = members
        self.member_id = member_id


def _read_member_identity_v3(b: Buffer, o: int, end: int) -> tuple[MemberIdentity, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberIdentity.member_id")
    if n > end - o:
        raise short("MemberIdentity.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("MemberIdentity.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    e = new(MemberIdentity)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.reason = None
    return e, o


def _write_member_identity_v3(e: MemberIdentity, put: Put) -> None:
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


def _read_member_identity_v4(b: Buffer, o: int, end: int) -> tuple[MemberIdentity, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberIdentity.member_id")
    if n > end - o:
        raise short("MemberIdentity.member_id", n, end - o)
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
            raise short("MemberIdentity.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "MemberIdentity") if b[o] else o + 1
    e = new(MemberIdentity)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.reason = None
    return e, o


def _write_member_identity_v4(e: MemberIdentity, put: Put) -> None:
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
    put(b"\0")


def _read_member_identity_v5(b: Buffer, o: int, end: int) -> tuple[MemberIdentity, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberIdentity.member_id")
    if n > end - o:
        raise short("MemberIdentity.member_id", n, end - o)
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
            raise short("MemberIdentity.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    reason: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        reason = None
    else:
        if n > end - o:
            raise short("MemberIdentity.reason", n, end - o)
        reason = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "MemberIdentity") if b[o] else o + 1
    e = new(MemberIdentity)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.reason = reason
    return e, o


def _write_member_identity_v5(e: MemberIdentity, put: Put) -> None:
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
    reason = e.reason
    if reason is None:
        put(b"\0")
    else:
        raw = reason.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_leave_group_request_v0(b: Buffer, o: int, end: int) -> tuple[LeaveGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("LeaveGroupRequest.member_id")
    if n > end - o:
        raise short("LeaveGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = ()
    e.member_id = member_id
    return e, o


def _write_leave_group_request_v0(e: LeaveGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_leave_group_request_v3(b: Buffer, o: int, end: int) -> tuple[LeaveGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 4 > end - o:
        raise short("LeaveGroupRequest.members", n * 4, end - o)
    all_members: list[MemberIdentity] = []
    for _ in range(n):
        one_members, o = _read_member_identity_v3(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


def _write_leave_group_request_v3(e: LeaveGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    for one_members in members:
        _write_member_identity_v3(one_members, put)


def _walk_leave_group_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[LeaveGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 4 > end - o:
        raise short("LeaveGroupRequest.members", n * 4, end - o)
    members, o = yield from read_each(_read_member_identity_v3, b, o, end, at, n)
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


def _read_leave_group_request_v4(b: Buffer, o: int, end: int) -> tuple[LeaveGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 3 > end - o:
        raise short("LeaveGroupRequest.members", n * 3, end - o)
    all_members: list[MemberIdentity] = []
    for _ in range(n):
        one_members, o = _read_member_identity_v4(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "LeaveGroupRequest") if b[o] else o + 1
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


def _write_leave_group_request_v4(e: LeaveGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    for one_members in members:
        _write_member_identity_v4(one_members, put)
    put(b"\0")


def _walk_leave_group_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[LeaveGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 3 > end - o:
        raise short("LeaveGroupRequest.members", n * 3, end - o)
    members, o = yield from read_each(_read_member_identity_v4, b, o, end, at, n)
    o = skip_tags(b, o, end, "LeaveGroupRequest") if b[o] else o + 1
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


def _read_leave_group_request_v5(b: Buffer, o: int, end: int) -> tuple[LeaveGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 4 > end - o:
        raise short("LeaveGroupRequest.members", n * 4, end - o)
    all_members: list[MemberIdentity] = []
    for _ in range(n):
        one_members, o = _read_member_identity_v5(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "LeaveGroupRequest") if b[o] else o + 1
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


def _write_leave_group_request_v5(e: LeaveGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    for one_members in members:
        _write_member_identity_v5(one_members, put)
    put(b"\0")


def _walk_leave_group_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[LeaveGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.group_id")
    if n > end - o:
        raise short("LeaveGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaveGroupRequest.members")
    if n * 4 > end - o:
        raise short("LeaveGroupRequest.members", n * 4, end - o)
    members, o = yield from read_each(_read_member_identity_v5, b, o, end, at, n)
    o = skip_tags(b, o, end, "LeaveGroupRequest") if b[o] else o + 1
    e = new(LeaveGroupRequest)
    e.group_id = group_id
    e.members = members
    e.member_id = ""
    return e, o


LeaveGroupRequest.RESPONSE = LeaveGroupResponse
LeaveGroupRequest.WALKERS = {
    3: _walk_leave_group_request_v3,
    4: _walk_leave_group_request_v4,
    5: _walk_leave_group_request_v5,
}
LeaveGroupRequest.READERS = {
    0: _read_leave_group_request_v0,
    1: _read_leave_group_request_v0,
    2: _read_leave_group_request_v0,
    3: _read_leave_group_request_v3,
    4: _read_leave_group_request_v4,
    5: _read_leave_group_request_v5,
}
LeaveGroupRequest.WRITERS = {
    0: _write_leave_group_request_v0,
    1: _write_leave_group_request_v0,
    2: _write_leave_group_request_v0,
    3: _write_leave_group_request_v3,
    4: _write_leave_group_request_v4,
    5: _write_leave_group_request_v5,
}
