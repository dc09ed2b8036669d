"""AssignReplicasToDirsRequest (key 73), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iB = Struct(">iB").pack
pack_iq = Struct(">iq").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of AssignReplicasToDirsRequest."""

    __slots__ = ("partition_index",)
    partition_index: int

    def __init__(self, *, partition_index: int = 0) -> None:
        self.partition_index = partition_index


class TopicData(Message):
    """A part of AssignReplicasToDirsRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DirectoryData(Message):
    """A part of AssignReplicasToDirsRequest."""

    __slots__ = ("id_", "topics")
    id_: UUID | None
    topics: Sequence[TopicData]

    def __init__(self, *, id_: UUID | None = None, topics: Sequence[TopicData] = ()) -> None:
        self.id_ = id_
        self.topics = topics


class AssignReplicasToDirsRequest(Request[AssignReplicasToDirsResponse]):
    """The request of API 73."""

    KEY: ClassVar = 73
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("broker_id", "broker_epoch", "directories")
    broker_id: int
    broker_epoch: int
    directories: Sequence[DirectoryData]

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: Sequence[DirectoryData] = (),
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = directories


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iB(e.partition_index, 0))


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 5 > end - o:
        raise short("TopicData.partitions", n * 5, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 5 > end - o:
        raise short("TopicData.partitions", n * 5, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_directory_data_v0(b: Buffer, o: int, end: int) -> tuple[DirectoryData, int]:
    (id_,) = unpack_u(b, o)
    o += 16
    id_ = uuid_of(id_)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DirectoryData.topics")
    if n * 18 > end - o:
        raise short("DirectoryData.topics", n * 18, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DirectoryData") if b[o] else o + 1
    e = new(DirectoryData)
    e.id_ = id_
    e.topics = topics
    return e, o


def _write_directory_data_v0(e: DirectoryData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.id_ is None else e.id_.bytes))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _walk_directory_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[DirectoryData]:
    (id_,) = unpack_u(b, o)
    o += 16
    id_ = uuid_of(id_)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DirectoryData.topics")
    if n * 18 > end - o:
        raise short("DirectoryData.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DirectoryData") if b[o] else o + 1
    e = new(DirectoryData)
    e.id_ = id_
    e.topics = topics
    return e, o


def _read_assign_replicas_to_dirs_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AssignReplicasToDirsRequest, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AssignReplicasToDirsRequest.directories")
    if n * 18 > end - o:
        raise short("AssignReplicasToDirsRequest.directories", n * 18, end - o)
    all_directories: list[DirectoryData] = []
    for _ in range(n):
        one_directories, o = _read_directory_data_v0(b, o, end)
        all_directories.append(one_directories)
    directories = tuple(all_directories)
    o = skip_tags(b, o, end, "AssignReplicasToDirsRequest") if b[o] else o + 1
    e = new(AssignReplicasToDirsRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.directories = directories
    return e, o


def _write_assign_replicas_to_dirs_request_v0(e: AssignReplicasToDirsRequest, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    directories = e.directories
    put(put_uvarint(len(directories) + 1))
    for one_directories in directories:
        _write_directory_data_v0(one_directories, put)
    put(b"\0")


def _walk_assign_replicas_to_dirs_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AssignReplicasToDirsRequest]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AssignReplicasToDirsRequest.directories")
    if n * 18 > end - o:
        raise short("AssignReplicasToDirsRequest.directories", n * 18, end - o)
    directories, o = yield from walk_each(_walk_directory_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "AssignReplicasToDirsRequest") if b[o] else o + 1
    e = new(AssignReplicasToDirsRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.directories = directories
    return e, o


AssignReplicasToDirsRequest.RESPONSE = AssignReplicasToDirsResponse
AssignReplicasToDirsRequest.WALKERS = {
    0: _walk_assign_replicas_to_dirs_request_v0,
}
AssignReplicasToDirsRequest.READERS = {
    0: _read_assign_replicas_to_dirs_request_v0,
}
AssignReplicasToDirsRequest.WRITERS = {
    0: _write_assign_replicas_to_dirs_request_v0,
}
