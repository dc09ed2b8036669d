"""BeginQuorumEpochResponse (key 53), versions 0 to 1. Written by `tools.messages`."""

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
pack_HB = Struct(">HB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihii = Struct(">ihii").pack
pack_ihiiB = Struct(">ihiiB").pack
unpack_H = Struct(">H").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihii = Struct(">ihii").unpack_from


class PartitionData(Message):
    """A part of BeginQuorumEpochResponse."""

    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch")
    partition_index: int
    error_code: ErrorCode
    leader_id: int
    leader_epoch: int

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


class TopicData(Message):
    """A part of BeginQuorumEpochResponse."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class NodeEndpoint(Message):
    """A part of BeginQuorumEpochResponse."""

    __slots__ = ("node_id", "host", "port")
    node_id: int
    host: str
    port: int

    def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port


class BeginQuorumEpochResponse(Response):
    """The response of API 53."""

    KEY: ClassVar = 53
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("error_code", "topics", "node_endpoints")
    error_code: ErrorCode
    topics: Sequence[TopicData]
    node_endpoints: Sequence[NodeEndpoint]  # from version 1, tag 0

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        topics: Sequence[TopicData] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch = unpack_ihii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_ihii(e.partition_index, e.error_code, e.leader_id, e.leader_epoch))


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch = unpack_ihii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(pack_ihiiB(e.partition_index, e.error_code, e.leader_id, e.leader_epoch, 0))


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
    if n * 14 > end - o:
        raise short("TopicData.partitions", n * 14, end - o)
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
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v0(one_partitions, put)


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
    if n * 15 > end - o:
        raise short("TopicData.partitions", n * 15, end - o)
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
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v1(one_partitions, put)
    put(b"\0")


def _read_node_endpoint_v1(b: Buffer, o: int, end: int) -> tuple[NodeEndpoint, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("NodeEndpoint.host")
    if n > end - o:
        raise short("NodeEndpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_H(b, o)
    o += 2
    o = skip_tags(b, o, end, "NodeEndpoint") if b[o] else o + 1
    e = new(NodeEndpoint)
    e.node_id = node_id
    e.host = host
    e.port = port
    return e, o


def _write_node_endpoint_v1(e: NodeEndpoint, put: Put) -> None:
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HB(e.port, 0))


def _read_begin_quorum_epoch_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[BeginQuorumEpochResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("BeginQuorumEpochResponse.topics")
    if n * 6 > end - o:
        raise short("BeginQuorumEpochResponse.topics", n * 6, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(BeginQuorumEpochResponse)
    e.error_code = error_code
    e.topics = topics
    e.node_endpoints = ()
    return e, o


def _write_begin_quorum_epoch_response_v0(e: BeginQuorumEpochResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v0(one_topics, put)


def _read_begin_quorum_epoch_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[BeginQuorumEpochResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BeginQuorumEpochResponse.topics")
    if n * 3 > end - o:
        raise short("BeginQuorumEpochResponse.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    node_endpoints: Sequence[NodeEndpoint] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BeginQuorumEpochResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BeginQuorumEpochResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BeginQuorumEpochResponse.node_endpoints")
                if n * 8 > end - o:
                    raise short("BeginQuorumEpochResponse.node_endpoints", n * 8, end - o)
                all_node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    one_node_endpoints, o = _read_node_endpoint_v1(b, o, end)
                    all_node_endpoints.append(one_node_endpoints)
                node_endpoints = tuple(all_node_endpoints)
                if o != stop:
                    raise wrong_size("BeginQuorumEpochResponse.node_endpoints", o - stop)
            o = stop
    e = new(BeginQuorumEpochResponse)
    e.error_code = error_code
    e.topics = topics
    e.node_endpoints = node_endpoints
    return e, o


def _write_begin_quorum_epoch_response_v1(e: BeginQuorumEpochResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v1(one_topics, put)
    tags: list[bytes] = []
    outer = put
    node_endpoints = e.node_endpoints
    if len(node_endpoints):
        node_endpoints_pieces: list[Buffer] = []
        put = node_endpoints_pieces.append
        put(put_uvarint(len(node_endpoints) + 1))
        if type(node_endpoints) is Packed:
            for piece in node_endpoints.pieces:
                put(piece)
        else:
            for one_node_endpoints in node_endpoints:
                _write_node_endpoint_v1(one_node_endpoints, put)
        piece = b"".join(node_endpoints_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


BeginQuorumEpochResponse.READERS = {
    0: _read_begin_quorum_epoch_response_v0,
    1: _read_begin_quorum_epoch_response_v1,
}
PartitionData.WRITERS = {
    0: _write_partition_data_v0,
    1: _write_partition_data_v1,
}
TopicData.WRITERS = {
    0: _write_topic_data_v0,
    1: _write_topic_data_v1,
}
NodeEndpoint.WRITERS = {
    1: _write_node_endpoint_v1,
}
BeginQuorumEpochResponse.WRITERS = {
    0: _write_begin_quorum_epoch_response_v0,
    1: _write_begin_quorum_epoch_response_v1,
}
