"""DescribeTopicPartitionsResponse (key 75), version 0. Written by `tools.messages`."""

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
pack_hiii = Struct(">hiii").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ut = Struct(">16s?").pack
unpack_h = Struct(">h").unpack_from
unpack_hiii = Struct(">hiii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ut = Struct(">16s?").unpack_from


class DescribeTopicPartitionsResponsePartition(Message):
    """A part of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "eligible_leader_replicas",
        "last_known_elr",
        "offline_replicas",
    )
    error_code: ErrorCode
    partition_index: int
    leader_id: int
    leader_epoch: int
    replica_nodes: Sequence[int]
    isr_nodes: Sequence[int]
    eligible_leader_replicas: Sequence[int] | None
    last_known_elr: Sequence[int] | None
    offline_replicas: Sequence[int]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        eligible_leader_replicas: Sequence[int] | None = None,
        last_known_elr: Sequence[int] | None = None,
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = offline_replicas


class DescribeTopicPartitionsResponseTopic(Message):
    """A part of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "name",
        "topic_id",
        "is_internal",
        "partitions",
        "topic_authorized_operations",
    )
    error_code: ErrorCode
    name: str | None
    topic_id: UUID | None
    is_internal: bool
    partitions: Sequence[DescribeTopicPartitionsResponsePartition]
    topic_authorized_operations: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        name: str | None = None,
        topic_id: UUID | None = None,
        is_internal: bool = False,
        partitions: Sequence[DescribeTopicPartitionsResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class Cursor(Message):
    """A part of DescribeTopicPartitionsResponse."""

    __slots__ = ("topic_name", "partition_index")
    topic_name: str
    partition_index: int

    def __init__(self, *, topic_name: str = "", partition_index: int = 0) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsResponse(Response):
    """The response of API 75."""

    KEY: ClassVar = 75
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "topics", "next_cursor")
    throttle_time_ms: int
    topics: Sequence[DescribeTopicPartitionsResponseTopic]
    next_cursor: Cursor | None

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: Sequence[DescribeTopicPartitionsResponseTopic] = (),
        next_cursor: Cursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.next_cursor = next_cursor


def _read_describe_topic_partitions_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTopicPartitionsResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch = unpack_hiii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsResponsePartition.replica_nodes")
    if n * 4 > end - o:
        raise short("DescribeTopicPartitionsResponsePartition.replica_nodes", n * 4, end - o)
    replica_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsResponsePartition.isr_nodes")
    if n * 4 > end - o:
        raise short("DescribeTopicPartitionsResponsePartition.isr_nodes", n * 4, end - o)
    isr_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    eligible_leader_replicas: Sequence[int] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        eligible_leader_replicas = None
    else:
        if n * 4 > end - o:
            raise short(
                "DescribeTopicPartitionsResponsePartition.eligible_leader_replicas", n * 4, end - o
            )
        eligible_leader_replicas = unpack_from(f">{n}i", b, o)
        o += n * 4
    last_known_elr: Sequence[int] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        last_known_elr = None
    else:
        if n * 4 > end - o:
            raise short("DescribeTopicPartitionsResponsePartition.last_known_elr", n * 4, end - o)
        last_known_elr = unpack_from(f">{n}i", b, o)
        o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsResponsePartition.offline_replicas")
    if n * 4 > end - o:
        raise short("DescribeTopicPartitionsResponsePartition.offline_replicas", n * 4, end - o)
    offline_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "DescribeTopicPartitionsResponsePartition") if b[o] else o + 1
    e = new(DescribeTopicPartitionsResponsePartition)
    e.error_code = error_code
    e.partition_index = partition_index
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.replica_nodes = replica_nodes
    e.isr_nodes = isr_nodes
    e.eligible_leader_replicas = eligible_leader_replicas
    e.last_known_elr = last_known_elr
    e.offline_replicas = offline_replicas
    return e, o


def _write_describe_topic_partitions_response_partition_v0(
    e: DescribeTopicPartitionsResponsePartition, put: Put
) -> None:
    put(pack_hiii(e.error_code, e.partition_index, e.leader_id, e.leader_epoch))
    replica_nodes = e.replica_nodes
    put(put_uvarint(len(replica_nodes) + 1))
    if replica_nodes:
        put(pack(f">{len(replica_nodes)}i", *replica_nodes))
    isr_nodes = e.isr_nodes
    put(put_uvarint(len(isr_nodes) + 1))
    if isr_nodes:
        put(pack(f">{len(isr_nodes)}i", *isr_nodes))
    eligible_leader_replicas = e.eligible_leader_replicas
    if eligible_leader_replicas is None:
        put(b"\0")
    else:
        put(put_uvarint(len(eligible_leader_replicas) + 1))
        if eligible_leader_replicas:
            put(pack(f">{len(eligible_leader_replicas)}i", *eligible_leader_replicas))
    last_known_elr = e.last_known_elr
    if last_known_elr is None:
        put(b"\0")
    else:
        put(put_uvarint(len(last_known_elr) + 1))
        if last_known_elr:
            put(pack(f">{len(last_known_elr)}i", *last_known_elr))
    offline_replicas = e.offline_replicas
    put(put_uvarint(len(offline_replicas) + 1))
    if offline_replicas:
        put(pack(f">{len(offline_replicas)}i", *offline_replicas))
    put(b"\0")


def _read_describe_topic_partitions_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTopicPartitionsResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        name = None
    else:
        if n > end - o:
            raise short("DescribeTopicPartitionsResponseTopic.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
        o += n
    topic_id, is_internal = unpack_ut(b, o)
    o += 17
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsResponseTopic.partitions")
    if n * 20 > end - o:
        raise short("DescribeTopicPartitionsResponseTopic.partitions", n * 20, end - o)
    all_partitions: list[DescribeTopicPartitionsResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_describe_topic_partitions_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    (topic_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeTopicPartitionsResponseTopic") if b[o] else o + 1
    e = new(DescribeTopicPartitionsResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = topic_id
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = topic_authorized_operations
    return e, o


def _write_describe_topic_partitions_response_topic_v0(
    e: DescribeTopicPartitionsResponseTopic, put: Put
) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_ut(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.is_internal))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_describe_topic_partitions_response_partition_v0(one_partitions, put)
    put(pack_iB(e.topic_authorized_operations, 0))


def _read_cursor_v0(b: Buffer, o: int, end: int) -> tuple[Cursor, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Cursor.topic_name")
    if n > end - o:
        raise short("Cursor.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (partition_index,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "Cursor") if b[o] else o + 1
    e = new(Cursor)
    e.topic_name = topic_name
    e.partition_index = partition_index
    return e, o


def _write_cursor_v0(e: Cursor, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iB(e.partition_index, 0))


def _read_describe_topic_partitions_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTopicPartitionsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTopicPartitionsResponse.topics")
    if n * 26 > end - o:
        raise short("DescribeTopicPartitionsResponse.topics", n * 26, end - o)
    all_topics: list[DescribeTopicPartitionsResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_describe_topic_partitions_response_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    next_cursor: Cursor | None = None
    n = b[o]
    o += 1
    if n < 128:
        next_cursor, o = _read_cursor_v0(b, o, end)
    o = skip_tags(b, o, end, "DescribeTopicPartitionsResponse") if b[o] else o + 1
    e = new(DescribeTopicPartitionsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    e.next_cursor = next_cursor
    return e, o


def _write_describe_topic_partitions_response_v0(
    e: DescribeTopicPartitionsResponse, put: Put
) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_describe_topic_partitions_response_topic_v0(one_topics, put)
    next_cursor = e.next_cursor
    if next_cursor is None:
        put(b"\xff")
    else:
        put(b"\1")
        _write_cursor_v0(next_cursor, put)
    put(b"\0")


DescribeTopicPartitionsResponse.READERS = {
    0: _read_describe_topic_partitions_response_v0,
}
DescribeTopicPartitionsResponsePartition.WRITERS = {
    0: _write_describe_topic_partitions_response_partition_v0,
}
DescribeTopicPartitionsResponseTopic.WRITERS = {
    0: _write_describe_topic_partitions_response_topic_v0,
}
Cursor.WRITERS = {
    0: _write_cursor_v0,
}
DescribeTopicPartitionsResponse.WRITERS = {
    0: _write_describe_topic_partitions_response_v0,
}
