"""DescribeGroupsResponse (key 15), versions 0 to 6. Written by `tools.messages`."""

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
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class DescribedGroupMember(Message):
    """A part of DescribeGroupsResponse."""

    __slots__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "member_metadata",
        "member_assignment",
    )
    member_id: str
    group_instance_id: str | None  # from version 4
    client_id: str
    client_host: str
    member_metadata: bytes
    member_assignment: bytes

    def __init__(
        self,
        *,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b"",
        member_assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment


class DescribedGroup(Message):
    """A part of DescribeGroupsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "protocol_type",
        "protocol_data",
        "members",
        "authorized_operations",
    )
    error_code: ErrorCode
    error_message: str | None  # from version 6
    group_id: str
    group_state: str
    protocol_type: str
    protocol_data: str
    members: Sequence[DescribedGroupMember]
    authorized_operations: int  # from version 3

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: Sequence[DescribedGroupMember] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = members
        self.authorized_operations = authorized_operations


class DescribeGroupsResponse(Response):
    """The response of API 15."""

    KEY: ClassVar = 15
    VERSIONS: ClassVar = range(7)
    FIRST_FLEXIBLE: ClassVar = 5
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "groups")
    throttle_time_ms: int  # from version 1
    groups: Sequence[DescribedGroup]

    def __init__(self, *, throttle_time_ms: int = 0, groups: Sequence[DescribedGroup] = ()) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _read_described_group_member_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribedGroupMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.member_id")
    if n > end - o:
        raise short("DescribedGroupMember.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.client_id")
    if n > end - o:
        raise short("DescribedGroupMember.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.client_host")
    if n > end - o:
        raise short("DescribedGroupMember.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroupMember.member_metadata")
    if n > end - o:
        raise short("DescribedGroupMember.member_metadata", n, end - o)
    member_metadata = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroupMember.member_assignment")
    if n > end - o:
        raise short("DescribedGroupMember.member_assignment", n, end - o)
    member_assignment = bytes(b[o : o + n])
    o += n
    e = new(DescribedGroupMember)
    e.member_id = member_id
    e.group_instance_id = None
    e.client_id = client_id
    e.client_host = client_host
    e.member_metadata = member_metadata
    e.member_assignment = member_assignment
    return e, o


def _write_described_group_member_v0(e: DescribedGroupMember, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    client_id = e.client_id
    raw = client_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    client_host = e.client_host
    raw = client_host.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_metadata = e.member_metadata
    put(pack_i(len(member_metadata)))
    put(member_metadata)
    member_assignment = e.member_assignment
    put(pack_i(len(member_assignment)))
    put(member_assignment)


def _read_described_group_member_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribedGroupMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.member_id")
    if n > end - o:
        raise short("DescribedGroupMember.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("DescribedGroupMember.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.client_id")
    if n > end - o:
        raise short("DescribedGroupMember.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroupMember.client_host")
    if n > end - o:
        raise short("DescribedGroupMember.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroupMember.member_metadata")
    if n > end - o:
        raise short("DescribedGroupMember.member_metadata", n, end - o)
    member_metadata = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroupMember.member_assignment")
    if n > end - o:
        raise short("DescribedGroupMember.member_assignment", n, end - o)
    member_assignment = bytes(b[o : o + n])
    o += n
    e = new(DescribedGroupMember)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.client_id = client_id
    e.client_host = client_host
    e.member_metadata = member_metadata
    e.member_assignment = member_assignment
    return e, o


def _write_described_group_member_v4(e: DescribedGroupMember, put: Put) -> None:
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
    client_id = e.client_id
    raw = client_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    client_host = e.client_host
    raw = client_host.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_metadata = e.member_metadata
    put(pack_i(len(member_metadata)))
    put(member_metadata)
    member_assignment = e.member_assignment
    put(pack_i(len(member_assignment)))
    put(member_assignment)


def _read_described_group_member_v5(
    b: Buffer, o: int, end: int
) -> tuple[DescribedGroupMember, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroupMember.member_id")
    if n > end - o:
        raise short("DescribedGroupMember.member_id", n, end - o)
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
            raise short("DescribedGroupMember.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroupMember.client_id")
    if n > end - o:
        raise short("DescribedGroupMember.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroupMember.client_host")
    if n > end - o:
        raise short("DescribedGroupMember.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroupMember.member_metadata")
    if n > end - o:
        raise short("DescribedGroupMember.member_metadata", n, end - o)
    member_metadata = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroupMember.member_assignment")
    if n > end - o:
        raise short("DescribedGroupMember.member_assignment", n, end - o)
    member_assignment = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "DescribedGroupMember") if b[o] else o + 1
    e = new(DescribedGroupMember)
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.client_id = client_id
    e.client_host = client_host
    e.member_metadata = member_metadata
    e.member_assignment = member_assignment
    return e, o


def _write_described_group_member_v5(e: DescribedGroupMember, put: Put) -> None:
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
    client_id = e.client_id
    raw = client_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    client_host = e.client_host
    raw = client_host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_metadata = e.member_metadata
    put(put_uvarint(len(member_metadata) + 1))
    put(member_metadata)
    member_assignment = e.member_assignment
    put(put_uvarint(len(member_assignment) + 1))
    put(member_assignment)
    put(b"\0")


def _read_described_group_v0(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_id")
    if n > end - o:
        raise short("DescribedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_state")
    if n > end - o:
        raise short("DescribedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_type")
    if n > end - o:
        raise short("DescribedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_data")
    if n > end - o:
        raise short("DescribedGroup.protocol_data", n, end - o)
    protocol_data = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 14 > end - o:
        raise short("DescribedGroup.members", n * 14, end - o)
    all_members: list[DescribedGroupMember] = []
    for _ in range(n):
        one_members, o = _read_described_group_member_v0(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e = new(DescribedGroup)
    e.error_code = error_code
    e.error_message = None
    e.group_id = group_id
    e.group_state = group_state
    e.protocol_type = protocol_type
    e.protocol_data = protocol_data
    e.members = members
    e.authorized_operations = -2147483648
    return e, o


def _write_described_group_v0(e: DescribedGroup, put: Put) -> None:
    put(pack_h(e.error_code))
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_data = e.protocol_data
    raw = protocol_data.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_described_group_member_v0(one_members, put)


def _read_described_group_v3(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_id")
    if n > end - o:
        raise short("DescribedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_state")
    if n > end - o:
        raise short("DescribedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_type")
    if n > end - o:
        raise short("DescribedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_data")
    if n > end - o:
        raise short("DescribedGroup.protocol_data", n, end - o)
    protocol_data = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 14 > end - o:
        raise short("DescribedGroup.members", n * 14, end - o)
    all_members: list[DescribedGroupMember] = []
    for _ in range(n):
        one_members, o = _read_described_group_member_v0(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    (authorized_operations,) = unpack_i(b, o)
    o += 4
    e = new(DescribedGroup)
    e.error_code = error_code
    e.error_message = None
    e.group_id = group_id
    e.group_state = group_state
    e.protocol_type = protocol_type
    e.protocol_data = protocol_data
    e.members = members
    e.authorized_operations = authorized_operations
    return e, o


def _write_described_group_v3(e: DescribedGroup, put: Put) -> None:
    put(pack_h(e.error_code))
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_data = e.protocol_data
    raw = protocol_data.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_described_group_member_v0(one_members, put)
    put(pack_i(e.authorized_operations))


def _read_described_group_v4(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_id")
    if n > end - o:
        raise short("DescribedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.group_state")
    if n > end - o:
        raise short("DescribedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_type")
    if n > end - o:
        raise short("DescribedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribedGroup.protocol_data")
    if n > end - o:
        raise short("DescribedGroup.protocol_data", n, end - o)
    protocol_data = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 16 > end - o:
        raise short("DescribedGroup.members", n * 16, end - o)
    all_members: list[DescribedGroupMember] = []
    for _ in range(n):
        one_members, o = _read_described_group_member_v4(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    (authorized_operations,) = unpack_i(b, o)
    o += 4
    e = new(DescribedGroup)
    e.error_code = error_code
    e.error_message = None
    e.group_id = group_id
    e.group_state = group_state
    e.protocol_type = protocol_type
    e.protocol_data = protocol_data
    e.members = members
    e.authorized_operations = authorized_operations
    return e, o


def _write_described_group_v4(e: DescribedGroup, put: Put) -> None:
    put(pack_h(e.error_code))
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_data = e.protocol_data
    raw = protocol_data.encode()
    put(pack_h(len(raw)))
    put(raw)
    members = e.members
    put(pack_i(len(members)))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_described_group_member_v4(one_members, put)
    put(pack_i(e.authorized_operations))


def _read_described_group_v5(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.group_id")
    if n > end - o:
        raise short("DescribedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.group_state")
    if n > end - o:
        raise short("DescribedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.protocol_type")
    if n > end - o:
        raise short("DescribedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.protocol_data")
    if n > end - o:
        raise short("DescribedGroup.protocol_data", n, end - o)
    protocol_data = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 7 > end - o:
        raise short("DescribedGroup.members", n * 7, end - o)
    all_members: list[DescribedGroupMember] = []
    for _ in range(n):
        one_members, o = _read_described_group_member_v5(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    (authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribedGroup") if b[o] else o + 1
    e = new(DescribedGroup)
    e.error_code = error_code
    e.error_message = None
    e.group_id = group_id
    e.group_state = group_state
    e.protocol_type = protocol_type
    e.protocol_data = protocol_data
    e.members = members
    e.authorized_operations = authorized_operations
    return e, o


def _write_described_group_v5(e: DescribedGroup, put: Put) -> None:
    put(pack_h(e.error_code))
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_data = e.protocol_data
    raw = protocol_data.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_described_group_member_v5(one_members, put)
    put(pack_iB(e.authorized_operations, 0))


def _read_described_group_v6(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
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
            raise short("DescribedGroup.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.group_id")
    if n > end - o:
        raise short("DescribedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.group_state")
    if n > end - o:
        raise short("DescribedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.protocol_type")
    if n > end - o:
        raise short("DescribedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.protocol_data")
    if n > end - o:
        raise short("DescribedGroup.protocol_data", n, end - o)
    protocol_data = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 7 > end - o:
        raise short("DescribedGroup.members", n * 7, end - o)
    all_members: list[DescribedGroupMember] = []
    for _ in range(n):
        one_members, o = _read_described_group_member_v5(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    (authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribedGroup") if b[o] else o + 1
    e = new(DescribedGroup)
    e.error_code = error_code
    e.error_message = error_message
    e.group_id = group_id
    e.group_state = group_state
    e.protocol_type = protocol_type
    e.protocol_data = protocol_data
    e.members = members
    e.authorized_operations = authorized_operations
    return e, o


def _write_described_group_v6(e: DescribedGroup, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_data = e.protocol_data
    raw = protocol_data.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_described_group_member_v5(one_members, put)
    put(pack_iB(e.authorized_operations, 0))


def _read_describe_groups_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 14 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 14, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = 0
    e.groups = groups
    return e, o


def _write_describe_groups_response_v0(e: DescribeGroupsResponse, put: Put) -> None:
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v0(one_groups, put)


def _read_describe_groups_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 14 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 14, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_groups_response_v1(e: DescribeGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v0(one_groups, put)


def _read_describe_groups_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 18 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 18, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v3(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_groups_response_v3(e: DescribeGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v3(one_groups, put)


def _read_describe_groups_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 18 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 18, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v4(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_groups_response_v4(e: DescribeGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v4(one_groups, put)


def _read_describe_groups_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 12 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 12, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v5(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "DescribeGroupsResponse") if b[o] else o + 1
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_groups_response_v5(e: DescribeGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v5(one_groups, put)
    put(b"\0")


def _read_describe_groups_response_v6(
    b: Buffer, o: int, end: int
) -> tuple[DescribeGroupsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeGroupsResponse.groups")
    if n * 13 > end - o:
        raise short("DescribeGroupsResponse.groups", n * 13, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v6(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "DescribeGroupsResponse") if b[o] else o + 1
    e = new(DescribeGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_describe_groups_response_v6(e: DescribeGroupsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v6(one_groups, put)
    put(b"\0")


DescribeGroupsResponse.READERS = {
    0: _read_describe_groups_response_v0,
    1: _read_describe_groups_response_v1,
    2: _read_describe_groups_response_v1,
    3: _read_describe_groups_response_v3,
    4: _read_describe_groups_response_v4,
    5: _read_describe_groups_response_v5,
    6: _read_describe_groups_response_v6,
}
DescribedGroupMember.WRITERS = {
    0: _write_described_group_member_v0,
    1: _write_described_group_member_v0,
    2: _write_described_group_member_v0,
    3: _write_described_group_member_v0,
    4: _write_described_group_member_v4,
    5: _write_described_group_member_v5,
    6: _write_described_group_member_v5,
}
DescribedGroup.WRITERS = {
    0: _write_described_group_v0,
    1: _write_described_group_v0,
    2: _write_described_group_v0,
    3: _write_described_group_v3,
    4: _write_described_group_v4,
    5: _write_described_group_v5,
    6: _write_described_group_v6,
}
DescribeGroupsResponse.WRITERS = {
    0: _write_describe_groups_response_v0,
    1: _write_describe_groups_response_v1,
    2: _write_describe_groups_response_v1,
    3: _write_describe_groups_response_v3,
    4: _write_describe_groups_response_v4,
    5: _write_describe_groups_response_v5,
    6: _write_describe_groups_response_v6,
}
