"""FetchSnapshotResponse (key 59), versions 0 to 1. Written by `tools.messages`."""

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
    Records,
    Response,
    count_of,
    null,
    put_records,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_HB = Struct(">HB").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_iiB = Struct(">iiB").pack
pack_qiB = Struct(">qiB").pack
pack_qq = Struct(">qq").pack
unpack_H = Struct(">H").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_qq = Struct(">qq").unpack_from


class SnapshotId(Message):
    """A part of FetchSnapshotResponse."""

    __slots__ = ("end_offset", "epoch")
    end_offset: int
    epoch: int

    def __init__(self, *, end_offset: int = 0, epoch: int = 0) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


DEFAULT_SNAPSHOT_ID = SnapshotId()


class LeaderIdAndEpoch(Message):
    """A part of FetchSnapshotResponse."""

    __slots__ = ("leader_id", "leader_epoch")
    leader_id: int
    leader_epoch: int

    def __init__(self, *, leader_id: int = 0, leader_epoch: int = 0) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LEADER_ID_AND_EPOCH = LeaderIdAndEpoch()


class PartitionSnapshot(Message):
    """A part of FetchSnapshotResponse."""

    __slots__ = (
        "index",
        "error_code",
        "snapshot_id",
        "size",
        "position",
        "unaligned_records",
        "current_leader",
    )
    index: int
    error_code: ErrorCode
    snapshot_id: SnapshotId
    size: int
    position: int
    unaligned_records: Records
    current_leader: LeaderIdAndEpoch  # tag 0

    def __init__(
        self,
        *,
        index: int = 0,
        error_code: ErrorCode = Error.NONE,
        snapshot_id: SnapshotId = DEFAULT_SNAPSHOT_ID,
        size: int = 0,
        position: int = 0,
        unaligned_records: Records = b"",
        current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.snapshot_id = snapshot_id
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records
        self.current_leader = current_leader


class TopicSnapshot(Message):
    """A part of FetchSnapshotResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[PartitionSnapshot]

    def __init__(self, *, name: str = "", partitions: Sequence[PartitionSnapshot] = ()) -> None:
        self.name = name
        self.partitions = partitions


class NodeEndpoint(Message):
    """A part of FetchSnapshotResponse."""

    __slots__ = ("node_id", "host", "port")
    node_id: int
    host: str
    port: int

    def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port


class FetchSnapshotResponse(Response):
    """The response of API 59."""

    KEY: ClassVar = 59
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0
    HAS_RECORDS: ClassVar = True

    __slots__ = ("throttle_time_ms", "error_code", "topics", "node_endpoints")
    throttle_time_ms: int
    error_code: ErrorCode
    topics: Sequence[TopicSnapshot]
    node_endpoints: Sequence[NodeEndpoint]  # from version 1, tag 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        topics: Sequence[TopicSnapshot] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints


def _read_snapshot_id_v0(b: Buffer, o: int, end: int) -> tuple[SnapshotId, int]:
    end_offset, epoch = unpack_qi(b, o)
    o += 12
    o = skip_tags(b, o, end, "SnapshotId") if b[o] else o + 1
    e = new(SnapshotId)
    e.end_offset = end_offset
    e.epoch = epoch
    return e, o


def _write_snapshot_id_v0(e: SnapshotId, put: Put) -> None:
    put(pack_qiB(e.end_offset, e.epoch, 0))


def _read_leader_id_and_epoch_v0(b: Buffer, o: int, end: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch = unpack_ii(b, o)
    o += 8
    o = skip_tags(b, o, end, "LeaderIdAndEpoch") if b[o] else o + 1
    e = new(LeaderIdAndEpoch)
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_leader_id_and_epoch_v0(e: LeaderIdAndEpoch, put: Put) -> None:
    put(pack_iiB(e.leader_id, e.leader_epoch, 0))


def _read_partition_snapshot_v0(b: Buffer, o: int, end: int) -> tuple[PartitionSnapshot, int]:
    index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    snapshot_id, o = _read_snapshot_id_v0(b, o, end)
    size_, position = unpack_qq(b, o)
    o += 16
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionSnapshot.unaligned_records")
    if n > end - o:
        raise short("PartitionSnapshot.unaligned_records", n, end - o)
    unaligned_records = memoryview(b)[o : o + n]
    o += n
    current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "PartitionSnapshot")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "PartitionSnapshot")
            if tag == 0:
                current_leader, o = _read_leader_id_and_epoch_v0(b, o, end)
                if o != stop:
                    raise wrong_size("PartitionSnapshot.current_leader", o - stop)
            o = stop
    e = new(PartitionSnapshot)
    e.index = index
    e.error_code = error_code
    e.snapshot_id = snapshot_id
    e.size = size_
    e.position = position
    e.unaligned_records = unaligned_records
    e.current_leader = current_leader
    return e, o


def _write_partition_snapshot_v0(e: PartitionSnapshot, put: Put) -> None:
    put(pack_ih(e.index, e.error_code))
    snapshot_id = e.snapshot_id
    _write_snapshot_id_v0(snapshot_id, put)
    put(pack_qq(e.size, e.position))
    unaligned_records = e.unaligned_records
    put_records(unaligned_records, True, put)
    tags: list[bytes] = []
    outer = put
    current_leader = e.current_leader
    if (
        current_leader is not DEFAULT_LEADER_ID_AND_EPOCH
        and current_leader != DEFAULT_LEADER_ID_AND_EPOCH
    ):
        current_leader_pieces: list[Buffer] = []
        put = current_leader_pieces.append
        _write_leader_id_and_epoch_v0(current_leader, put)
        piece = b"".join(current_leader_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_topic_snapshot_v0(b: Buffer, o: int, end: int) -> tuple[TopicSnapshot, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicSnapshot.name")
    if n > end - o:
        raise short("TopicSnapshot.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicSnapshot.partitions")
    if n * 37 > end - o:
        raise short("TopicSnapshot.partitions", n * 37, end - o)
    all_partitions: list[PartitionSnapshot] = []
    for _ in range(n):
        one_partitions, o = _read_partition_snapshot_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicSnapshot") if b[o] else o + 1
    e = new(TopicSnapshot)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_topic_snapshot_v0(e: TopicSnapshot, put: Put) -> None:
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
            _write_partition_snapshot_v0(one_partitions, put)
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


def _read_fetch_snapshot_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotResponse.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotResponse.topics", n * 3, end - o)
    all_topics: list[TopicSnapshot] = []
    for _ in range(n):
        one_topics, o = _read_topic_snapshot_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "FetchSnapshotResponse") if b[o] else o + 1
    e = new(FetchSnapshotResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.topics = topics
    e.node_endpoints = ()
    return e, o


def _write_fetch_snapshot_response_v0(e: FetchSnapshotResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_snapshot_v0(one_topics, put)
    put(b"\0")


def _read_fetch_snapshot_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotResponse.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotResponse.topics", n * 3, end - o)
    all_topics: list[TopicSnapshot] = []
    for _ in range(n):
        one_topics, o = _read_topic_snapshot_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    node_endpoints: Sequence[NodeEndpoint] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchSnapshotResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchSnapshotResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("FetchSnapshotResponse.node_endpoints")
                if n * 8 > end - o:
                    raise short("FetchSnapshotResponse.node_endpoints", n * 8, end - o)
                all_node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    one_node_endpoints, o = _read_node_endpoint_v1(b, o, end)
                    all_node_endpoints.append(one_node_endpoints)
                node_endpoints = tuple(all_node_endpoints)
                if o != stop:
                    raise wrong_size("FetchSnapshotResponse.node_endpoints", o - stop)
            o = stop
    e = new(FetchSnapshotResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.topics = topics
    e.node_endpoints = node_endpoints
    return e, o


def _write_fetch_snapshot_response_v1(e: FetchSnapshotResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_snapshot_v0(one_topics, put)
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


FetchSnapshotResponse.READERS = {
    0: _read_fetch_snapshot_response_v0,
    1: _read_fetch_snapshot_response_v1,
}
SnapshotId.WRITERS = {
    0: _write_snapshot_id_v0,
    1: _write_snapshot_id_v0,
}
LeaderIdAndEpoch.WRITERS = {
    0: _write_leader_id_and_epoch_v0,
    1: _write_leader_id_and_epoch_v0,
}
PartitionSnapshot.WRITERS = {
    0: _write_partition_snapshot_v0,
    1: _write_partition_snapshot_v0,
}
TopicSnapshot.WRITERS = {
    0: _write_topic_snapshot_v0,
    1: _write_topic_snapshot_v0,
}
NodeEndpoint.WRITERS = {
    1: _write_node_endpoint_v1,
}
FetchSnapshotResponse.WRITERS = {
    0: _write_fetch_snapshot_response_v0,
    1: _write_fetch_snapshot_response_v1,
}
