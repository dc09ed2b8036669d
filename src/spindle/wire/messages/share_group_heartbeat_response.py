"""ShareGroupHeartbeatResponse (key 76), version 1. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_u = Struct(">16s").pack
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_u = Struct(">16s").unpack_from


class TopicPartitions(Message):
    """A part of ShareGroupHeartbeatResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[int]

    def __init__(self, *, topic_id: UUID | None = None, partitions: Sequence[int] = ()) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class Assignment(Message):
    """A part of ShareGroupHeartbeatResponse."""

    __slots__ = ("topic_partitions",)
    topic_partitions: Sequence[TopicPartitions]

    def __init__(self, *, topic_partitions: Sequence[TopicPartitions] = ()) -> None:
        self.topic_partitions = topic_partitions


class ShareGroupHeartbeatResponse(Response):
    """The response of API 76."""

    KEY: ClassVar = 76
    VERSIONS: ClassVar = range(1, 2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 1

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "assignment",
    )
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    member_id: str | None
    member_epoch: int
    heartbeat_interval_ms: int
    assignment: Assignment | None

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: Assignment | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment


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
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicPartitions") if b[o] else o + 1
    e = new(TopicPartitions)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_topic_partitions_v1(e: TopicPartitions, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
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
    if n * 18 > end - o:
        raise short("Assignment.topic_partitions", n * 18, end - o)
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


def _read_share_group_heartbeat_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareGroupHeartbeatResponse, int]:
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
            raise short("ShareGroupHeartbeatResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    member_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        member_id = None
    else:
        if n > end - o:
            raise short("ShareGroupHeartbeatResponse.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    member_epoch, heartbeat_interval_ms = unpack_ii(b, o)
    o += 8
    assignment: Assignment | None = None
    n = b[o]
    o += 1
    if n < 128:
        assignment, o = _read_assignment_v1(b, o, end)
    o = skip_tags(b, o, end, "ShareGroupHeartbeatResponse") if b[o] else o + 1
    e = new(ShareGroupHeartbeatResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.heartbeat_interval_ms = heartbeat_interval_ms
    e.assignment = assignment
    return e, o


def _write_share_group_heartbeat_response_v1(e: ShareGroupHeartbeatResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    member_id = e.member_id
    if member_id is None:
        put(b"\0")
    else:
        raw = member_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_ii(e.member_epoch, e.heartbeat_interval_ms))
    assignment = e.assignment
    if assignment is None:
        put(b"\xff")
    else:
        put(b"\1")
        _write_assignment_v1(assignment, put)
    put(b"\0")


ShareGroupHeartbeatResponse.READERS = {
    1: _read_share_group_heartbeat_response_v1,
}
TopicPartitions.WRITERS = {
    1: _write_topic_partitions_v1,
}
Assignment.WRITERS = {
    1: _write_assignment_v1,
}
ShareGroupHeartbeatResponse.WRITERS = {
    1: _write_share_group_heartbeat_response_v1,
}
