"""AlterPartitionReassignmentsRequest (key 45), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, count_of, null, skip_tags, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, numbers, uuids, walk_each
from spindle.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_i = Struct(">i").pack
pack_it = Struct(">i?").pack
unpack_i = Struct(">i").unpack_from
unpack_it = Struct(">i?").unpack_from


class ReassignablePartition(Message):
    """A part of AlterPartitionReassignmentsRequest."""

    __slots__ = ("partition_index", "replicas", "directories")
    partition_index: int
    replicas: Sequence[int] | None
    directories: Sequence[UUID | None]  # tag 10000

    def __init__(
        self,
        *,
        partition_index: int = 0,
        replicas: Sequence[int] | None = None,
        directories: Sequence[UUID | None] = (),
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.directories = directories


class ReassignableTopic(Message):
    """A part of AlterPartitionReassignmentsRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[ReassignablePartition]

    def __init__(self, *, name: str = "", partitions: Sequence[ReassignablePartition] = ()) -> None:
        self.name = name
        self.partitions = partitions


class AlterPartitionReassignmentsRequest(Request[AlterPartitionReassignmentsResponse]):
    """The request of API 45."""

    KEY: ClassVar = 45
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("timeout_ms", "allow_replication_factor_change", "topics")
    timeout_ms: int
    allow_replication_factor_change: bool  # from version 1
    topics: Sequence[ReassignableTopic]

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: Sequence[ReassignableTopic] = (),
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics = topics


def _read_reassignable_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReassignablePartition, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    replicas: Sequence[int] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        replicas = None
    else:
        if n * 4 > end - o:
            raise short("ReassignablePartition.replicas", n * 4, end - o)
        replicas = unpack_from(f">{n}i", b, o)
        o += n * 4
    directories: Sequence[UUID | None] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ReassignablePartition")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ReassignablePartition")
            if tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ReassignablePartition.directories")
                if n * 16 > end - o:
                    raise short("ReassignablePartition.directories", n * 16, end - o)
                directories = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("ReassignablePartition.directories", o - stop)
            o = stop
    e = new(ReassignablePartition)
    e.partition_index = partition_index
    e.replicas = replicas
    e.directories = directories
    return e, o


def _write_reassignable_partition_v0(e: ReassignablePartition, put: Put) -> None:
    put(pack_i(e.partition_index))
    replicas = e.replicas
    if replicas is None:
        put(b"\0")
    else:
        put(put_uvarint(len(replicas) + 1))
        if replicas:
            put(pack(f">{len(replicas)}i", *replicas))
    tags: list[bytes] = []
    outer = put
    directories = e.directories
    if len(directories):
        directories_pieces: list[Buffer] = []
        put = directories_pieces.append
        put(put_uvarint(len(directories) + 1))
        for one_directories in directories:
            put(ZERO_UUID if one_directories is None else one_directories.bytes)
        piece = b"".join(directories_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_reassignable_partition_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ReassignablePartition]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    replicas: Sequence[int] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        replicas = None
    else:
        if n * 4 > end - o:
            raise short("ReassignablePartition.replicas", n * 4, end - o)
        replicas, o = yield from numbers(">i", 4, b, o, n)
    directories: Sequence[UUID | None] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ReassignablePartition")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ReassignablePartition")
            if tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ReassignablePartition.directories")
                if n * 16 > end - o:
                    raise short("ReassignablePartition.directories", n * 16, end - o)
                directories, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("ReassignablePartition.directories", o - stop)
            o = stop
    e = new(ReassignablePartition)
    e.partition_index = partition_index
    e.replicas = replicas
    e.directories = directories
    return e, o


def _read_reassignable_topic_v0(b: Buffer, o: int, end: int) -> tuple[ReassignableTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopic.name")
    if n > end - o:
        raise short("ReassignableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopic.partitions")
    if n * 6 > end - o:
        raise short("ReassignableTopic.partitions", n * 6, end - o)
    all_partitions: list[ReassignablePartition] = []
    for _ in range(n):
        one_partitions, o = _read_reassignable_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ReassignableTopic") if b[o] else o + 1
    e = new(ReassignableTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_reassignable_topic_v0(e: ReassignableTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_reassignable_partition_v0(one_partitions, put)
    put(b"\0")


def _walk_reassignable_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ReassignableTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopic.name")
    if n > end - o:
        raise short("ReassignableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopic.partitions")
    if n * 6 > end - o:
        raise short("ReassignableTopic.partitions", n * 6, end - o)
    partitions, o = yield from walk_each(_walk_reassignable_partition_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ReassignableTopic") if b[o] else o + 1
    e = new(ReassignableTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_alter_partition_reassignments_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionReassignmentsRequest, int]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsRequest.topics", n * 3, end - o)
    all_topics: list[ReassignableTopic] = []
    for _ in range(n):
        one_topics, o = _read_reassignable_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.allow_replication_factor_change = True
    e.topics = topics
    return e, o


def _write_alter_partition_reassignments_request_v0(
    e: AlterPartitionReassignmentsRequest, put: Put
) -> None:
    put(pack_i(e.timeout_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_reassignable_topic_v0(one_topics, put)
    put(b"\0")


def _walk_alter_partition_reassignments_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterPartitionReassignmentsRequest]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_reassignable_topic_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.allow_replication_factor_change = True
    e.topics = topics
    return e, o


def _read_alter_partition_reassignments_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionReassignmentsRequest, int]:
    timeout_ms, allow_replication_factor_change = unpack_it(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsRequest.topics", n * 3, end - o)
    all_topics: list[ReassignableTopic] = []
    for _ in range(n):
        one_topics, o = _read_reassignable_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.allow_replication_factor_change = allow_replication_factor_change
    e.topics = topics
    return e, o


def _write_alter_partition_reassignments_request_v1(
    e: AlterPartitionReassignmentsRequest, put: Put
) -> None:
    put(pack_it(e.timeout_ms, e.allow_replication_factor_change))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_reassignable_topic_v0(one_topics, put)
    put(b"\0")


def _walk_alter_partition_reassignments_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterPartitionReassignmentsRequest]:
    timeout_ms, allow_replication_factor_change = unpack_it(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsRequest.topics")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_reassignable_topic_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.allow_replication_factor_change = allow_replication_factor_change
    e.topics = topics
    return e, o


AlterPartitionReassignmentsRequest.RESPONSE = AlterPartitionReassignmentsResponse
AlterPartitionReassignmentsRequest.WALKERS = {
    0: _walk_alter_partition_reassignments_request_v0,
    1: _walk_alter_partition_reassignments_request_v1,
}
AlterPartitionReassignmentsRequest.READERS = {
    0: _read_alter_partition_reassignments_request_v0,
    1: _read_alter_partition_reassignments_request_v1,
}
AlterPartitionReassignmentsRequest.WRITERS = {
    0: _write_alter_partition_reassignments_request_v0,
    1: _write_alter_partition_reassignments_request_v1,
}
