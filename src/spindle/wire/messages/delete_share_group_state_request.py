"""DeleteShareGroupStateRequest (key 86), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.delete_share_group_state_response import DeleteShareGroupStateResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iB = Struct(">iB").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of DeleteShareGroupStateRequest."""

    __slots__ = ("partition",)
    partition: int

    def __init__(self, *, partition: int = 0) -> None:
        self.partition = partition


class DeleteStateData(Message):
    """A part of DeleteShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DeleteShareGroupStateRequest(Request[DeleteShareGroupStateResponse]):
    """The request of API 86."""

    KEY: ClassVar = 86
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[DeleteStateData]

    def __init__(self, *, group_id: str = "", topics: Sequence[DeleteStateData] = ()) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    (partition,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition = partition
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iB(e.partition, 0))


def _read_delete_state_data_v0(b: Buffer, o: int, end: int) -> tuple[DeleteStateData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteStateData.partitions")
    if n * 5 > end - o:
        raise short("DeleteStateData.partitions", n * 5, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DeleteStateData") if b[o] else o + 1
    e = new(DeleteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_delete_state_data_v0(e: DeleteStateData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_delete_state_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[DeleteStateData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteStateData.partitions")
    if n * 5 > end - o:
        raise short("DeleteStateData.partitions", n * 5, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DeleteStateData") if b[o] else o + 1
    e = new(DeleteStateData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_delete_share_group_state_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("DeleteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("DeleteShareGroupStateRequest.topics", n * 18, end - o)
    all_topics: list[DeleteStateData] = []
    for _ in range(n):
        one_topics, o = _read_delete_state_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DeleteShareGroupStateRequest") if b[o] else o + 1
    e = new(DeleteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_delete_share_group_state_request_v0(e: DeleteShareGroupStateRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_delete_state_data_v0(one_topics, put)
    put(b"\0")


def _walk_delete_share_group_state_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteShareGroupStateRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupStateRequest.group_id")
    if n > end - o:
        raise short("DeleteShareGroupStateRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupStateRequest.topics")
    if n * 18 > end - o:
        raise short("DeleteShareGroupStateRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_delete_state_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DeleteShareGroupStateRequest") if b[o] else o + 1
    e = new(DeleteShareGroupStateRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


DeleteShareGroupStateRequest.RESPONSE = DeleteShareGroupStateResponse
DeleteShareGroupStateRequest.WALKERS = {
    0: _walk_delete_share_group_state_request_v0,
}
DeleteShareGroupStateRequest.READERS = {
    0: _read_delete_share_group_state_request_v0,
}
DeleteShareGroupStateRequest.WRITERS = {
    0: _write_delete_share_group_state_request_v0,
}
