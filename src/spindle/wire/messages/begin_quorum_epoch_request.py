"""BeginQuorumEpochRequest (key 53), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.begin_quorum_epoch_response import BeginQuorumEpochResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_HB = Struct(">HB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iii = Struct(">iii").pack
pack_iuiiB = Struct(">i16siiB").pack
unpack_H = Struct(">H").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_iuii = Struct(">i16sii").unpack_from


class PartitionData(Message):
    """A part of BeginQuorumEpochRequest."""

    __slots__ = ("partition_index", "voter_directory_id", "leader_id", "leader_epoch")
    partition_index: int
    voter_directory_id: UUID | None  # from version 1
    leader_id: int
    leader_epoch: int

    def __init__(
        self,
        *,
        partition_index: int = 0,
        voter_directory_id: UUID | None = None,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.voter_directory_id = voter_directory_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


class TopicData(Message):
    """A part of BeginQuorumEpochRequest."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class LeaderEndpoint(Message):
    """A part of BeginQuorumEpochRequest."""

    __slots__ = ("name", "host", "port")
    name: str
    host: str
    port: int

    def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
        self.name = name
        self.host = host
        self.port = port


class BeginQuorumEpochRequest(Request[BeginQuorumEpochResponse]):
    """The request of API 53."""

    KEY: ClassVar = 53
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("cluster_id", "voter_id", "topics", "leader_endpoints")
    cluster_id: str | None
    voter_id: int  # from version 1
    topics: Sequence[TopicData]
    leader_endpoints: Sequence[LeaderEndpoint]  # from version 1

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: Sequence[TopicData] = (),
        leader_endpoints: Sequence[LeaderEndpoint] = (),
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = topics
        self.leader_endpoints = leader_endpoints


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, leader_id, leader_epoch = unpack_iii(b, o)
    o += 12
    e = new(PartitionData)
    e.partition_index = partition_index
    e.voter_directory_id = None
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_iii(e.partition_index, e.leader_id, e.leader_epoch))


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, voter_directory_id, leader_id, leader_epoch = unpack_iuii(b, o)
    o += 28
    voter_directory_id = uuid_of(voter_directory_id)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.voter_directory_id = voter_directory_id
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(
        pack_iuiiB(
            e.partition_index,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
            e.leader_id,
            e.leader_epoch,
            0,
        )
    )


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicData.partitions")
    if n * 12 > end - o:
        raise short("TopicData.partitions", n * 12, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_partition_data_v0(one_partitions, put)


def _walk_topic_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicData.partitions")
    if n * 12 > end - o:
        raise short("TopicData.partitions", n * 12, end - o)
    partitions, o = yield from read_each(_read_partition_data_v0, b, o, end, at, n)
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
    if n * 29 > end - o:
        raise short("TopicData.partitions", n * 29, end - o)
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
    if n * 29 > end - o:
        raise short("TopicData.partitions", n * 29, end - o)
    partitions, o = yield from read_each(_read_partition_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _read_leader_endpoint_v1(b: Buffer, o: int, end: int) -> tuple[LeaderEndpoint, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderEndpoint.name")
    if n > end - o:
        raise short("LeaderEndpoint.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderEndpoint.host")
    if n > end - o:
        raise short("LeaderEndpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_H(b, o)
    o += 2
    o = skip_tags(b, o, end, "LeaderEndpoint") if b[o] else o + 1
    e = new(LeaderEndpoint)
    e.name = name
    e.host = host
    e.port = port
    return e, o


def _write_leader_endpoint_v1(e: LeaderEndpoint, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HB(e.port, 0))


def _read_begin_quorum_epoch_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[BeginQuorumEpochRequest, int]:
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("BeginQuorumEpochRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("BeginQuorumEpochRequest.topics")
    if n * 6 > end - o:
        raise short("BeginQuorumEpochRequest.topics", n * 6, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(BeginQuorumEpochRequest)
    e.cluster_id = cluster_id
    e.voter_id = -1
    e.topics = topics
    e.leader_endpoints = ()
    return e, o


def _write_begin_quorum_epoch_request_v0(e: BeginQuorumEpochRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_topic_data_v0(one_topics, put)


def _walk_begin_quorum_epoch_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BeginQuorumEpochRequest]:
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("BeginQuorumEpochRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("BeginQuorumEpochRequest.topics")
    if n * 6 > end - o:
        raise short("BeginQuorumEpochRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v0, b, o, end, at, n)
    e = new(BeginQuorumEpochRequest)
    e.cluster_id = cluster_id
    e.voter_id = -1
    e.topics = topics
    e.leader_endpoints = ()
    return e, o


def _read_begin_quorum_epoch_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[BeginQuorumEpochRequest, int]:
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
            raise short("BeginQuorumEpochRequest.cluster_id", n, end - o)
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
        raise null("BeginQuorumEpochRequest.topics")
    if n * 3 > end - o:
        raise short("BeginQuorumEpochRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BeginQuorumEpochRequest.leader_endpoints")
    if n * 5 > end - o:
        raise short("BeginQuorumEpochRequest.leader_endpoints", n * 5, end - o)
    all_leader_endpoints: list[LeaderEndpoint] = []
    for _ in range(n):
        one_leader_endpoints, o = _read_leader_endpoint_v1(b, o, end)
        all_leader_endpoints.append(one_leader_endpoints)
    leader_endpoints = tuple(all_leader_endpoints)
    o = skip_tags(b, o, end, "BeginQuorumEpochRequest") if b[o] else o + 1
    e = new(BeginQuorumEpochRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    e.leader_endpoints = leader_endpoints
    return e, o


def _write_begin_quorum_epoch_request_v1(e: BeginQuorumEpochRequest, put: Put) -> None:
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
    leader_endpoints = e.leader_endpoints
    put(put_uvarint(len(leader_endpoints) + 1))
    for one_leader_endpoints in leader_endpoints:
        _write_leader_endpoint_v1(one_leader_endpoints, put)
    put(b"\0")


def _walk_begin_quorum_epoch_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BeginQuorumEpochRequest]:
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
            raise short("BeginQuorumEpochRequest.cluster_id", n, end - o)
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
        raise null("BeginQuorumEpochRequest.topics")
    if n * 3 > end - o:
        raise short("BeginQuorumEpochRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v1, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BeginQuorumEpochRequest.leader_endpoints")
    if n * 5 > end - o:
        raise short("BeginQuorumEpochRequest.leader_endpoints", n * 5, end - o)
    leader_endpoints, o = yield from read_each(_read_leader_endpoint_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "BeginQuorumEpochRequest") if b[o] else o + 1
    e = new(BeginQuorumEpochRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.topics = topics
    e.leader_endpoints = leader_endpoints
    return e, o


BeginQuorumEpochRequest.RESPONSE = BeginQuorumEpochResponse
BeginQuorumEpochRequest.WALKERS = {
    0: _walk_begin_quorum_epoch_request_v0,
    1: _walk_begin_quorum_epoch_request_v1,
}
BeginQuorumEpochRequest.READERS = {
    0: _read_begin_quorum_epoch_request_v0,
    1: _read_begin_quorum_epoch_request_v1,
}
BeginQuorumEpochRequest.WRITERS = {
    0: _write_begin_quorum_epoch_request_v0,
    1: _write_begin_quorum_epoch_request_v1,
}
