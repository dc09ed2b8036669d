"""VoteRequest (key 52), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.vote_response import VoteResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_i = Struct(">i").pack
pack_iiiiqB = Struct(">iiiiqB").pack
pack_iiiuuiqB = Struct(">iii16s16siqB").pack
pack_iiiuuiqtB = Struct(">iii16s16siq?B").pack
unpack_i = Struct(">i").unpack_from
unpack_iiiiq = Struct(">iiiiq").unpack_from
unpack_iiiuuiq = Struct(">iii16s16siq").unpack_from
unpack_iiiuuiqt = Struct(">iii16s16siq?").unpack_from


class PartitionData(Message):
    """A part of VoteRequest."""

    __slots__ = (
        "partition_index",
        "replica_epoch",
        "replica_id",
        "replica_directory_id",
        "voter_directory_id",
        "last_offset_epoch",
        "last_offset",
        "pre_vote",
    )
    partition_index: int
    replica_epoch: int
    replica_id: int
    replica_directory_id: UUID | None  # from version 1
    voter_directory_id: UUID | None  # from version 1
    last_offset_epoch: int
    last_offset: int
    pre_vote: bool  # from version 2

    def __init__(
        self,
        *,
        partition_index: int = 0,
        replica_epoch: int = 0,
        replica_id: int = 0,
        replica_directory_id: UUID | None = None,
        voter_directory_id: UUID | None = None,
        last_offset_epoch: int = 0,
        last_offset: int = 0,
        pre_vote: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.replica_epoch = replica_epoch
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.voter_directory_id = voter_directory_id
        self.last_offset_epoch = last_offset_epoch
        self.last_offset = last_offset
        self.pre_vote = pre_vote


class TopicData(Message):
    """A part of VoteRequest."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class VoteRequest(Request[VoteResponse]):
    """The request of API 52."""

    KEY: ClassVar = 52
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("cluster_id", "voter_id", "topics")
    cluster_id: str | None
    voter_id: int  # from version 1
    topics: Sequence[TopicData]

    def __init__(
        self, *, cluster_id: str | None = None, voter_id: int = -1, topics: Sequence[TopicData] = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = topics


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, replica_epoch, replica_id, last_offset_epoch, last_offset = unpack_iiiiq(b, o)
    o += 24
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.replica_epoch = replica_epoch
    e.replica_id = replica_id
    e.replica_directory_id = None
    e.voter_directory_id = None
    e.last_offset_epoch = last_offset_epoch
    e.last_offset = last_offset
    e.pre_vote = False
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(
        pack_iiiiqB(
            e.partition_index, e.replica_epoch, e.replica_id, e.last_offset_epoch, e.last_offset, 0
        )
    )


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    (
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
    ) = unpack_iiiuuiq(b, o)
    o += 56
    replica_directory_id = uuid_of(replica_directory_id)
    voter_directory_id = uuid_of(voter_directory_id)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.replica_epoch = replica_epoch
    e.replica_id = replica_id
    e.replica_directory_id = replica_directory_id
    e.voter_directory_id = voter_directory_id
    e.last_offset_epoch = last_offset_epoch
    e.last_offset = last_offset
    e.pre_vote = False
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(
        pack_iiiuuiqB(
            e.partition_index,
            e.replica_epoch,
            e.replica_id,
            ZERO_UUID if e.replica_directory_id is None else e.replica_directory_id.bytes,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
            e.last_offset_epoch,
            e.last_offset,
            0,
        )
    )


def _read_partition_data_v2(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    (
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
        pre_vote,
    ) = unpack_iiiuuiqt(b, o)
    o += 57
    replica_directory_id = uuid_of(replica_directory_id)
    voter_directory_id = uuid_of(voter_directory_id)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.replica_epoch = replica_epoch
    e.replica_id = replica_id
    e.replica_directory_id = replica_directory_id
    e.voter_directory_id = voter_directory_id
    e.last_offset_epoch = last_offset_epoch
    e.last_offset = last_offset
    e.pre_vote = pre_vote
    return e, o


def _write_partition_data_v2(e: PartitionData, put: Put) -> None:
    put(
        pack_iiiuuiqtB(
            e.partition_index,
            e.replica_epoch,
            e.replica_id,
            ZERO_UUID if e.replica_directory_id is None else e.replica_directory_id.bytes,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
            e.last_offset_epoch,
            e.last_offset,
            e.pre_vote,
            0,
        )
    )


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 25 > end - o:
        raise short("TopicData.partitions", n * 25, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 25 > end - o:
        raise short("TopicData.partitions", n * 25, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_topic_data_v1(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 57 > end - o:
        raise short("TopicData.partitions", n * 57, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v1(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v1(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 57 > end - o:
        raise short("TopicData.partitions", n * 57, end - o)
    partitions, o = yield from read_each(_read_partition_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_topic_data_v2(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 58 > end - o:
        raise short("TopicData.partitions", n * 58, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v2(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v2(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 58 > end - o:
        raise short("TopicData.partitions", n * 58, end - o)
    partitions, o = yield from read_each(_read_partition_data_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_vote_request_v0(b: Buffer, o: int, end: int) -> tuple[VoteRequest, int]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = -1
    e.topics = topics
    return e, o


def _write_vote_request_v0(e: VoteRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _walk_vote_request_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[VoteRequest]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = -1
    e.topics = topics
    return e, o


def _read_vote_request_v1(b: Buffer, o: int, end: int) -> tuple[VoteRequest, int]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (voter_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    return e, o


def _write_vote_request_v1(e: VoteRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.voter_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v1(one_topics, put)
    put(b"\0")


def _walk_vote_request_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[VoteRequest]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (voter_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    return e, o


def _read_vote_request_v2(b: Buffer, o: int, end: int) -> tuple[VoteRequest, int]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (voter_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    return e, o


def _write_vote_request_v2(e: VoteRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.voter_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v2(one_topics, put)
    put(b"\0")


def _walk_vote_request_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[VoteRequest]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("VoteRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (voter_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("VoteRequest.topics")
    if n * 3 > end - o:
        raise short("VoteRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "VoteRequest") if b[o] else o + 1
    e = new(VoteRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    return e, o


VoteRequest.RESPONSE = VoteResponse
VoteRequest.WALKERS = {
    0: _walk_vote_request_v0,
    1: _walk_vote_request_v1,
    2: _walk_vote_request_v2,
}
VoteRequest.READERS = {
    0: _read_vote_request_v0,
    1: _read_vote_request_v1,
    2: _read_vote_request_v2,
}
VoteRequest.WRITERS = {
    0: _write_vote_request_v0,
    1: _write_vote_request_v1,
    2: _write_vote_request_v2,
}
