"""AlterReplicaStateResponse (key 30589), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Packed,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_ihB = Struct(">ihB").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from


class PartitionData(Message):
    """A part of AlterReplicaStateResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class TopicData(Message):
    """A part of AlterReplicaStateResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.name = name
        self.partitions = partitions


class AlterReplicaStateResponse(Response):
    """The response of API 30589."""

    KEY: ClassVar = 30589
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("error_code", "topics", "error_message")
    error_code: ErrorCode
    topics: Sequence[TopicData]
    error_message: str | None  # tag 0

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        topics: Sequence[TopicData] = (),
        error_message: str | None = None,
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.error_message = error_message


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
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.name")
    if n > end - o:
        raise short("TopicData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
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
    e.name = name
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _read_alter_replica_state_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaStateResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaStateResponse.topics")
    if n * 3 > end - o:
        raise short("AlterReplicaStateResponse.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    error_message: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "AlterReplicaStateResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "AlterReplicaStateResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    error_message = None
                else:
                    if n > end - o:
                        raise short("AlterReplicaStateResponse.error_message", n, end - o)
                    error_message = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("AlterReplicaStateResponse.error_message", o - stop)
            o = stop
    e = new(AlterReplicaStateResponse)
    e.error_code = error_code
    e.topics = topics
    e.error_message = error_message
    return e, o


def _write_alter_replica_state_response_v0(e: AlterReplicaStateResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v0(one_topics, put)
    tags: list[bytes] = []
    outer = put
    error_message = e.error_message
    if error_message is not None:
        error_message_pieces: list[Buffer] = []
        put = error_message_pieces.append
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
        piece = b"".join(error_message_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


AlterReplicaStateResponse.READERS = {
    0: _read_alter_replica_state_response_v0,
}
PartitionData.WRITERS = {
    0: _write_partition_data_v0,
}
TopicData.WRITERS = {
    0: _write_topic_data_v0,
}
AlterReplicaStateResponse.WRITERS = {
    0: _write_alter_replica_state_response_v0,
}
