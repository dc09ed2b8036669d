"""OffsetCommitRequest (key 8), versions 2 to 10. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.offset_commit_response import OffsetCommitResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iq = Struct(">iq").pack
pack_iqi = Struct(">iqi").pack
pack_q = Struct(">q").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqi = Struct(">iqi").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_u = Struct(">16s").unpack_from


class OffsetCommitRequestPartition(Message):
    """A part of OffsetCommitRequest."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "committed_metadata",
    )
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int  # from version 6
    committed_metadata: str | None

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata


class OffsetCommitRequestTopic(Message):
    """A part of OffsetCommitRequest."""

    __slots__ = ("topic_id", "name", "partitions")
    topic_id: UUID | None  # from version 10
    name: str  # until version 9
    partitions: Sequence[OffsetCommitRequestPartition]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        name: str = "",
        partitions: Sequence[OffsetCommitRequestPartition] = (),
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partitions = partitions


class OffsetCommitRequest(Request[OffsetCommitResponse]):
    """The request of API 8."""

    KEY: ClassVar = 8
    VERSIONS: ClassVar = range(2, 11)
    FIRST_FLEXIBLE: ClassVar = 8

    __slots__ = (
        "group_id",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "retention_time_ms",
        "topics",
    )
    group_id: str
    generation_id_or_member_epoch: int
    member_id: str
    group_instance_id: str | None  # from version 7
    retention_time_ms: int  # until version 4
    topics: Sequence[OffsetCommitRequestTopic]

    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: Sequence[OffsetCommitRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = topics


def _read_offset_commit_request_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset = unpack_iq(b, o)
    o += 12
    committed_metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        committed_metadata = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    e = new(OffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = -1
    e.committed_metadata = committed_metadata
    return e, o


def _write_offset_commit_request_partition_v2(e: OffsetCommitRequestPartition, put: Put) -> None:
    put(pack_iq(e.partition_index, e.committed_offset))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\xff\xff")
    else:
        raw = committed_metadata.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_offset_commit_request_partition_v6(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    committed_metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        committed_metadata = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    e = new(OffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.committed_metadata = committed_metadata
    return e, o


def _write_offset_commit_request_partition_v6(e: OffsetCommitRequestPartition, put: Put) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\xff\xff")
    else:
        raw = committed_metadata.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_offset_commit_request_partition_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    committed_metadata: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        committed_metadata = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "OffsetCommitRequestPartition") if b[o] else o + 1
    e = new(OffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.committed_metadata = committed_metadata
    return e, o


def _write_offset_commit_request_partition_v8(e: OffsetCommitRequestPartition, put: Put) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\0")
    else:
        raw = committed_metadata.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_offset_commit_request_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 14 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 14, end - o)
    all_partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_request_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_commit_request_topic_v2(e: OffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_offset_commit_request_partition_v2(one_partitions, put)


def _walk_offset_commit_request_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 14 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 14, end - o)
    partitions, o = yield from read_each(_read_offset_commit_request_partition_v2, b, o, end, at, n)
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _read_offset_commit_request_topic_v6(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    all_partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_request_partition_v6(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_commit_request_topic_v6(e: OffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_offset_commit_request_partition_v6(one_partitions, put)


def _walk_offset_commit_request_topic_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    partitions, o = yield from read_each(_read_offset_commit_request_partition_v6, b, o, end, at, n)
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _read_offset_commit_request_topic_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    all_partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_request_partition_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetCommitRequestTopic") if b[o] else o + 1
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_commit_request_topic_v8(e: OffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_offset_commit_request_partition_v8(one_partitions, put)
    put(b"\0")


def _walk_offset_commit_request_topic_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequestTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("OffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    partitions, o = yield from read_each(_read_offset_commit_request_partition_v8, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetCommitRequestTopic") if b[o] else o + 1
    e = new(OffsetCommitRequestTopic)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _read_offset_commit_request_topic_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetCommitRequestTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    all_partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_commit_request_partition_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetCommitRequestTopic") if b[o] else o + 1
    e = new(OffsetCommitRequestTopic)
    e.topic_id = topic_id
    e.name = ""
    e.partitions = partitions
    return e, o


def _write_offset_commit_request_topic_v10(e: OffsetCommitRequestTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_offset_commit_request_partition_v8(one_partitions, put)
    put(b"\0")


def _walk_offset_commit_request_topic_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequestTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("OffsetCommitRequestTopic.partitions", n * 18, end - o)
    partitions, o = yield from read_each(_read_offset_commit_request_partition_v8, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetCommitRequestTopic") if b[o] else o + 1
    e = new(OffsetCommitRequestTopic)
    e.topic_id = topic_id
    e.name = ""
    e.partitions = partitions
    return e, o


def _read_offset_commit_request_v2(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (retention_time_ms,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = retention_time_ms
    e.topics = topics
    return e, o


def _write_offset_commit_request_v2(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_q(e.retention_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_commit_request_topic_v2(one_topics, put)


def _walk_offset_commit_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (retention_time_ms,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v2, b, o, end, at, n)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = retention_time_ms
    e.topics = topics
    return e, o


def _read_offset_commit_request_v5(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _write_offset_commit_request_v5(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_commit_request_topic_v2(one_topics, put)


def _walk_offset_commit_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v2, b, o, end, at, n)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _read_offset_commit_request_v6(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _write_offset_commit_request_v6(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_commit_request_topic_v6(one_topics, put)


def _walk_offset_commit_request_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v6, b, o, end, at, n)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = None
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _read_offset_commit_request_v7(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _write_offset_commit_request_v7(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\xff\xff")
    else:
        raw = group_instance_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_commit_request_topic_v6(one_topics, put)


def _walk_offset_commit_request_v7(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v6, b, o, end, at, n)
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _read_offset_commit_request_v8(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 3 > end - o:
        raise short("OffsetCommitRequest.topics", n * 3, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v8(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetCommitRequest") if b[o] else o + 1
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _write_offset_commit_request_v8(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\0")
    else:
        raw = group_instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_offset_commit_request_topic_v8(one_topics, put)
    put(b"\0")


def _walk_offset_commit_request_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 3 > end - o:
        raise short("OffsetCommitRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v8, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetCommitRequest") if b[o] else o + 1
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _read_offset_commit_request_v10(b: Buffer, o: int, end: int) -> tuple[OffsetCommitRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 18 > end - o:
        raise short("OffsetCommitRequest.topics", n * 18, end - o)
    all_topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_commit_request_topic_v10(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetCommitRequest") if b[o] else o + 1
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


def _write_offset_commit_request_v10(e: OffsetCommitRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation_id_or_member_epoch))
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\0")
    else:
        raw = group_instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_offset_commit_request_topic_v10(one_topics, put)
    put(b"\0")


def _walk_offset_commit_request_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetCommitRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.group_id")
    if n > end - o:
        raise short("OffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id_or_member_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.member_id")
    if n > end - o:
        raise short("OffsetCommitRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("OffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitRequest.topics")
    if n * 18 > end - o:
        raise short("OffsetCommitRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_offset_commit_request_topic_v10, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetCommitRequest") if b[o] else o + 1
    e = new(OffsetCommitRequest)
    e.group_id = group_id
    e.generation_id_or_member_epoch = generation_id_or_member_epoch
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.retention_time_ms = -1
    e.topics = topics
    return e, o


OffsetCommitRequest.RESPONSE = OffsetCommitResponse
OffsetCommitRequest.WALKERS = {
    2: _walk_offset_commit_request_v2,
    3: _walk_offset_commit_request_v2,
    4: _walk_offset_commit_request_v2,
    5: _walk_offset_commit_request_v5,
    6: _walk_offset_commit_request_v6,
    7: _walk_offset_commit_request_v7,
    8: _walk_offset_commit_request_v8,
    9: _walk_offset_commit_request_v8,
    10: _walk_offset_commit_request_v10,
}
OffsetCommitRequest.READERS = {
    2: _read_offset_commit_request_v2,
    3: _read_offset_commit_request_v2,
    4: _read_offset_commit_request_v2,
    5: _read_offset_commit_request_v5,
    6: _read_offset_commit_request_v6,
    7: _read_offset_commit_request_v7,
    8: _read_offset_commit_request_v8,
    9: _read_offset_commit_request_v8,
    10: _read_offset_commit_request_v10,
}
OffsetCommitRequest.WRITERS = {
    2: _write_offset_commit_request_v2,
    3: _write_offset_commit_request_v2,
    4: _write_offset_commit_request_v2,
    5: _write_offset_commit_request_v5,
    6: _write_offset_commit_request_v6,
    7: _write_offset_commit_request_v7,
    8: _write_offset_commit_request_v8,
    9: _write_offset_commit_request_v8,
    10: _write_offset_commit_request_v10,
}
