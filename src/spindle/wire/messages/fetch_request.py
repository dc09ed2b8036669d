"""FetchRequest (key 1), versions 4 to 18. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, count_of, null, skip_tags, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, numbers, read_each, walk_each
from spindle.wire.messages.fetch_response import FetchResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iiibii = Struct(">iiibii").pack
pack_iiiib = Struct(">iiiib").pack
pack_iiiibii = Struct(">iiiibii").pack
pack_iiqiqi = Struct(">iiqiqi").pack
pack_iiqiqiB = Struct(">iiqiqiB").pack
pack_iiqqi = Struct(">iiqqi").pack
pack_iqB = Struct(">iqB").pack
pack_iqi = Struct(">iqi").pack
pack_iqqi = Struct(">iqqi").pack
pack_q = Struct(">q").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iiibii = Struct(">iiibii").unpack_from
unpack_iiiib = Struct(">iiiib").unpack_from
unpack_iiiibii = Struct(">iiiibii").unpack_from
unpack_iiqiqi = Struct(">iiqiqi").unpack_from
unpack_iiqqi = Struct(">iiqqi").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqi = Struct(">iqi").unpack_from
unpack_iqqi = Struct(">iqqi").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_u = Struct(">16s").unpack_from


class FetchPartition(Message):
    """A part of FetchRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "fetch_offset",
        "last_fetched_epoch",
        "log_start_offset",
        "partition_max_bytes",
        "replica_directory_id",
        "high_watermark",
    )
    partition: int
    current_leader_epoch: int  # from version 9
    fetch_offset: int
    last_fetched_epoch: int  # from version 12
    log_start_offset: int  # from version 5
    partition_max_bytes: int
    replica_directory_id: UUID | None  # from version 17, tag 0
    high_watermark: int  # from version 18, tag 1

    def __init__(
        self,
        *,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: UUID | None = None,
        high_watermark: int = 9223372036854775807,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark


class FetchTopic(Message):
    """A part of FetchRequest."""

    __slots__ = ("topic_id", "topic", "partitions")
    topic_id: UUID | None  # from version 13
    topic: str  # until version 12
    partitions: Sequence[FetchPartition]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        topic: str = "",
        partitions: Sequence[FetchPartition] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic = topic
        self.partitions = partitions


class ForgottenTopic(Message):
    """A part of FetchRequest."""

    __slots__ = ("topic_id", "topic", "partitions")
    topic_id: UUID | None  # from version 13
    topic: str  # until version 12
    partitions: Sequence[int]

    def __init__(
        self, *, topic_id: UUID | None = None, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic = topic
        self.partitions = partitions


class ReplicaState(Message):
    """A part of FetchRequest."""

    __slots__ = ("replica_id", "replica_epoch")
    replica_id: int
    replica_epoch: int

    def __init__(self, *, replica_id: int = -1, replica_epoch: int = -1) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch


DEFAULT_REPLICA_STATE = ReplicaState()


class FetchRequest(Request[FetchResponse]):
    """The request of API 1."""

    KEY: ClassVar = 1
    VERSIONS: ClassVar = range(4, 19)
    FIRST_FLEXIBLE: ClassVar = 12

    __slots__ = (
        "replica_id",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "isolation_level",
        "session_id",
        "session_epoch",
        "topics",
        "forgotten_topics_data",
        "rack_id",
        "cluster_id",
        "replica_state",
    )
    replica_id: int  # until version 14
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation_level: int
    session_id: int  # from version 7
    session_epoch: int  # from version 7
    topics: Sequence[FetchTopic]
    forgotten_topics_data: Sequence[ForgottenTopic]  # from version 7
    rack_id: str  # from version 11
    cluster_id: str | None  # from version 12, tag 0
    replica_state: ReplicaState  # from version 15, tag 1

    def __init__(
        self,
        *,
        replica_id: int = -1,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: Sequence[FetchTopic] = (),
        forgotten_topics_data: Sequence[ForgottenTopic] = (),
        rack_id: str = "",
        cluster_id: str | None = None,
        replica_state: ReplicaState = DEFAULT_REPLICA_STATE,
    ) -> None:
        self.replica_id = replica_id
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data
        self.rack_id = rack_id
        self.cluster_id = cluster_id
        self.replica_state = replica_state


def _read_fetch_partition_v4(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    partition, fetch_offset, partition_max_bytes = unpack_iqi(b, o)
    o += 16
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = -1
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = -1
    e.log_start_offset = -1
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = None
    e.high_watermark = 9223372036854775807
    return e, o


def _write_fetch_partition_v4(e: FetchPartition, put: Put) -> None:
    put(pack_iqi(e.partition, e.fetch_offset, e.partition_max_bytes))


def _read_fetch_partition_v5(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    partition, fetch_offset, log_start_offset, partition_max_bytes = unpack_iqqi(b, o)
    o += 24
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = -1
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = -1
    e.log_start_offset = log_start_offset
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = None
    e.high_watermark = 9223372036854775807
    return e, o


def _write_fetch_partition_v5(e: FetchPartition, put: Put) -> None:
    put(pack_iqqi(e.partition, e.fetch_offset, e.log_start_offset, e.partition_max_bytes))


def _read_fetch_partition_v9(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, log_start_offset, partition_max_bytes = (
        unpack_iiqqi(b, o)
    )
    o += 28
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = -1
    e.log_start_offset = log_start_offset
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = None
    e.high_watermark = 9223372036854775807
    return e, o


def _write_fetch_partition_v9(e: FetchPartition, put: Put) -> None:
    put(
        pack_iiqqi(
            e.partition,
            e.current_leader_epoch,
            e.fetch_offset,
            e.log_start_offset,
            e.partition_max_bytes,
        )
    )


def _read_fetch_partition_v12(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    (
        partition,
        current_leader_epoch,
        fetch_offset,
        last_fetched_epoch,
        log_start_offset,
        partition_max_bytes,
    ) = unpack_iiqiqi(b, o)
    o += 32
    o = skip_tags(b, o, end, "FetchPartition") if b[o] else o + 1
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = last_fetched_epoch
    e.log_start_offset = log_start_offset
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = None
    e.high_watermark = 9223372036854775807
    return e, o


def _write_fetch_partition_v12(e: FetchPartition, put: Put) -> None:
    put(
        pack_iiqiqiB(
            e.partition,
            e.current_leader_epoch,
            e.fetch_offset,
            e.last_fetched_epoch,
            e.log_start_offset,
            e.partition_max_bytes,
            0,
        )
    )


def _read_fetch_partition_v17(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    (
        partition,
        current_leader_epoch,
        fetch_offset,
        last_fetched_epoch,
        log_start_offset,
        partition_max_bytes,
    ) = unpack_iiqiqi(b, o)
    o += 32
    replica_directory_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchPartition")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchPartition")
            if tag == 0:
                (replica_directory_id,) = unpack_u(b, o)
                o += 16
                replica_directory_id = uuid_of(replica_directory_id)
                if o != stop:
                    raise wrong_size("FetchPartition.replica_directory_id", o - stop)
            o = stop
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = last_fetched_epoch
    e.log_start_offset = log_start_offset
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = replica_directory_id
    e.high_watermark = 9223372036854775807
    return e, o


def _write_fetch_partition_v17(e: FetchPartition, put: Put) -> None:
    put(
        pack_iiqiqi(
            e.partition,
            e.current_leader_epoch,
            e.fetch_offset,
            e.last_fetched_epoch,
            e.log_start_offset,
            e.partition_max_bytes,
        )
    )
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


def _read_fetch_partition_v18(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    (
        partition,
        current_leader_epoch,
        fetch_offset,
        last_fetched_epoch,
        log_start_offset,
        partition_max_bytes,
    ) = unpack_iiqiqi(b, o)
    o += 32
    replica_directory_id: UUID | None = None
    high_watermark: int = 9223372036854775807
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchPartition")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchPartition")
            if tag == 0:
                (replica_directory_id,) = unpack_u(b, o)
                o += 16
                replica_directory_id = uuid_of(replica_directory_id)
                if o != stop:
                    raise wrong_size("FetchPartition.replica_directory_id", o - stop)
            elif tag == 1:
                (high_watermark,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("FetchPartition.high_watermark", o - stop)
            o = stop
    e = new(FetchPartition)
    e.partition = partition
    e.current_leader_epoch = current_leader_epoch
    e.fetch_offset = fetch_offset
    e.last_fetched_epoch = last_fetched_epoch
    e.log_start_offset = log_start_offset
    e.partition_max_bytes = partition_max_bytes
    e.replica_directory_id = replica_directory_id
    e.high_watermark = high_watermark
    return e, o


def _write_fetch_partition_v18(e: FetchPartition, put: Put) -> None:
    put(
        pack_iiqiqi(
            e.partition,
            e.current_leader_epoch,
            e.fetch_offset,
            e.last_fetched_epoch,
            e.log_start_offset,
            e.partition_max_bytes,
        )
    )
    tags: list[bytes] = []
    outer = put
    replica_directory_id = e.replica_directory_id
    if replica_directory_id is not None:
        replica_directory_id_pieces: list[Buffer] = []
        put = replica_directory_id_pieces.append
        put(pack_u(ZERO_UUID if replica_directory_id is None else replica_directory_id.bytes))
        piece = b"".join(replica_directory_id_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    high_watermark = e.high_watermark
    if high_watermark != 9223372036854775807:
        high_watermark_pieces: list[Buffer] = []
        put = high_watermark_pieces.append
        put(pack_q(high_watermark))
        piece = b"".join(high_watermark_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_fetch_topic_v4(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 16 > end - o:
        raise short("FetchTopic.partitions", n * 16, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v4(e: FetchTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_fetch_partition_v4(one_partitions, put)


def _walk_fetch_topic_v4(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 16 > end - o:
        raise short("FetchTopic.partitions", n * 16, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v4, b, o, end, at, n)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v5(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 24 > end - o:
        raise short("FetchTopic.partitions", n * 24, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v5(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v5(e: FetchTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_fetch_partition_v5(one_partitions, put)


def _walk_fetch_topic_v5(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 24 > end - o:
        raise short("FetchTopic.partitions", n * 24, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v5, b, o, end, at, n)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v9(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 28 > end - o:
        raise short("FetchTopic.partitions", n * 28, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v9(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v9(e: FetchTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_fetch_partition_v9(one_partitions, put)


def _walk_fetch_topic_v9(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 28 > end - o:
        raise short("FetchTopic.partitions", n * 28, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v9, b, o, end, at, n)
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v12(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v12(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v12(e: FetchTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_fetch_partition_v12(one_partitions, put)
    put(b"\0")


def _walk_fetch_topic_v12(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.topic")
    if n > end - o:
        raise short("FetchTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v12, b, o, end, at, n)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v13(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v12(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v13(e: FetchTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_fetch_partition_v12(one_partitions, put)
    put(b"\0")


def _walk_fetch_topic_v13(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v12, b, o, end, at, n)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v17(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v17(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v17(e: FetchTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_fetch_partition_v17(one_partitions, put)
    put(b"\0")


def _walk_fetch_topic_v17(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v17, b, o, end, at, n)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _read_fetch_topic_v18(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v18(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v18(e: FetchTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_fetch_partition_v18(one_partitions, put)
    put(b"\0")


def _walk_fetch_topic_v18(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchTopic.partitions")
    if n * 33 > end - o:
        raise short("FetchTopic.partitions", n * 33, end - o)
    partitions, o = yield from read_each(_read_fetch_partition_v18, b, o, end, at, n)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _read_forgotten_topic_v7(b: Buffer, o: int, end: int) -> tuple[ForgottenTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ForgottenTopic.topic")
    if n > end - o:
        raise short("ForgottenTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(ForgottenTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_forgotten_topic_v7(e: ForgottenTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _walk_forgotten_topic_v7(b: Buffer, o: int, end: int, at: Marks) -> Reading[ForgottenTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ForgottenTopic.topic")
    if n > end - o:
        raise short("ForgottenTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    e = new(ForgottenTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_forgotten_topic_v12(b: Buffer, o: int, end: int) -> tuple[ForgottenTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.topic")
    if n > end - o:
        raise short("ForgottenTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "ForgottenTopic") if b[o] else o + 1
    e = new(ForgottenTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_forgotten_topic_v12(e: ForgottenTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_forgotten_topic_v12(b: Buffer, o: int, end: int, at: Marks) -> Reading[ForgottenTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.topic")
    if n > end - o:
        raise short("ForgottenTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "ForgottenTopic") if b[o] else o + 1
    e = new(ForgottenTopic)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_forgotten_topic_v13(b: Buffer, o: int, end: int) -> tuple[ForgottenTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "ForgottenTopic") if b[o] else o + 1
    e = new(ForgottenTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _write_forgotten_topic_v13(e: ForgottenTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_forgotten_topic_v13(b: Buffer, o: int, end: int, at: Marks) -> Reading[ForgottenTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ForgottenTopic.partitions")
    if n * 4 > end - o:
        raise short("ForgottenTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "ForgottenTopic") if b[o] else o + 1
    e = new(ForgottenTopic)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _read_replica_state_v15(b: Buffer, o: int, end: int) -> tuple[ReplicaState, int]:
    replica_id, replica_epoch = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "ReplicaState") if b[o] else o + 1
    e = new(ReplicaState)
    e.replica_id = replica_id
    e.replica_epoch = replica_epoch
    return e, o


def _write_replica_state_v15(e: ReplicaState, put: Put) -> None:
    put(pack_iqB(e.replica_id, e.replica_epoch, 0))


def _read_fetch_request_v4(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = unpack_iiiib(b, o)
    o += 17
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v4(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = 0
    e.session_epoch = -1
    e.topics = topics
    e.forgotten_topics_data = ()
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v4(e: FetchRequest, put: Put) -> None:
    put(pack_iiiib(e.replica_id, e.max_wait_ms, e.min_bytes, e.max_bytes, e.isolation_level))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_fetch_topic_v4(one_topics, put)


def _walk_fetch_request_v4(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = unpack_iiiib(b, o)
    o += 17
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v4, b, o, end, at, n)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = 0
    e.session_epoch = -1
    e.topics = topics
    e.forgotten_topics_data = ()
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v5(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = unpack_iiiib(b, o)
    o += 17
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = 0
    e.session_epoch = -1
    e.topics = topics
    e.forgotten_topics_data = ()
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v5(e: FetchRequest, put: Put) -> None:
    put(pack_iiiib(e.replica_id, e.max_wait_ms, e.min_bytes, e.max_bytes, e.isolation_level))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_fetch_topic_v5(one_topics, put)


def _walk_fetch_request_v5(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = unpack_iiiib(b, o)
    o += 17
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v5, b, o, end, at, n)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = 0
    e.session_epoch = -1
    e.topics = topics
    e.forgotten_topics_data = ()
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v7(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v7(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v7(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiiibii(
            e.replica_id,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_fetch_topic_v5(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(pack_i(len(forgotten_topics_data)))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v7(one_forgotten_topics_data, put)


def _walk_fetch_request_v7(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v5, b, o, end, at, n)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v7, b, o, end, at, n)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v9(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v9(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v7(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v9(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiiibii(
            e.replica_id,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_fetch_topic_v9(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(pack_i(len(forgotten_topics_data)))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v7(one_forgotten_topics_data, put)


def _walk_fetch_request_v9(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v9, b, o, end, at, n)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v7, b, o, end, at, n)
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = ""
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v11(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v9(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v7(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v11(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiiibii(
            e.replica_id,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_fetch_topic_v9(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(pack_i(len(forgotten_topics_data)))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v7(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(pack_h(len(raw)))
    put(raw)


def _walk_fetch_request_v11(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 6 > end - o:
        raise short("FetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v9, b, o, end, at, n)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 6 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 6, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v7, b, o, end, at, n)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = None
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v12(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 3 > end - o:
        raise short("FetchRequest.topics", n * 3, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v12(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 3 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 3, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v12(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v12(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiiibii(
            e.replica_id,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v12(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v12(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
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


def _walk_fetch_request_v12(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 3 > end - o:
        raise short("FetchRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v12, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 3 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 3, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v12, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v13(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v13(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v13(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _write_fetch_request_v13(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiiibii(
            e.replica_id,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v13(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v13(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
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


def _walk_fetch_request_v13(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = (
        unpack_iiiibii(b, o)
    )
    o += 25
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = replica_id
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = DEFAULT_REPLICA_STATE
    return e, o


def _read_fetch_request_v15(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v13(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v13(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


def _write_fetch_request_v15(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiibii(
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v13(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v13(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
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
    replica_state = e.replica_state
    if replica_state is not DEFAULT_REPLICA_STATE and replica_state != DEFAULT_REPLICA_STATE:
        replica_state_pieces: list[Buffer] = []
        put = replica_state_pieces.append
        _write_replica_state_v15(replica_state, put)
        piece = b"".join(replica_state_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_fetch_request_v15(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


def _read_fetch_request_v17(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v17(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v13(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


def _write_fetch_request_v17(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiibii(
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v17(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v13(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
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
    replica_state = e.replica_state
    if replica_state is not DEFAULT_REPLICA_STATE and replica_state != DEFAULT_REPLICA_STATE:
        replica_state_pieces: list[Buffer] = []
        put = replica_state_pieces.append
        _write_replica_state_v15(replica_state, put)
        piece = b"".join(replica_state_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_fetch_request_v17(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v17, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


def _read_fetch_request_v18(b: Buffer, o: int, end: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v18(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v13(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


def _write_fetch_request_v18(e: FetchRequest, put: Put) -> None:
    put(
        pack_iiibii(
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.isolation_level,
            e.session_id,
            e.session_epoch,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v18(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v13(one_forgotten_topics_data, put)
    rack_id = e.rack_id
    raw = rack_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
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
    replica_state = e.replica_state
    if replica_state is not DEFAULT_REPLICA_STATE and replica_state != DEFAULT_REPLICA_STATE:
        replica_state_pieces: list[Buffer] = []
        put = replica_state_pieces.append
        _write_replica_state_v15(replica_state, put)
        piece = b"".join(replica_state_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_fetch_request_v18(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchRequest]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = unpack_iiibii(
        b, o
    )
    o += 21
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.topics")
    if n * 18 > end - o:
        raise short("FetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v18, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("FetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v13, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchRequest.rack_id")
    if n > end - o:
        raise short("FetchRequest.rack_id", n, end - o)
    rack_id = str(b[o : o + n], "utf-8")
    o += n
    cluster_id: str | None = None
    replica_state: ReplicaState = DEFAULT_REPLICA_STATE
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchRequest")
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
                        raise short("FetchRequest.cluster_id", n, end - o)
                    cluster_id = str(b[o : o + n], "utf-8")
                    o += n
                if o != stop:
                    raise wrong_size("FetchRequest.cluster_id", o - stop)
            elif tag == 1:
                replica_state, o = _read_replica_state_v15(b, o, end)
                if o != stop:
                    raise wrong_size("FetchRequest.replica_state", o - stop)
            o = stop
    e = new(FetchRequest)
    e.replica_id = -1
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.isolation_level = isolation_level
    e.session_id = session_id
    e.session_epoch = session_epoch
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    e.rack_id = rack_id
    e.cluster_id = cluster_id
    e.replica_state = replica_state
    return e, o


FetchRequest.RESPONSE = FetchResponse
FetchRequest.WALKERS = {
    4: _walk_fetch_request_v4,
    5: _walk_fetch_request_v5,
    6: _walk_fetch_request_v5,
    7: _walk_fetch_request_v7,
    8: _walk_fetch_request_v7,
    9: _walk_fetch_request_v9,
    10: _walk_fetch_request_v9,
    11: _walk_fetch_request_v11,
    12: _walk_fetch_request_v12,
    13: _walk_fetch_request_v13,
    14: _walk_fetch_request_v13,
    15: _walk_fetch_request_v15,
    16: _walk_fetch_request_v15,
    17: _walk_fetch_request_v17,
    18: _walk_fetch_request_v18,
}
FetchRequest.READERS = {
    4: _read_fetch_request_v4,
    5: _read_fetch_request_v5,
    6: _read_fetch_request_v5,
    7: _read_fetch_request_v7,
    8: _read_fetch_request_v7,
    9: _read_fetch_request_v9,
    10: _read_fetch_request_v9,
    11: _read_fetch_request_v11,
    12: _read_fetch_request_v12,
    13: _read_fetch_request_v13,
    14: _read_fetch_request_v13,
    15: _read_fetch_request_v15,
    16: _read_fetch_request_v15,
    17: _read_fetch_request_v17,
    18: _read_fetch_request_v18,
}
FetchRequest.WRITERS = {
    4: _write_fetch_request_v4,
    5: _write_fetch_request_v5,
    6: _write_fetch_request_v5,
    7: _write_fetch_request_v7,
    8: _write_fetch_request_v7,
    9: _write_fetch_request_v9,
    10: _write_fetch_request_v9,
    11: _write_fetch_request_v11,
    12: _write_fetch_request_v12,
    13: _write_fetch_request_v13,
    14: _write_fetch_request_v13,
    15: _write_fetch_request_v15,
    16: _write_fetch_request_v15,
    17: _write_fetch_request_v17,
    18: _write_fetch_request_v18,
}
