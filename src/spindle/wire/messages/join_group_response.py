"""JoinGroupResponse (key 11), versions 0 to 9. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, missing, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ihi = Struct(">ihi").pack
pack_t = Struct(">?").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_t = Struct(">?").unpack_from


class JoinGroupResponseMember(Message):
    """A part of JoinGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "metadata")
    member_id: str
    group_instance_id: str | None  # from version 5
    metadata: bytes

    def __init__(
        self, *, member_id: str = "", group_instance_id: str | None = None, metadata: bytes = b""
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata


class JoinGroupResponse(Response):
    """The response of API 11."""

    KEY: ClassVar = 11
    VERSIONS: ClassVar = range(10)
    FIRST_FLEXIBLE: ClassVar = 6
    THROTTLE_FROM: ClassVar = 2

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "generation_id",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "member_id",
        "members",
    )
    throttle_time_ms: int  # from version 2
    error_code: ErrorCode
    generation_id: int
    protocol_type: str | None  # from version 7
    protocol_name: str | None
    leader: str
    skip_assignment: bool  # from version 9
    member_id: str
    members: Sequence[JoinGroupResponseMember]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: Sequence[JoinGroupResponseMember] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = members


def _read_join_group_response_member_v0(
    b: Buffer, o: int, end: int
) -> tuple[JoinGroupResponseMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponseMember.member_id")
    if n > end - o:
        raise short("JoinGroupResponseMember.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupResponseMember.metadata")
    if n > end - o:
        raise short("JoinGroupResponseMember.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    e = new(JoinGroupResponseMember)
    e.member_id = member_id
    e.group_instance_id = None
    e.metadata = metadata
    return e, o


def _write_join_group_response_member_v0(e: JoinGroupResponseMember, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    metadata = e.metadata
    put(pack_i(len(metadata)))
    put(metadata)


def _read_join_group_response_member_v5(
    b: Buffer, o: int, end: int
) -> tuple[JoinGroupResponseMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponseMember.member_id")
    if n > end - o:
        raise short("JoinGroupResponseMember.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupResponseMember.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupResponseMember.metadata")
    if n > end - o:
        raise short("JoinGroupResponseMember.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    e = new(JoinGroupResponseMember)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.metadata = metadata
    return e, o


def _write_join_group_response_member_v5(e: JoinGroupResponseMember, put: Put) -> None:
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
    metadata = e.metadata
    put(pack_i(len(metadata)))
    put(metadata)


def _read_join_group_response_member_v6(
    b: Buffer, o: int, end: int
) -> tuple[JoinGroupResponseMember, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponseMember.member_id")
    if n > end - o:
        raise short("JoinGroupResponseMember.member_id", n, end - o)
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
            raise short("JoinGroupResponseMember.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponseMember.metadata")
    if n > end - o:
        raise short("JoinGroupResponseMember.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "JoinGroupResponseMember") if b[o] else o + 1
    e = new(JoinGroupResponseMember)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.metadata = metadata
    return e, o


def _write_join_group_response_member_v6(e: JoinGroupResponseMember, put: Put) -> None:
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
    metadata = e.metadata
    put(put_uvarint(len(metadata) + 1))
    put(metadata)
    put(b"\0")


def _read_join_group_response_v0(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    error_code, generation_id = unpack_hi(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.protocol_name")
    if n > end - o:
        raise short("JoinGroupResponse.protocol_name", n, end - o)
    protocol_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 6 > end - o:
        raise short("JoinGroupResponse.members", n * 6, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v0(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(JoinGroupResponse)
    e.throttle_time_ms = 0
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = None
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = False
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v0(e: JoinGroupResponse, put: Put) -> None:
    put(pack_hi(e.error_code, e.generation_id))
    protocol_name = e.protocol_name
    if protocol_name is None:
        raise missing("JoinGroupResponse.protocol_name")
    raw = protocol_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    leader = e.leader
    raw = leader.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v0(one_members, put)


def _read_join_group_response_v2(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.protocol_name")
    if n > end - o:
        raise short("JoinGroupResponse.protocol_name", n, end - o)
    protocol_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 6 > end - o:
        raise short("JoinGroupResponse.members", n * 6, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v0(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(JoinGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = None
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = False
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v2(e: JoinGroupResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.generation_id))
    protocol_name = e.protocol_name
    if protocol_name is None:
        raise missing("JoinGroupResponse.protocol_name")
    raw = protocol_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    leader = e.leader
    raw = leader.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v0(one_members, put)


def _read_join_group_response_v5(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.protocol_name")
    if n > end - o:
        raise short("JoinGroupResponse.protocol_name", n, end - o)
    protocol_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 8 > end - o:
        raise short("JoinGroupResponse.members", n * 8, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v5(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(JoinGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = None
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = False
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v5(e: JoinGroupResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.generation_id))
    protocol_name = e.protocol_name
    if protocol_name is None:
        raise missing("JoinGroupResponse.protocol_name")
    raw = protocol_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    leader = e.leader
    raw = leader.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v5(one_members, put)


def _read_join_group_response_v6(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.protocol_name")
    if n > end - o:
        raise short("JoinGroupResponse.protocol_name", n, end - o)
    protocol_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 4 > end - o:
        raise short("JoinGroupResponse.members", n * 4, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v6(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "JoinGroupResponse") if b[o] else o + 1
    e = new(JoinGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = None
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = False
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v6(e: JoinGroupResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.generation_id))
    protocol_name = e.protocol_name
    if protocol_name is None:
        raise missing("JoinGroupResponse.protocol_name")
    raw = protocol_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    leader = e.leader
    raw = leader.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v6(one_members, put)
    put(b"\0")


def _read_join_group_response_v7(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id = unpack_ihi(b, o)
    o += 10
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
            raise short("JoinGroupResponse.protocol_type", n, end - o)
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
            raise short("JoinGroupResponse.protocol_name", n, end - o)
        protocol_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 4 > end - o:
        raise short("JoinGroupResponse.members", n * 4, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v6(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "JoinGroupResponse") if b[o] else o + 1
    e = new(JoinGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = protocol_type
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = False
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v7(e: JoinGroupResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.generation_id))
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
    leader = e.leader
    raw = leader.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v6(one_members, put)
    put(b"\0")


def _read_join_group_response_v9(b: Buffer, o: int, end: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id = unpack_ihi(b, o)
    o += 10
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
            raise short("JoinGroupResponse.protocol_type", n, end - o)
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
            raise short("JoinGroupResponse.protocol_name", n, end - o)
        protocol_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.leader")
    if n > end - o:
        raise short("JoinGroupResponse.leader", n, end - o)
    leader = str(b[o : o + n], "utf-8")
    o += n
    (skip_assignment,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.member_id")
    if n > end - o:
        raise short("JoinGroupResponse.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupResponse.members")
    if n * 4 > end - o:
        raise short("JoinGroupResponse.members", n * 4, end - o)
    all_members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        one_members, o = _read_join_group_response_member_v6(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "JoinGroupResponse") if b[o] else o + 1
    e = new(JoinGroupResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.generation_id = generation_id
    e.protocol_type = protocol_type
    e.protocol_name = protocol_name
    e.leader = leader
    e.skip_assignment = skip_assignment
    e.member_id = member_id
    e.members = members
    return e, o


def _write_join_group_response_v9(e: JoinGroupResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.generation_id))
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
    leader = e.leader
    raw = leader.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_t(e.skip_assignment))
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_join_group_response_member_v6(one_members, put)
    put(b"\0")


JoinGroupResponse.READERS = {
    0: _read_join_group_response_v0,
    1: _read_join_group_response_v0,
    2: _read_join_group_response_v2,
    3: _read_join_group_response_v2,
    4: _read_join_group_response_v2,
    5: _read_join_group_response_v5,
    6: _read_join_group_response_v6,
    7: _read_join_group_response_v7,
    8: _read_join_group_response_v7,
    9: _read_join_group_response_v9,
}
JoinGroupResponseMember.WRITERS = {
    0: _write_join_group_response_member_v0,
    1: _write_join_group_response_member_v0,
    2: _write_join_group_response_member_v0,
    3: _write_join_group_response_member_v0,
    4: _write_join_group_response_member_v0,
    5: _write_join_group_response_member_v5,
    6: _write_join_group_response_member_v6,
    7: _write_join_group_response_member_v6,
    8: _write_join_group_response_member_v6,
    9: _write_join_group_response_member_v6,
}
JoinGroupResponse.WRITERS = {
    0: _write_join_group_response_v0,
    1: _write_join_group_response_v0,
    2: _write_join_group_response_v2,
    3: _write_join_group_response_v2,
    4: _write_join_group_response_v2,
    5: _write_join_group_response_v5,
    6: _write_join_group_response_v6,
    7: _write_join_group_response_v7,
    8: _write_join_group_response_v7,
    9: _write_join_group_response_v9,
}
