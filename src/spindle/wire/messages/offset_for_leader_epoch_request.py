"""OffsetForLeaderEpochRequest (key 23), versions 2 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.offset_for_leader_epoch_response import OffsetForLeaderEpochResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iii = Struct(">iii").pack
pack_iiiB = Struct(">iiiB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iii = Struct(">iii").unpack_from


class OffsetForLeaderPartition(Message):
    """A part of OffsetForLeaderEpochRequest."""

    __slots__ = ("partition", "current_leader_epoch", "leader_epoch")
    partition: int
    current_leader_epoch: int
    leader_epoch: int

    def __init__(
        self, *, partition: int = 0, current_leader_epoch: int = -1, leader_epoch: int = 0
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch


class OffsetForLeaderTopic(Message):
    """A part of OffsetForLeaderEpochRequest."""

    __slots__ = ("topic", "partitions")
    topic: str
    partitions: Sequence[OffsetForLeaderPartition]

    def __init__(
        self, *, topic: str = "", partitions: Sequence[OffsetForLeaderPartition] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochRequest(Request[OffsetForLeaderEpochResponse]):
    """The request of API 23."""

    KEY: ClassVar = 23
    VERSIONS: ClassVar = range(2, 5)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = ("replica_id", "topics")
    replica_id: int  # from version 3
    topics: Sequence[OffsetForLeaderTopic]

    def __init__(
        self, *, replica_id: int = -2, topics: Sequence[OffsetForLeaderTopic] = ()
    ) -> None:
        self.replica_id = replica_id
        self.topics = topics


def _read_offset_for_leader_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch = unpack_iii(b, o)
    o += 12
    e = new(OffsetForLeaderPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.leader_epoch = leader_epoch
    return e, o


def _write_offset_for_leader_partition_v2(e: OffsetForLeaderPartition, put: Put) -> None:
    put(pack_iii(e.partition, e.current_leader_epoch, e.leader_epoch))


def _read_offset_for_leader_partition_v4(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch = unpack_iii(b, o)
    o += 12
    o = skip_tags(b, o, end, "OffsetForLeaderPartition") if b[o] else o + 1
    e = new(OffsetForLeaderPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.leader_epoch = leader_epoch
    return e, o


def _write_offset_for_leader_partition_v4(e: OffsetForLeaderPartition, put: Put) -> None:
    put(pack_iiiB(e.partition, e.current_leader_epoch, e.leader_epoch, 0))


def _read_offset_for_leader_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetForLeaderTopic.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderTopic.partitions")
    if n * 12 > end - o:
        raise short("OffsetForLeaderTopic.partitions", n * 12, end - o)
    all_partitions: list[OffsetForLeaderPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_for_leader_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetForLeaderTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_offset_for_leader_topic_v2(e: OffsetForLeaderTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_offset_for_leader_partition_v2(one_partitions, put)


def _walk_offset_for_leader_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetForLeaderTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetForLeaderTopic.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderTopic.partitions")
    if n * 12 > end - o:
        raise short("OffsetForLeaderTopic.partitions", n * 12, end - o)
    partitions, o = yield from read_each(_read_offset_for_leader_partition_v2, b, o, end, at, n)
    e = new(OffsetForLeaderTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_offset_for_leader_topic_v4(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopic.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopic.partitions")
    if n * 13 > end - o:
        raise short("OffsetForLeaderTopic.partitions", n * 13, end - o)
    all_partitions: list[OffsetForLeaderPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_for_leader_partition_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetForLeaderTopic") if b[o] else o + 1
    e = new(OffsetForLeaderTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_offset_for_leader_topic_v4(e: OffsetForLeaderTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_offset_for_leader_partition_v4(one_partitions, put)
    put(b"\0")


def _walk_offset_for_leader_topic_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetForLeaderTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopic.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopic.partitions")
    if n * 13 > end - o:
        raise short("OffsetForLeaderTopic.partitions", n * 13, end - o)
    partitions, o = yield from read_each(_read_offset_for_leader_partition_v4, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetForLeaderTopic") if b[o] else o + 1
    e = new(OffsetForLeaderTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_offset_for_leader_epoch_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderEpochRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 6, end - o)
    all_topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_for_leader_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = -2
    e.topics = topics
    return e, o


def _write_offset_for_leader_epoch_request_v2(e: OffsetForLeaderEpochRequest, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_for_leader_topic_v2(one_topics, put)


def _walk_offset_for_leader_epoch_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetForLeaderEpochRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_for_leader_topic_v2, b, o, end, at, n)
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = -2
    e.topics = topics
    return e, o


def _read_offset_for_leader_epoch_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderEpochRequest, int]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 6, end - o)
    all_topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_for_leader_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = replica_id
    e.topics = topics
    return e, o


def _write_offset_for_leader_epoch_request_v3(e: OffsetForLeaderEpochRequest, put: Put) -> None:
    put(pack_i(e.replica_id))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_for_leader_topic_v2(one_topics, put)


def _walk_offset_for_leader_epoch_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetForLeaderEpochRequest]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_for_leader_topic_v2, b, o, end, at, n)
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = replica_id
    e.topics = topics
    return e, o


def _read_offset_for_leader_epoch_request_v4(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderEpochRequest, int]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 3 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 3, end - o)
    all_topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_for_leader_topic_v4(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetForLeaderEpochRequest") if b[o] else o + 1
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = replica_id
    e.topics = topics
    return e, o


def _write_offset_for_leader_epoch_request_v4(e: OffsetForLeaderEpochRequest, put: Put) -> None:
    put(pack_i(e.replica_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_offset_for_leader_topic_v4(one_topics, put)
    put(b"\0")


def _walk_offset_for_leader_epoch_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetForLeaderEpochRequest]:
    (replica_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderEpochRequest.topics")
    if n * 3 > end - o:
        raise short("OffsetForLeaderEpochRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_offset_for_leader_topic_v4, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetForLeaderEpochRequest") if b[o] else o + 1
    e = new(OffsetForLeaderEpochRequest)
    e.replica_id = replica_id
    e.topics = topics
    return e, o


OffsetForLeaderEpochRequest.RESPONSE = OffsetForLeaderEpochResponse
OffsetForLeaderEpochRequest.WALKERS = {
    2: _walk_offset_for_leader_epoch_request_v2,
    3: _walk_offset_for_leader_epoch_request_v3,
    4: _walk_offset_for_leader_epoch_request_v4,
}
OffsetForLeaderEpochRequest.READERS = {
    2: _read_offset_for_leader_epoch_request_v2,
    3: _read_offset_for_leader_epoch_request_v3,
    4: _read_offset_for_leader_epoch_request_v4,
}
OffsetForLeaderEpochRequest.WRITERS = {
    2: _write_offset_for_leader_epoch_request_v2,
    3: _write_offset_for_leader_epoch_request_v3,
    4: _write_offset_for_leader_epoch_request_v4,
}
