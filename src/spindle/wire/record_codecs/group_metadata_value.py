"""GroupMetadataValue, versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.stored import GroupMember, GroupValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_q = Struct(">q").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_q = Struct(">q").unpack_from


class _GroupMember(Open, GroupMember):
    __slots__ = ()


class _GroupValue(Open, GroupValue):
    __slots__ = ()


def _read_member_metadata_v0(b: Buffer, o: int, end: int) -> tuple[GroupMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.member_id")
    if n > end - o:
        raise short("MemberMetadata.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_id")
    if n > end - o:
        raise short("MemberMetadata.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_host")
    if n > end - o:
        raise short("MemberMetadata.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    (session_timeout,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.subscription")
    if n > end - o:
        raise short("MemberMetadata.subscription", n, end - o)
    subscription = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.assignment")
    if n > end - o:
        raise short("MemberMetadata.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e: GroupMember = new(_GroupMember)
    e.member_id = member_id
    e.instance_id = None
    e.client_id = client_id
    e.client_host = client_host
    e.rebalance_timeout = -1
    e.session_timeout = session_timeout
    e.subscription = subscription
    e.assignment = assignment
    e.__class__ = GroupMember
    return e, o


def _write_member_metadata_v0(e: GroupMember, put: Put) -> None:
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
    put(pack_i(e.session_timeout))
    subscription = e.subscription
    put(pack_i(len(subscription)))
    put(subscription)
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_group_metadata_value_v0(b: Buffer, o: int, end: int) -> tuple[GroupValue, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("GroupMetadataValue.protocol_type")
    if n > end - o:
        raise short("GroupMetadataValue.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (generation,) = unpack_i(b, o)
    o += 4
    protocol: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        protocol = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.protocol", n, end - o)
        protocol = str(b[o : o + n], "utf-8")
        o += n
    leader: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        leader = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.leader", n, end - o)
        leader = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("GroupMetadataValue.members")
    if n * 18 > end - o:
        raise short("GroupMetadataValue.members", n * 18, end - o)
    all_members: list[GroupMember] = []
    for _ in range(n):
        one_members, o = _read_member_metadata_v0(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e: GroupValue = new(_GroupValue)
    e.protocol_type = protocol_type
    e.generation = generation
    e.protocol = protocol
    e.leader = leader
    e.state_timestamp = -1
    e.members = members
    e.__class__ = GroupValue
    return e, o


def _write_group_metadata_value_v0(e: GroupValue, put: Put) -> None:
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation))
    protocol = e.protocol
    if protocol is None:
        put(b"\xff\xff")
    else:
        raw = protocol.encode()
        put(pack_h(len(raw)))
        put(raw)
    leader = e.leader
    if leader is None:
        put(b"\xff\xff")
    else:
        raw = leader.encode()
        put(pack_h(len(raw)))
        put(raw)
    members = e.members
    put(pack_i(len(members)))
    for one_members in members:
        _write_member_metadata_v0(one_members, put)


def _read_member_metadata_v1(b: Buffer, o: int, end: int) -> tuple[GroupMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.member_id")
    if n > end - o:
        raise short("MemberMetadata.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_id")
    if n > end - o:
        raise short("MemberMetadata.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_host")
    if n > end - o:
        raise short("MemberMetadata.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    rebalance_timeout, session_timeout = unpack_ii(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.subscription")
    if n > end - o:
        raise short("MemberMetadata.subscription", n, end - o)
    subscription = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.assignment")
    if n > end - o:
        raise short("MemberMetadata.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e: GroupMember = new(_GroupMember)
    e.member_id = member_id
    e.instance_id = None
    e.client_id = client_id
    e.client_host = client_host
    e.rebalance_timeout = rebalance_timeout
    e.session_timeout = session_timeout
    e.subscription = subscription
    e.assignment = assignment
    e.__class__ = GroupMember
    return e, o


def _write_member_metadata_v1(e: GroupMember, put: Put) -> None:
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
    put(pack_ii(e.rebalance_timeout, e.session_timeout))
    subscription = e.subscription
    put(pack_i(len(subscription)))
    put(subscription)
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_group_metadata_value_v1(b: Buffer, o: int, end: int) -> tuple[GroupValue, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("GroupMetadataValue.protocol_type")
    if n > end - o:
        raise short("GroupMetadataValue.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (generation,) = unpack_i(b, o)
    o += 4
    protocol: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        protocol = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.protocol", n, end - o)
        protocol = str(b[o : o + n], "utf-8")
        o += n
    leader: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        leader = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.leader", n, end - o)
        leader = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("GroupMetadataValue.members")
    if n * 22 > end - o:
        raise short("GroupMetadataValue.members", n * 22, end - o)
    all_members: list[GroupMember] = []
    for _ in range(n):
        one_members, o = _read_member_metadata_v1(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e: GroupValue = new(_GroupValue)
    e.protocol_type = protocol_type
    e.generation = generation
    e.protocol = protocol
    e.leader = leader
    e.state_timestamp = -1
    e.members = members
    e.__class__ = GroupValue
    return e, o


def _write_group_metadata_value_v1(e: GroupValue, put: Put) -> None:
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation))
    protocol = e.protocol
    if protocol is None:
        put(b"\xff\xff")
    else:
        raw = protocol.encode()
        put(pack_h(len(raw)))
        put(raw)
    leader = e.leader
    if leader is None:
        put(b"\xff\xff")
    else:
        raw = leader.encode()
        put(pack_h(len(raw)))
        put(raw)
    members = e.members
    put(pack_i(len(members)))
    for one_members in members:
        _write_member_metadata_v1(one_members, put)


def _read_group_metadata_value_v2(b: Buffer, o: int, end: int) -> tuple[GroupValue, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("GroupMetadataValue.protocol_type")
    if n > end - o:
        raise short("GroupMetadataValue.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (generation,) = unpack_i(b, o)
    o += 4
    protocol: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        protocol = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.protocol", n, end - o)
        protocol = str(b[o : o + n], "utf-8")
        o += n
    leader: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        leader = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.leader", n, end - o)
        leader = str(b[o : o + n], "utf-8")
        o += n
    (state_timestamp,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("GroupMetadataValue.members")
    if n * 22 > end - o:
        raise short("GroupMetadataValue.members", n * 22, end - o)
    all_members: list[GroupMember] = []
    for _ in range(n):
        one_members, o = _read_member_metadata_v1(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e: GroupValue = new(_GroupValue)
    e.protocol_type = protocol_type
    e.generation = generation
    e.protocol = protocol
    e.leader = leader
    e.state_timestamp = state_timestamp
    e.members = members
    e.__class__ = GroupValue
    return e, o


def _write_group_metadata_value_v2(e: GroupValue, put: Put) -> None:
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation))
    protocol = e.protocol
    if protocol is None:
        put(b"\xff\xff")
    else:
        raw = protocol.encode()
        put(pack_h(len(raw)))
        put(raw)
    leader = e.leader
    if leader is None:
        put(b"\xff\xff")
    else:
        raw = leader.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_q(e.state_timestamp))
    members = e.members
    put(pack_i(len(members)))
    for one_members in members:
        _write_member_metadata_v1(one_members, put)


def _read_member_metadata_v3(b: Buffer, o: int, end: int) -> tuple[GroupMember, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.member_id")
    if n > end - o:
        raise short("MemberMetadata.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("MemberMetadata.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_id")
    if n > end - o:
        raise short("MemberMetadata.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MemberMetadata.client_host")
    if n > end - o:
        raise short("MemberMetadata.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    rebalance_timeout, session_timeout = unpack_ii(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.subscription")
    if n > end - o:
        raise short("MemberMetadata.subscription", n, end - o)
    subscription = bytes(b[o : o + n])
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MemberMetadata.assignment")
    if n > end - o:
        raise short("MemberMetadata.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e: GroupMember = new(_GroupMember)
    e.member_id = member_id
    e.instance_id = instance_id
    e.client_id = client_id
    e.client_host = client_host
    e.rebalance_timeout = rebalance_timeout
    e.session_timeout = session_timeout
    e.subscription = subscription
    e.assignment = assignment
    e.__class__ = GroupMember
    return e, o


def _write_member_metadata_v3(e: GroupMember, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    instance_id = e.instance_id
    if instance_id is None:
        put(b"\xff\xff")
    else:
        raw = instance_id.encode()
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
    put(pack_ii(e.rebalance_timeout, e.session_timeout))
    subscription = e.subscription
    put(pack_i(len(subscription)))
    put(subscription)
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_group_metadata_value_v3(b: Buffer, o: int, end: int) -> tuple[GroupValue, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("GroupMetadataValue.protocol_type")
    if n > end - o:
        raise short("GroupMetadataValue.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (generation,) = unpack_i(b, o)
    o += 4
    protocol: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        protocol = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.protocol", n, end - o)
        protocol = str(b[o : o + n], "utf-8")
        o += n
    leader: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        leader = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.leader", n, end - o)
        leader = str(b[o : o + n], "utf-8")
        o += n
    (state_timestamp,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("GroupMetadataValue.members")
    if n * 24 > end - o:
        raise short("GroupMetadataValue.members", n * 24, end - o)
    all_members: list[GroupMember] = []
    for _ in range(n):
        one_members, o = _read_member_metadata_v3(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    e: GroupValue = new(_GroupValue)
    e.protocol_type = protocol_type
    e.generation = generation
    e.protocol = protocol
    e.leader = leader
    e.state_timestamp = state_timestamp
    e.members = members
    e.__class__ = GroupValue
    return e, o


def _write_group_metadata_value_v3(e: GroupValue, put: Put) -> None:
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation))
    protocol = e.protocol
    if protocol is None:
        put(b"\xff\xff")
    else:
        raw = protocol.encode()
        put(pack_h(len(raw)))
        put(raw)
    leader = e.leader
    if leader is None:
        put(b"\xff\xff")
    else:
        raw = leader.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_q(e.state_timestamp))
    members = e.members
    put(pack_i(len(members)))
    for one_members in members:
        _write_member_metadata_v3(one_members, put)


def _read_member_metadata_v4(b: Buffer, o: int, end: int) -> tuple[GroupMember, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberMetadata.member_id")
    if n > end - o:
        raise short("MemberMetadata.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("MemberMetadata.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberMetadata.client_id")
    if n > end - o:
        raise short("MemberMetadata.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberMetadata.client_host")
    if n > end - o:
        raise short("MemberMetadata.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    rebalance_timeout, session_timeout = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberMetadata.subscription")
    if n > end - o:
        raise short("MemberMetadata.subscription", n, end - o)
    subscription = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MemberMetadata.assignment")
    if n > end - o:
        raise short("MemberMetadata.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "MemberMetadata") if b[o] else o + 1
    e: GroupMember = new(_GroupMember)
    e.member_id = member_id
    e.instance_id = instance_id
    e.client_id = client_id
    e.client_host = client_host
    e.rebalance_timeout = rebalance_timeout
    e.session_timeout = session_timeout
    e.subscription = subscription
    e.assignment = assignment
    e.__class__ = GroupMember
    return e, o


def _write_member_metadata_v4(e: GroupMember, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    instance_id = e.instance_id
    if instance_id is None:
        put(b"\0")
    else:
        raw = instance_id.encode()
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
    put(pack_ii(e.rebalance_timeout, e.session_timeout))
    subscription = e.subscription
    put(put_uvarint(len(subscription) + 1))
    put(subscription)
    assignment = e.assignment
    put(put_uvarint(len(assignment) + 1))
    put(assignment)
    put(b"\0")


def _read_group_metadata_value_v4(b: Buffer, o: int, end: int) -> tuple[GroupValue, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("GroupMetadataValue.protocol_type")
    if n > end - o:
        raise short("GroupMetadataValue.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (generation,) = unpack_i(b, o)
    o += 4
    protocol: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        protocol = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.protocol", n, end - o)
        protocol = str(b[o : o + n], "utf-8")
        o += n
    leader: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        leader = None
    else:
        if n > end - o:
            raise short("GroupMetadataValue.leader", n, end - o)
        leader = str(b[o : o + n], "utf-8")
        o += n
    (state_timestamp,) = unpack_q(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("GroupMetadataValue.members")
    if n * 15 > end - o:
        raise short("GroupMetadataValue.members", n * 15, end - o)
    all_members: list[GroupMember] = []
    for _ in range(n):
        one_members, o = _read_member_metadata_v4(b, o, end)
        all_members.append(one_members)
    members = tuple(all_members)
    o = skip_tags(b, o, end, "GroupMetadataValue") if b[o] else o + 1
    e: GroupValue = new(_GroupValue)
    e.protocol_type = protocol_type
    e.generation = generation
    e.protocol = protocol
    e.leader = leader
    e.state_timestamp = state_timestamp
    e.members = members
    e.__class__ = GroupValue
    return e, o


def _write_group_metadata_value_v4(e: GroupValue, put: Put) -> None:
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation))
    protocol = e.protocol
    if protocol is None:
        put(b"\0")
    else:
        raw = protocol.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    leader = e.leader
    if leader is None:
        put(b"\0")
    else:
        raw = leader.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_q(e.state_timestamp))
    members = e.members
    put(put_uvarint(len(members) + 1))
    for one_members in members:
        _write_member_metadata_v4(one_members, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[GroupValue]]] = {
    0: _read_group_metadata_value_v0,
    1: _read_group_metadata_value_v1,
    2: _read_group_metadata_value_v2,
    3: _read_group_metadata_value_v3,
    4: _read_group_metadata_value_v4,
}
WRITERS: Final[Mapping[int, Writer[GroupValue]]] = {
    0: _write_group_metadata_value_v0,
    1: _write_group_metadata_value_v1,
    2: _write_group_metadata_value_v2,
    3: _write_group_metadata_value_v3,
    4: _write_group_metadata_value_v4,
}
