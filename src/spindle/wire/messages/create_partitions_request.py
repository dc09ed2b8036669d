"""CreatePartitionsRequest (key 37), versions 0 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.create_partitions_response import CreatePartitionsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_it = Struct(">i?").pack
pack_itB = Struct(">i?B").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_it = Struct(">i?").unpack_from


class CreatePartitionsAssignment(Message):
    """A part of CreatePartitionsRequest."""

    __slots__ = ("broker_ids",)
    broker_ids: Sequence[int]

    def __init__(self, *, broker_ids: Sequence[int] = ()) -> None:
        self.broker_ids = broker_ids


class CreatePartitionsTopic(Message):
    """A part of CreatePartitionsRequest."""

    __slots__ = ("name", "count", "assignments")
    name: str
    count: int
    assignments: Sequence[CreatePartitionsAssignment] | None

    def __init__(
        self,
        *,
        name: str = "",
        count: int = 0,
        assignments: Sequence[CreatePartitionsAssignment] | None = None,
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = assignments


class CreatePartitionsRequest(Request[CreatePartitionsResponse]):
    """The request of API 37."""

    KEY: ClassVar = 37
    VERSIONS: ClassVar = range(4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("topics", "timeout_ms", "validate_only")
    topics: Sequence[CreatePartitionsTopic]
    timeout_ms: int
    validate_only: bool

    def __init__(
        self,
        *,
        topics: Sequence[CreatePartitionsTopic] = (),
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


def _read_create_partitions_assignment_v0(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsAssignment, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatePartitionsAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatePartitionsAssignment.broker_ids", n * 4, end - o)
    broker_ids = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(CreatePartitionsAssignment)
    e.broker_ids = broker_ids
    return e, o


def _write_create_partitions_assignment_v0(e: CreatePartitionsAssignment, put: Put) -> None:
    broker_ids = e.broker_ids
    put(pack_i(len(broker_ids)))
    if broker_ids:
        put(pack(f">{len(broker_ids)}i", *broker_ids))


def _walk_create_partitions_assignment_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsAssignment]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatePartitionsAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatePartitionsAssignment.broker_ids", n * 4, end - o)
    broker_ids, o = yield from numbers(">i", 4, b, o, n)
    e = new(CreatePartitionsAssignment)
    e.broker_ids = broker_ids
    return e, o


def _read_create_partitions_assignment_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsAssignment, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatePartitionsAssignment.broker_ids", n * 4, end - o)
    broker_ids = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "CreatePartitionsAssignment") if b[o] else o + 1
    e = new(CreatePartitionsAssignment)
    e.broker_ids = broker_ids
    return e, o


def _write_create_partitions_assignment_v2(e: CreatePartitionsAssignment, put: Put) -> None:
    broker_ids = e.broker_ids
    put(put_uvarint(len(broker_ids) + 1))
    if broker_ids:
        put(pack(f">{len(broker_ids)}i", *broker_ids))
    put(b"\0")


def _walk_create_partitions_assignment_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsAssignment]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatePartitionsAssignment.broker_ids", n * 4, end - o)
    broker_ids, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "CreatePartitionsAssignment") if b[o] else o + 1
    e = new(CreatePartitionsAssignment)
    e.broker_ids = broker_ids
    return e, o


def _read_create_partitions_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatePartitionsTopic.name")
    if n > end - o:
        raise short("CreatePartitionsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (count_,) = unpack_i(b, o)
    o += 4
    assignments: Sequence[CreatePartitionsAssignment] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        assignments = None
    else:
        if n * 4 > end - o:
            raise short("CreatePartitionsTopic.assignments", n * 4, end - o)
        all_assignments: list[CreatePartitionsAssignment] = []
        for _ in range(n):
            one_assignments, o = _read_create_partitions_assignment_v0(b, o, end)
            all_assignments.append(one_assignments)
        assignments = tuple(all_assignments)
    e = new(CreatePartitionsTopic)
    e.name = name
    e.count = count_
    e.assignments = assignments
    return e, o


def _write_create_partitions_topic_v0(e: CreatePartitionsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.count))
    assignments = e.assignments
    if assignments is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(assignments)))
        for one_assignments in assignments:
            _write_create_partitions_assignment_v0(one_assignments, put)


def _walk_create_partitions_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatePartitionsTopic.name")
    if n > end - o:
        raise short("CreatePartitionsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (count_,) = unpack_i(b, o)
    o += 4
    assignments: Sequence[CreatePartitionsAssignment] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        assignments = None
    else:
        if n * 4 > end - o:
            raise short("CreatePartitionsTopic.assignments", n * 4, end - o)
        assignments, o = yield from walk_each(
            _walk_create_partitions_assignment_v0, b, o, end, at, n
        )
    e = new(CreatePartitionsTopic)
    e.name = name
    e.count = count_
    e.assignments = assignments
    return e, o


def _read_create_partitions_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsTopic.name")
    if n > end - o:
        raise short("CreatePartitionsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (count_,) = unpack_i(b, o)
    o += 4
    assignments: Sequence[CreatePartitionsAssignment] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        assignments = None
    else:
        if n * 2 > end - o:
            raise short("CreatePartitionsTopic.assignments", n * 2, end - o)
        all_assignments: list[CreatePartitionsAssignment] = []
        for _ in range(n):
            one_assignments, o = _read_create_partitions_assignment_v2(b, o, end)
            all_assignments.append(one_assignments)
        assignments = tuple(all_assignments)
    o = skip_tags(b, o, end, "CreatePartitionsTopic") if b[o] else o + 1
    e = new(CreatePartitionsTopic)
    e.name = name
    e.count = count_
    e.assignments = assignments
    return e, o


def _write_create_partitions_topic_v2(e: CreatePartitionsTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.count))
    assignments = e.assignments
    if assignments is None:
        put(b"\0")
    else:
        put(put_uvarint(len(assignments) + 1))
        for one_assignments in assignments:
            _write_create_partitions_assignment_v2(one_assignments, put)
    put(b"\0")


def _walk_create_partitions_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsTopic.name")
    if n > end - o:
        raise short("CreatePartitionsTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (count_,) = unpack_i(b, o)
    o += 4
    assignments: Sequence[CreatePartitionsAssignment] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        assignments = None
    else:
        if n * 2 > end - o:
            raise short("CreatePartitionsTopic.assignments", n * 2, end - o)
        assignments, o = yield from walk_each(
            _walk_create_partitions_assignment_v2, b, o, end, at, n
        )
    o = skip_tags(b, o, end, "CreatePartitionsTopic") if b[o] else o + 1
    e = new(CreatePartitionsTopic)
    e.name = name
    e.count = count_
    e.assignments = assignments
    return e, o


def _read_create_partitions_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatePartitionsRequest.topics")
    if n * 10 > end - o:
        raise short("CreatePartitionsRequest.topics", n * 10, end - o)
    all_topics: list[CreatePartitionsTopic] = []
    for _ in range(n):
        one_topics, o = _read_create_partitions_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    e = new(CreatePartitionsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _write_create_partitions_request_v0(e: CreatePartitionsRequest, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_create_partitions_topic_v0(one_topics, put)
    put(pack_it(e.timeout_ms, e.validate_only))


def _walk_create_partitions_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatePartitionsRequest.topics")
    if n * 10 > end - o:
        raise short("CreatePartitionsRequest.topics", n * 10, end - o)
    topics, o = yield from walk_each(_walk_create_partitions_topic_v0, b, o, end, at, n)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    e = new(CreatePartitionsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _read_create_partitions_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatePartitionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsRequest.topics")
    if n * 7 > end - o:
        raise short("CreatePartitionsRequest.topics", n * 7, end - o)
    all_topics: list[CreatePartitionsTopic] = []
    for _ in range(n):
        one_topics, o = _read_create_partitions_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    o = skip_tags(b, o, end, "CreatePartitionsRequest") if b[o] else o + 1
    e = new(CreatePartitionsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _write_create_partitions_request_v2(e: CreatePartitionsRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_create_partitions_topic_v2(one_topics, put)
    put(pack_itB(e.timeout_ms, e.validate_only, 0))


def _walk_create_partitions_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatePartitionsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatePartitionsRequest.topics")
    if n * 7 > end - o:
        raise short("CreatePartitionsRequest.topics", n * 7, end - o)
    topics, o = yield from walk_each(_walk_create_partitions_topic_v2, b, o, end, at, n)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    o = skip_tags(b, o, end, "CreatePartitionsRequest") if b[o] else o + 1
    e = new(CreatePartitionsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


CreatePartitionsRequest.RESPONSE = CreatePartitionsResponse
CreatePartitionsRequest.WALKERS = {
    0: _walk_create_partitions_request_v0,
    1: _walk_create_partitions_request_v0,
    2: _walk_create_partitions_request_v2,
    3: _walk_create_partitions_request_v2,
}
CreatePartitionsRequest.READERS = {
    0: _read_create_partitions_request_v0,
    1: _read_create_partitions_request_v0,
    2: _read_create_partitions_request_v2,
    3: _read_create_partitions_request_v2,
}
CreatePartitionsRequest.WRITERS = {
    0: _write_create_partitions_request_v0,
    1: _write_create_partitions_request_v0,
    2: _write_create_partitions_request_v2,
    3: _write_create_partitions_request_v2,
}
