"""ShareGroupDescribeResponse (key 77), version 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_u = Struct(">16s").unpack_from


class TopicPartitions(Message):
    """A part of ShareGroupDescribeResponse."""

    __slots__ = ("topic_id", "topic_name", "partitions")
    topic_id: UUID | None
    topic_name: str
    partitions: Sequence[int]

    def __init__(
        self, *, topic_id: UUID | None = None, topic_name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions


class Assignment(Message):
    """A part of ShareGroupDescribeResponse."""

    __slots__ = ("topic_partitions",)
    topic_partitions: Sequence[TopicPartitions]

    def __init__(self, *, topic_partitions: Sequence[TopicPartitions] = ()) -> None:
        self.topic_partitions = topic_partitions


DEFAULT_ASSIGNMENT = Assignment()


class Member(Message):
    """A part of ShareGroupDescribeResponse."""

    __slots__ = (
        "member_id",
        "rack_id",
        "member_epoch",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "assignment",
    )
    member_id: str
    rack_id: str | None
    member_epoch: int
    client_id: str
    client_host: str
    subscribed_topic_names: Sequence[str]
    assignment: Assignment

    def __init__(
        self,
        *,
        member_id: str = "",
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: Sequence[str] = (),
        assignment: Assignment = DEFAULT_ASSIGNMENT,
    ) -> None:
        self.member_id = member_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.assignment = assignment


class DescribedGroup(Message):
    """A part of ShareGroupDescribeResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "group_epoch",
        "assignment_epoch",
        "assignor_name",
        "members",
        "authorized_operations",
    )
    error_code: ErrorCode
    error_message: str | None
    group_id: str
    group_state: str
    group_epoch: int
    assignment_epoch: int
    assignor_name: str
    members: Sequence[Member]
    authorized_operations: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = "",
        members: Sequence[Member] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = members
        self.authorized_operations = authorized_operations


class ShareGroupDescribeResponse(Response):
    """The response of API 77."""

    KEY: ClassVar = 77
    VERSIONS: ClassVar = range(1, 2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "groups")
    throttle_time_ms: int
    groups: Sequence[DescribedGroup]

    def __init__(self, *, throttle_time_ms: int = 0, groups: Sequence[DescribedGroup] = ()) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _read_topic_partitions_v1(b: Buffer, o: int, end: int) -> tuple[TopicPartitions, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.topic_name")
    if n > end - o:
        raise short("TopicPartitions.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicPartitions") if b[o] else o + 1
    e = new(TopicPartitions)
    e.topic_id = topic_id
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_partitions_v1(e: TopicPartitions, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _read_assignment_v1(b: Buffer, o: int, end: int) -> tuple[Assignment, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Assignment.topic_partitions")
    if n * 19 > end - o:
        raise short("Assignment.topic_partitions", n * 19, end - o)
    all_topic_partitions: list[TopicPartitions] = []
    for _ in range(n):
        one_topic_partitions, o = _read_topic_partitions_v1(b, o, end)
        all_topic_partitions.append(one_topic_partitions)
    topic_partitions = tuple(all_topic_partitions)
    o = skip_tags(b, o, end, "Assignment") if b[o] else o + 1
    e = new(Assignment)
    e.topic_partitions = topic_partitions
    return e, o


def _write_assignment_v1(e: Assignment, put: Put) -> None:
    topic_partitions = e.topic_partitions
    put(put_uvarint(len(topic_partitions) + 1))
    if type(topic_partitions) is Packed:
        for piece in topic_partitions.pieces:
            put(piece)
    else:
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v1(one_topic_partitions, put)
    put(b"\0")


def _read_member_v1(b: Buffer, o: int, end: int) -> tuple[Member, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Member.member_id")
    if n > end - o:
        raise short("Member.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("Member.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Member.client_id")
    if n > end - o:
        raise short("Member.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Member.client_host")
    if n > end - o:
        raise short("Member.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Member.subscribed_topic_names")
    if n > end - o:
        raise short("Member.subscribed_topic_names", n, end - o)
    all_subscribed_topic_names: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("Member.subscribed_topic_names")
        if n > end - o:
            raise short("Member.subscribed_topic_names", n, end - o)
        one_subscribed_topic_names = str(b[o : o + n], "utf-8")
        o += n
        all_subscribed_topic_names.append(one_subscribed_topic_names)
    subscribed_topic_names = tuple(all_subscribed_topic_names)
    assignment, o = _read_assignment_v1(b, o, end)
    o = skip_tags(b, o, end, "Member") if b[o] else o + 1
    e = new(Member)
    e.member_id = member_id
    e.rack_id = rack_id
    e.member_epoch = member_epoch
    e.client_id = client_id
    e.client_host = client_host
    e.subscribed_topic_names = subscribed_topic_names
    e.assignment = assignment
    return e, o


def _write_member_v1(e: Member, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    rack_id = e.rack_id
    if rack_id is None:
        put(b"\0")
    else:
        raw = rack_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.member_epoch))
    client_id = e.client_id
    raw = client_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    client_host = e.client_host
    raw = client_host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    subscribed_topic_names = e.subscribed_topic_names
    put(put_uvarint(len(subscribed_topic_names) + 1))
    for one_subscribed_topic_names in subscribed_topic_names:
        raw = one_subscribed_topic_names.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    assignment = e.assignment
    _write_assignment_v1(assignment, put)
    put(b"\0")


def _read_described_group_v1(b: Buffer, o: int, end: int) -> tuple[DescribedGroup, int]:
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
    group_epoch, assignment_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.assignor_name")
    if n > end - o:
        raise short("DescribedGroup.assignor_name", n, end - o)
    assignor_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribedGroup.members")
    if n * 12 > end - o:
        raise short("DescribedGroup.members", n * 12, end - o)
    all_members: list[Member] = []
    for _ in range(n):
        one_members, o = _read_member_v1(b, o, end)
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
    e.group_epoch = group_epoch
    e.assignment_epoch = assignment_epoch
    e.assignor_name = assignor_name
    e.members = members
    e.authorized_operations = authorized_operations
    return e, o


def _write_described_group_v1(e: DescribedGroup, put: Put) -> None:
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
    put(pack_ii(e.group_epoch, e.assignment_epoch))
    assignor_name = e.assignor_name
    raw = assignor_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    members = e.members
    put(put_uvarint(len(members) + 1))
    if type(members) is Packed:
        for piece in members.pieces:
            put(piece)
    else:
        for one_members in members:
            _write_member_v1(one_members, put)
    put(pack_iB(e.authorized_operations, 0))


def _read_share_group_describe_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareGroupDescribeResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupDescribeResponse.groups")
    if n * 20 > end - o:
        raise short("ShareGroupDescribeResponse.groups", n * 20, end - o)
    all_groups: list[DescribedGroup] = []
    for _ in range(n):
        one_groups, o = _read_described_group_v1(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "ShareGroupDescribeResponse") if b[o] else o + 1
    e = new(ShareGroupDescribeResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    return e, o


def _write_share_group_describe_response_v1(e: ShareGroupDescribeResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_described_group_v1(one_groups, put)
    put(b"\0")


ShareGroupDescribeResponse.READERS = {
    1: _read_share_group_describe_response_v1,
}
TopicPartitions.WRITERS = {
    1: _write_topic_partitions_v1,
}
Assignment.WRITERS = {
    1: _write_assignment_v1,
}
Member.WRITERS = {
    1: _write_member_v1,
}
DescribedGroup.WRITERS = {
    1: _write_described_group_v1,
}
ShareGroupDescribeResponse.WRITERS = {
    1: _write_share_group_describe_response_v1,
}
