"""FetchSnapshotRequest (key 59), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, count_of, null, skip_tags, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.fetch_snapshot_response import FetchSnapshotResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_ii = Struct(">ii").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
pack_qiB = Struct(">qiB").pack
pack_u = Struct(">16s").pack
unpack_ii = Struct(">ii").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_u = Struct(">16s").unpack_from


class SnapshotId(Message):
    """A part of FetchSnapshotRequest."""

    __slots__ = ("end_offset", "epoch")
    end_offset: int
    epoch: int

    def __init__(self, *, end_offset: int = 0, epoch: int = 0) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


DEFAULT_SNAPSHOT_ID = SnapshotId()


class PartitionSnapshot(Message):
    """A part of FetchSnapshotRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "snapshot_id",
        "position",
        "replica_directory_id",
    )
    partition: int
    current_leader_epoch: int
    snapshot_id: SnapshotId
    position: int
    replica_directory_id: UUID | None  # from version 1, tag 0

    def __init__(
        self,
        *,
        partition: int = 0,
        current_leader_epoch: int = 0,
        snapshot_id: SnapshotId = DEFAULT_SNAPSHOT_ID,
        position: int = 0,
        replica_directory_id: UUID | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.snapshot_id = snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id


class TopicSnapshot(Message):
    """A part of FetchSnapshotRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[PartitionSnapshot]

    def __init__(self, *, name: str = "", partitions: Sequence[PartitionSnapshot] = ()) -> None:
        self.name = name
        self.partitions = partitions


class FetchSnapshotRequest(Request[FetchSnapshotResponse]):
    """The request of API 59."""

    KEY: ClassVar = 59
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("replica_id", "max_bytes", "topics", "cluster_id")
    replica_id: int
    max_bytes: int
    topics: Sequence[TopicSnapshot]
    cluster_id: str | None  # tag 0

    def __init__(
        self,
        *,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: Sequence[TopicSnapshot] = (),
        cluster_id: str | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = topics
        self.cluster_id = cluster_id


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


def _read_partition_snapshot_v0(b: Buffer, o: int, end: int) -> tuple[PartitionSnapshot, int]:
    partition, current_leader_epoch = unpack_ii(b, o)
    o += 8
    snapshot_id, o = _read_snapshot_id_v0(b, o, end)
    (position,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "PartitionSnapshot") if b[o] else o + 1
    e = new(PartitionSnapshot)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.snapshot_id = snapshot_id
    e.position = position
    e.replica_directory_id = None
    return e, o


def _write_partition_snapshot_v0(e: PartitionSnapshot, put: Put) -> None:
    put(pack_ii(e.partition, e.current_leader_epoch))
    snapshot_id = e.snapshot_id
    _write_snapshot_id_v0(snapshot_id, put)
    put(pack_qB(e.position, 0))


def _read_partition_snapshot_v1(b: Buffer, o: int, end: int) -> tuple[PartitionSnapshot, int]:
    partition, current_leader_epoch = unpack_ii(b, o)
    o += 8
    snapshot_id, o = _read_snapshot_id_v0(b, o, end)
    (position,) = unpack_q(b, o)
    o += 8
    replica_directory_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "PartitionSnapshot")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "PartitionSnapshot")
            if tag == 0:
                (replica_directory_id,) = unpack_u(b, o)
                o += 16
                replica_directory_id = uuid_of(replica_directory_id)
                if o != stop:
                    raise wrong_size("PartitionSnapshot.replica_directory_id", o - stop)
            o = stop
    e = new(PartitionSnapshot)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.snapshot_id = snapshot_id
    e.position = position
    e.replica_directory_id = replica_directory_id
    return e, o


def _write_partition_snapshot_v1(e: PartitionSnapshot, put: Put) -> None:
    put(pack_ii(e.partition, e.current_leader_epoch))
    snapshot_id = e.snapshot_id
    _write_snapshot_id_v0(snapshot_id, put)
    put(pack_q(e.position))
    tags: list[bytes] = []
    outer = put
    replica_directory_id = e.replica_directory_id
    if replica_directory_id is not None:
        replica_directory_id_pieces: list[Buffer] = []
        put = replica_directory_id_pieces.append
        put(pack_u(ZERO_UUID if replica_directory_id is None else replica_directory_id.bytes))
        piece = b"".join(replica_directory_id_pieces)
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
    if n * 30 > end - o:
        raise short("TopicSnapshot.partitions", n * 30, end - o)
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
    for one_partitions in partitions:
        _write_partition_snapshot_v0(one_partitions, put)
    put(b"\0")


def _walk_topic_snapshot_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicSnapshot]:
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
    if n * 30 > end - o:
        raise short("TopicSnapshot.partitions", n * 30, end - o)
    partitions, o = yield from read_each(_read_partition_snapshot_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicSnapshot") if b[o] else o + 1
    e = new(TopicSnapshot)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_topic_snapshot_v1(b: Buffer, o: int, end: int) -> tuple[TopicSnapshot, int]:
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
    if n * 30 > end - o:
        raise short("TopicSnapshot.partitions", n * 30, end - o)
    all_partitions: list[PartitionSnapshot] = []
    for _ in range(n):
        one_partitions, o = _read_partition_snapshot_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicSnapshot") if b[o] else o + 1
    e = new(TopicSnapshot)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_topic_snapshot_v1(e: TopicSnapshot, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_snapshot_v1(one_partitions, put)
    put(b"\0")


def _walk_topic_snapshot_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicSnapshot]:
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
    if n * 30 > end - o:
        raise short("TopicSnapshot.partitions", n * 30, end - o)
    partitions, o = yield from read_each(_read_partition_snapshot_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicSnapshot") if b[o] else o + 1
    e = new(TopicSnapshot)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_fetch_snapshot_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotRequest.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotRequest.topics", n * 3, end - o)
    all_topics: list[TopicSnapshot] = []
    for _ in range(n):
        one_topics, o = _read_topic_snapshot_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchSnapshotRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchSnapshotRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cluster_id = None
                else:
                    if n > end - o:
                        raise short("FetchSnapshotRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchSnapshotRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchSnapshotRequest)
    e.replica_id = replica_id
    e.max_bytes = max_bytes
    e.topics = topics
    e.cluster_id = cluster_id
    return e, o


def _write_fetch_snapshot_request_v0(e: FetchSnapshotRequest, put: Put) -> None:
    put(pack_ii(e.replica_id, e.max_bytes))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_snapshot_v0(one_topics, put)
    tags: list[bytes] = []
    outer = put
    cluster_id = e.cluster_id
    if cluster_id is not None:
        cluster_id_pieces: list[Buffer] = []
        put = cluster_id_pieces.append
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
        piece = b"".join(cluster_id_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_fetch_snapshot_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[FetchSnapshotRequest]:
    replica_id, max_bytes = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotRequest.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_snapshot_v0, b, o, end, at, n)
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchSnapshotRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchSnapshotRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cluster_id = None
                else:
                    if n > end - o:
                        raise short("FetchSnapshotRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchSnapshotRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchSnapshotRequest)
    e.replica_id = replica_id
    e.max_bytes = max_bytes
    e.topics = topics
    e.cluster_id = cluster_id
    return e, o


def _read_fetch_snapshot_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotRequest.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotRequest.topics", n * 3, end - o)
    all_topics: list[TopicSnapshot] = []
    for _ in range(n):
        one_topics, o = _read_topic_snapshot_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchSnapshotRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchSnapshotRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cluster_id = None
                else:
                    if n > end - o:
                        raise short("FetchSnapshotRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchSnapshotRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchSnapshotRequest)
    e.replica_id = replica_id
    e.max_bytes = max_bytes
    e.topics = topics
    e.cluster_id = cluster_id
    return e, o


def _write_fetch_snapshot_request_v1(e: FetchSnapshotRequest, put: Put) -> None:
    put(pack_ii(e.replica_id, e.max_bytes))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_snapshot_v1(one_topics, put)
    tags: list[bytes] = []
    outer = put
    cluster_id = e.cluster_id
    if cluster_id is not None:
        cluster_id_pieces: list[Buffer] = []
        put = cluster_id_pieces.append
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
        piece = b"".join(cluster_id_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_fetch_snapshot_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[FetchSnapshotRequest]:
    replica_id, max_bytes = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchSnapshotRequest.topics")
    if n * 3 > end - o:
        raise short("FetchSnapshotRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_snapshot_v1, b, o, end, at, n)
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchSnapshotRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchSnapshotRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cluster_id = None
                else:
                    if n > end - o:
                        raise short("FetchSnapshotRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchSnapshotRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchSnapshotRequest)
    e.replica_id = replica_id
    e.max_bytes = max_bytes
    e.topics = topics
    e.cluster_id = cluster_id
    return e, o


FetchSnapshotRequest.RESPONSE = FetchSnapshotResponse
FetchSnapshotRequest.WALKERS = {
    0: _walk_fetch_snapshot_request_v0,
    1: _walk_fetch_snapshot_request_v1,
}
FetchSnapshotRequest.READERS = {
    0: _read_fetch_snapshot_request_v0,
    1: _read_fetch_snapshot_request_v1,
}
FetchSnapshotRequest.WRITERS = {
    0: _write_fetch_snapshot_request_v0,
    1: _write_fetch_snapshot_request_v1,
}
