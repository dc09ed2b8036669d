"""OffsetFetchResponse (key 9), versions 1 to 10. Written by `tools.messages`."""

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
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_i = Struct(">i").pack
pack_iq = Struct(">iq").pack
pack_iqi = Struct(">iqi").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqi = Struct(">iqi").unpack_from
unpack_u = Struct(">16s").unpack_from


class OffsetFetchResponsePartitions(Message):
    """A part of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
    )
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int
    metadata: str | None
    error_code: ErrorCode

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = None,
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopics(Message):
    """A part of OffsetFetchResponse."""

    __slots__ = ("topic_id", "name", "partitions")
    topic_id: UUID | None  # from version 10
    name: str  # until version 9
    partitions: Sequence[OffsetFetchResponsePartitions]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        name: str = "",
        partitions: Sequence[OffsetFetchResponsePartitions] = (),
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partitions = partitions


class OffsetFetchResponseGroup(Message):
    """A part of OffsetFetchResponse."""

    __slots__ = ("group_id", "topics", "error_code")
    group_id: str
    topics: Sequence[OffsetFetchResponseTopics]
    error_code: ErrorCode

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: Sequence[OffsetFetchResponseTopics] = (),
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code


class OffsetFetchResponsePartition(Message):
    """A part of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
    )
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int  # from version 5
    metadata: str | None
    error_code: ErrorCode

    def __init__(
        self,
        *,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = None,
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopic(Message):
    """A part of OffsetFetchResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[OffsetFetchResponsePartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[OffsetFetchResponsePartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetFetchResponse(Response):
    """The response of API 9."""

    KEY: ClassVar = 9
    VERSIONS: ClassVar = range(1, 11)
    FIRST_FLEXIBLE: ClassVar = 6
    THROTTLE_FROM: ClassVar = 3

    __slots__ = ("throttle_time_ms", "groups", "topics", "error_code")
    throttle_time_ms: int  # from version 3
    groups: Sequence[OffsetFetchResponseGroup]  # from version 8
    topics: Sequence[OffsetFetchResponseTopic]  # until version 7
    error_code: ErrorCode  # from version 2, until version 7

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: Sequence[OffsetFetchResponseGroup] = (),
        topics: Sequence[OffsetFetchResponseTopic] = (),
        error_code: ErrorCode = Error.NONE,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.topics = topics
        self.error_code = error_code


def _read_offset_fetch_response_partitions_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponsePartitions, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    metadata: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        metadata = None
    else:
        if n > end - o:
            raise short("OffsetFetchResponsePartitions.metadata", n, end - o)
        metadata = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetFetchResponsePartitions") if b[o] else o + 1
    e = new(OffsetFetchResponsePartitions)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.metadata = metadata
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_partitions_v8(e: OffsetFetchResponsePartitions, put: Put) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    metadata = e.metadata
    if metadata is None:
        put(b"\0")
    else:
        raw = metadata.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_hB(e.error_code, 0))


def _read_offset_fetch_response_topics_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseTopics, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseTopics.name")
    if n > end - o:
        raise short("OffsetFetchResponseTopics.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseTopics.partitions")
    if n * 20 > end - o:
        raise short("OffsetFetchResponseTopics.partitions", n * 20, end - o)
    all_partitions: list[OffsetFetchResponsePartitions] = []
    for _ in range(n):
        one_partitions, o = _read_offset_fetch_response_partitions_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetFetchResponseTopics") if b[o] else o + 1
    e = new(OffsetFetchResponseTopics)
    e.topic_id = None
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_fetch_response_topics_v8(e: OffsetFetchResponseTopics, put: Put) -> None:
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
            _write_offset_fetch_response_partitions_v8(one_partitions, put)
    put(b"\0")


def _read_offset_fetch_response_topics_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseTopics, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseTopics.partitions")
    if n * 20 > end - o:
        raise short("OffsetFetchResponseTopics.partitions", n * 20, end - o)
    all_partitions: list[OffsetFetchResponsePartitions] = []
    for _ in range(n):
        one_partitions, o = _read_offset_fetch_response_partitions_v8(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetFetchResponseTopics") if b[o] else o + 1
    e = new(OffsetFetchResponseTopics)
    e.topic_id = topic_id
    e.name = ""
    e.partitions = partitions
    return e, o


def _write_offset_fetch_response_topics_v10(e: OffsetFetchResponseTopics, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_fetch_response_partitions_v8(one_partitions, put)
    put(b"\0")


def _read_offset_fetch_response_group_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchResponseGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseGroup.topics")
    if n * 3 > end - o:
        raise short("OffsetFetchResponseGroup.topics", n * 3, end - o)
    all_topics: list[OffsetFetchResponseTopics] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topics_v8(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetFetchResponseGroup") if b[o] else o + 1
    e = new(OffsetFetchResponseGroup)
    e.group_id = group_id
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_group_v8(e: OffsetFetchResponseGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topics_v8(one_topics, put)
    put(pack_hB(e.error_code, 0))


def _read_offset_fetch_response_group_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchResponseGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseGroup.topics")
    if n * 18 > end - o:
        raise short("OffsetFetchResponseGroup.topics", n * 18, end - o)
    all_topics: list[OffsetFetchResponseTopics] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topics_v10(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetFetchResponseGroup") if b[o] else o + 1
    e = new(OffsetFetchResponseGroup)
    e.group_id = group_id
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_group_v10(e: OffsetFetchResponseGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topics_v10(one_topics, put)
    put(pack_hB(e.error_code, 0))


def _read_offset_fetch_response_partition_v1(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset = unpack_iq(b, o)
    o += 12
    metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        metadata = None
    else:
        if n > end - o:
            raise short("OffsetFetchResponsePartition.metadata", n, end - o)
        metadata = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetFetchResponsePartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = -1
    e.metadata = metadata
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_partition_v1(e: OffsetFetchResponsePartition, put: Put) -> None:
    put(pack_iq(e.partition_index, e.committed_offset))
    metadata = e.metadata
    if metadata is None:
        put(b"\xff\xff")
    else:
        raw = metadata.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_h(e.error_code))


def _read_offset_fetch_response_partition_v5(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        metadata = None
    else:
        if n > end - o:
            raise short("OffsetFetchResponsePartition.metadata", n, end - o)
        metadata = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetFetchResponsePartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.metadata = metadata
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_partition_v5(e: OffsetFetchResponsePartition, put: Put) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    metadata = e.metadata
    if metadata is None:
        put(b"\xff\xff")
    else:
        raw = metadata.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_h(e.error_code))


def _read_offset_fetch_response_partition_v6(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    metadata: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        metadata = None
    else:
        if n > end - o:
            raise short("OffsetFetchResponsePartition.metadata", n, end - o)
        metadata = str(b[o : o + n], "utf-8")
        o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetFetchResponsePartition") if b[o] else o + 1
    e = new(OffsetFetchResponsePartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.metadata = metadata
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_partition_v6(e: OffsetFetchResponsePartition, put: Put) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    metadata = e.metadata
    if metadata is None:
        put(b"\0")
    else:
        raw = metadata.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_hB(e.error_code, 0))


def _read_offset_fetch_response_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchResponseTopic.name")
    if n > end - o:
        raise short("OffsetFetchResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponseTopic.partitions")
    if n * 16 > end - o:
        raise short("OffsetFetchResponseTopic.partitions", n * 16, end - o)
    all_partitions: list[OffsetFetchResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_fetch_response_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetFetchResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_fetch_response_topic_v1(e: OffsetFetchResponseTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_fetch_response_partition_v1(one_partitions, put)


def _read_offset_fetch_response_topic_v5(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchResponseTopic.name")
    if n > end - o:
        raise short("OffsetFetchResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponseTopic.partitions")
    if n * 20 > end - o:
        raise short("OffsetFetchResponseTopic.partitions", n * 20, end - o)
    all_partitions: list[OffsetFetchResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_fetch_response_partition_v5(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetFetchResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_fetch_response_topic_v5(e: OffsetFetchResponseTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_offset_fetch_response_partition_v5(one_partitions, put)


def _read_offset_fetch_response_topic_v6(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseTopic.name")
    if n > end - o:
        raise short("OffsetFetchResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponseTopic.partitions")
    if n * 20 > end - o:
        raise short("OffsetFetchResponseTopic.partitions", n * 20, end - o)
    all_partitions: list[OffsetFetchResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_offset_fetch_response_partition_v6(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetFetchResponseTopic") if b[o] else o + 1
    e = new(OffsetFetchResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_offset_fetch_response_topic_v6(e: OffsetFetchResponseTopic, put: Put) -> None:
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
            _write_offset_fetch_response_partition_v6(one_partitions, put)
    put(b"\0")


def _read_offset_fetch_response_v1(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchResponse.topics", n * 6, end - o)
    all_topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = 0
    e.groups = ()
    e.topics = topics
    e.error_code = Error.NONE
    return e, o


def _write_offset_fetch_response_v1(e: OffsetFetchResponse, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topic_v1(one_topics, put)


def _read_offset_fetch_response_v2(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchResponse.topics", n * 6, end - o)
    all_topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = 0
    e.groups = ()
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_v2(e: OffsetFetchResponse, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topic_v1(one_topics, put)
    put(pack_h(e.error_code))


def _read_offset_fetch_response_v3(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchResponse.topics", n * 6, end - o)
    all_topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = ()
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_v3(e: OffsetFetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topic_v1(one_topics, put)
    put(pack_h(e.error_code))


def _read_offset_fetch_response_v5(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchResponse.topics", n * 6, end - o)
    all_topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topic_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = ()
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_v5(e: OffsetFetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topic_v5(one_topics, put)
    put(pack_h(e.error_code))


def _read_offset_fetch_response_v6(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponse.topics")
    if n * 3 > end - o:
        raise short("OffsetFetchResponse.topics", n * 3, end - o)
    all_topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_response_topic_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "OffsetFetchResponse") if b[o] else o + 1
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = ()
    e.topics = topics
    e.error_code = error_code
    return e, o


def _write_offset_fetch_response_v6(e: OffsetFetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_fetch_response_topic_v6(one_topics, put)
    put(pack_hB(e.error_code, 0))


def _read_offset_fetch_response_v8(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponse.groups")
    if n * 5 > end - o:
        raise short("OffsetFetchResponse.groups", n * 5, end - o)
    all_groups: list[OffsetFetchResponseGroup] = []
    for _ in range(n):
        one_groups, o = _read_offset_fetch_response_group_v8(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "OffsetFetchResponse") if b[o] else o + 1
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    e.topics = ()
    e.error_code = Error.NONE
    return e, o


def _write_offset_fetch_response_v8(e: OffsetFetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_offset_fetch_response_group_v8(one_groups, put)
    put(b"\0")


def _read_offset_fetch_response_v10(b: Buffer, o: int, end: int) -> tuple[OffsetFetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchResponse.groups")
    if n * 5 > end - o:
        raise short("OffsetFetchResponse.groups", n * 5, end - o)
    all_groups: list[OffsetFetchResponseGroup] = []
    for _ in range(n):
        one_groups, o = _read_offset_fetch_response_group_v10(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "OffsetFetchResponse") if b[o] else o + 1
    e = new(OffsetFetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.groups = groups
    e.topics = ()
    e.error_code = Error.NONE
    return e, o


def _write_offset_fetch_response_v10(e: OffsetFetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_offset_fetch_response_group_v10(one_groups, put)
    put(b"\0")


OffsetFetchResponse.READERS = {
    1: _read_offset_fetch_response_v1,
    2: _read_offset_fetch_response_v2,
    3: _read_offset_fetch_response_v3,
    4: _read_offset_fetch_response_v3,
    5: _read_offset_fetch_response_v5,
    6: _read_offset_fetch_response_v6,
    7: _read_offset_fetch_response_v6,
    8: _read_offset_fetch_response_v8,
    9: _read_offset_fetch_response_v8,
    10: _read_offset_fetch_response_v10,
}
OffsetFetchResponsePartitions.WRITERS = {
    8: _write_offset_fetch_response_partitions_v8,
    9: _write_offset_fetch_response_partitions_v8,
    10: _write_offset_fetch_response_partitions_v8,
}
OffsetFetchResponseTopics.WRITERS = {
    8: _write_offset_fetch_response_topics_v8,
    9: _write_offset_fetch_response_topics_v8,
    10: _write_offset_fetch_response_topics_v10,
}
OffsetFetchResponseGroup.WRITERS = {
    8: _write_offset_fetch_response_group_v8,
    9: _write_offset_fetch_response_group_v8,
    10: _write_offset_fetch_response_group_v10,
}
OffsetFetchResponsePartition.WRITERS = {
    1: _write_offset_fetch_response_partition_v1,
    2: _write_offset_fetch_response_partition_v1,
    3: _write_offset_fetch_response_partition_v1,
    4: _write_offset_fetch_response_partition_v1,
    5: _write_offset_fetch_response_partition_v5,
    6: _write_offset_fetch_response_partition_v6,
    7: _write_offset_fetch_response_partition_v6,
}
OffsetFetchResponseTopic.WRITERS = {
    1: _write_offset_fetch_response_topic_v1,
    2: _write_offset_fetch_response_topic_v1,
    3: _write_offset_fetch_response_topic_v1,
    4: _write_offset_fetch_response_topic_v1,
    5: _write_offset_fetch_response_topic_v5,
    6: _write_offset_fetch_response_topic_v6,
    7: _write_offset_fetch_response_topic_v6,
}
OffsetFetchResponse.WRITERS = {
    1: _write_offset_fetch_response_v1,
    2: _write_offset_fetch_response_v2,
    3: _write_offset_fetch_response_v3,
    4: _write_offset_fetch_response_v3,
    5: _write_offset_fetch_response_v5,
    6: _write_offset_fetch_response_v6,
    7: _write_offset_fetch_response_v6,
    8: _write_offset_fetch_response_v8,
    9: _write_offset_fetch_response_v8,
    10: _write_offset_fetch_response_v10,
}
