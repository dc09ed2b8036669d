"""SyncGroupRequest (key 14), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.sync_group_response import SyncGroupResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class SyncGroupRequestAssignment(Message):
    """A part of SyncGroupRequest."""

    __slots__ = ("member_id", "assignment")
    member_id: str
    assignment: bytes

    def __init__(self, *, member_id: str = "", assignment: bytes = b"") -> None:
        self.member_id = member_id
        self.assignment = assignment


class SyncGroupRequest(Request[SyncGroupResponse]):
    """The request of API 14."""

    KEY: ClassVar = 14
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
    )
    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None  # from version 3
    protocol_type: str | None  # from version 5
    protocol_name: str | None  # from version 5
    assignments: Sequence[SyncGroupRequestAssignment]

    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: Sequence[SyncGroupRequestAssignment] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = assignments


def _read_sync_group_request_assignment_v0(
    b: Buffer, o: int, end: int
) -> tuple[SyncGroupRequestAssignment, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequestAssignment.member_id")
    if n > end - o:
        raise short("SyncGroupRequestAssignment.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupRequestAssignment.assignment")
    if n > end - o:
        raise short("SyncGroupRequestAssignment.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    e = new(SyncGroupRequestAssignment)
    e.member_id = member_id
    e.assignment = assignment
    return e, o


def _write_sync_group_request_assignment_v0(e: SyncGroupRequestAssignment, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    assignment = e.assignment
    put(pack_i(len(assignment)))
    put(assignment)


def _read_sync_group_request_assignment_v4(
    b: Buffer, o: int, end: int
) -> tuple[SyncGroupRequestAssignment, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequestAssignment.member_id")
    if n > end - o:
        raise short("SyncGroupRequestAssignment.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequestAssignment.assignment")
    if n > end - o:
        raise short("SyncGroupRequestAssignment.assignment", n, end - o)
    assignment = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "SyncGroupRequestAssignment") if b[o] else o + 1
    e = new(SyncGroupRequestAssignment)
    e.member_id = member_id
    e.assignment = assignment
    return e, o


def _write_sync_group_request_assignment_v4(e: SyncGroupRequestAssignment, put: Put) -> None:
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    assignment = e.assignment
    put(put_uvarint(len(assignment) + 1))
    put(assignment)
    put(b"\0")


def _read_sync_group_request_v0(b: Buffer, o: int, end: int) -> tuple[SyncGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 6 > end - o:
        raise short("SyncGroupRequest.assignments", n * 6, end - o)
    all_assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_sync_group_request_assignment_v0(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _write_sync_group_request_v0(e: SyncGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    assignments = e.assignments
    put(pack_i(len(assignments)))
    for one_assignments in assignments:
        _write_sync_group_request_assignment_v0(one_assignments, put)


def _walk_sync_group_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[SyncGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 6 > end - o:
        raise short("SyncGroupRequest.assignments", n * 6, end - o)
    assignments, o = yield from read_each(_read_sync_group_request_assignment_v0, b, o, end, at, n)
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _read_sync_group_request_v3(b: Buffer, o: int, end: int) -> tuple[SyncGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 6 > end - o:
        raise short("SyncGroupRequest.assignments", n * 6, end - o)
    all_assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_sync_group_request_assignment_v0(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _write_sync_group_request_v3(e: SyncGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id))
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
    assignments = e.assignments
    put(pack_i(len(assignments)))
    for one_assignments in assignments:
        _write_sync_group_request_assignment_v0(one_assignments, put)


def _walk_sync_group_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[SyncGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 6 > end - o:
        raise short("SyncGroupRequest.assignments", n * 6, end - o)
    assignments, o = yield from read_each(_read_sync_group_request_assignment_v0, b, o, end, at, n)
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _read_sync_group_request_v4(b: Buffer, o: int, end: int) -> tuple[SyncGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
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
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 3 > end - o:
        raise short("SyncGroupRequest.assignments", n * 3, end - o)
    all_assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_sync_group_request_assignment_v4(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    o = skip_tags(b, o, end, "SyncGroupRequest") if b[o] else o + 1
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _write_sync_group_request_v4(e: SyncGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation_id))
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
    assignments = e.assignments
    put(put_uvarint(len(assignments) + 1))
    for one_assignments in assignments:
        _write_sync_group_request_assignment_v4(one_assignments, put)
    put(b"\0")


def _walk_sync_group_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[SyncGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
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
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 3 > end - o:
        raise short("SyncGroupRequest.assignments", n * 3, end - o)
    assignments, o = yield from read_each(_read_sync_group_request_assignment_v4, b, o, end, at, n)
    o = skip_tags(b, o, end, "SyncGroupRequest") if b[o] else o + 1
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = None
    e.protocol_name = None
    e.assignments = assignments
    return e, o


def _read_sync_group_request_v5(b: Buffer, o: int, end: int) -> tuple[SyncGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
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
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
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
            raise short("SyncGroupRequest.protocol_type", n, end - o)
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
            raise short("SyncGroupRequest.protocol_name", n, end - o)
        protocol_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 3 > end - o:
        raise short("SyncGroupRequest.assignments", n * 3, end - o)
    all_assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_sync_group_request_assignment_v4(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    o = skip_tags(b, o, end, "SyncGroupRequest") if b[o] else o + 1
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocol_name = protocol_name
    e.assignments = assignments
    return e, o


def _write_sync_group_request_v5(e: SyncGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation_id))
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
    assignments = e.assignments
    put(put_uvarint(len(assignments) + 1))
    for one_assignments in assignments:
        _write_sync_group_request_assignment_v4(one_assignments, put)
    put(b"\0")


def _walk_sync_group_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[SyncGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.group_id")
    if n > end - o:
        raise short("SyncGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.member_id")
    if n > end - o:
        raise short("SyncGroupRequest.member_id", n, end - o)
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
            raise short("SyncGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
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
            raise short("SyncGroupRequest.protocol_type", n, end - o)
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
            raise short("SyncGroupRequest.protocol_name", n, end - o)
        protocol_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("SyncGroupRequest.assignments")
    if n * 3 > end - o:
        raise short("SyncGroupRequest.assignments", n * 3, end - o)
    assignments, o = yield from read_each(_read_sync_group_request_assignment_v4, b, o, end, at, n)
    o = skip_tags(b, o, end, "SyncGroupRequest") if b[o] else o + 1
    e = new(SyncGroupRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocol_name = protocol_name
    e.assignments = assignments
    return e, o


SyncGroupRequest.RESPONSE = SyncGroupResponse
SyncGroupRequest.WALKERS = {
    0: _walk_sync_group_request_v0,
    1: _walk_sync_group_request_v0,
    2: _walk_sync_group_request_v0,
    3: _walk_sync_group_request_v3,
    4: _walk_sync_group_request_v4,
    5: _walk_sync_group_request_v5,
}
SyncGroupRequest.READERS = {
    0: _read_sync_group_request_v0,
    1: _read_sync_group_request_v0,
    2: _read_sync_group_request_v0,
    3: _read_sync_group_request_v3,
    4: _read_sync_group_request_v4,
    5: _read_sync_group_request_v5,
}
SyncGroupRequest.WRITERS = {
    0: _write_sync_group_request_v0,
    1: _write_sync_group_request_v0,
    2: _write_sync_group_request_v0,
    3: _write_sync_group_request_v3,
    4: _write_sync_group_request_v4,
    5: _write_sync_group_request_v5,
}
