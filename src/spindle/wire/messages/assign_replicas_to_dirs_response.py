"""AssignReplicasToDirsResponse (key 73), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_u = Struct(">16s").pack
unpack_ih = Struct(">ih").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of AssignReplicasToDirsResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class TopicData(Message):
    """A part of AssignReplicasToDirsResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DirectoryData(Message):
    """A part of AssignReplicasToDirsResponse."""

    __slots__ = ("id_", "topics")
    id_: UUID | None
    topics: Sequence[TopicData]

    def __init__(self, *, id_: UUID | None = None, topics: Sequence[TopicData] = ()) -> None:
        self.id_ = id_
        self.topics = topics


class AssignReplicasToDirsResponse(Response):
    """The response of API 73."""

    KEY: ClassVar = 73
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "directories")
    throttle_time_ms: int
    error_code: ErrorCode
    directories: Sequence[DirectoryData]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        directories: Sequence[DirectoryData] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = directories


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_ihB(e.partition_index, e.error_code, 0))


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
    if n * 7 > end - o:
        raise short("TopicData.partitions", n * 7, end - o)
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
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v0(one_partitions, put)
    put(b"\0")


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
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _read_assign_replicas_to_dirs_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AssignReplicasToDirsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AssignReplicasToDirsResponse.directories")
    if n * 18 > end - o:
        raise short("AssignReplicasToDirsResponse.directories", n * 18, end - o)
    all_directories: list[DirectoryData] = []
    for _ in range(n):
        one_directories, o = _read_directory_data_v0(b, o, end)
        all_directories.append(one_directories)
    directories = tuple(all_directories)
    o = skip_tags(b, o, end, "AssignReplicasToDirsResponse") if b[o] else o + 1
    e = new(AssignReplicasToDirsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.directories = directories
    return e, o


def _write_assign_replicas_to_dirs_response_v0(e: AssignReplicasToDirsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    directories = e.directories
    put(put_uvarint(len(directories) + 1))
    if type(directories) is Packed:
        for piece in directories.pieces:
            put(piece)
    else:
        for one_directories in directories:
            _write_directory_data_v0(one_directories, put)
    put(b"\0")


AssignReplicasToDirsResponse.READERS = {
    0: _read_assign_replicas_to_dirs_response_v0,
}
PartitionData.WRITERS = {
    0: _write_partition_data_v0,
}
TopicData.WRITERS = {
    0: _write_topic_data_v0,
}
DirectoryData.WRITERS = {
    0: _write_directory_data_v0,
}
AssignReplicasToDirsResponse.WRITERS = {
    0: _write_assign_replicas_to_dirs_response_v0,
}
