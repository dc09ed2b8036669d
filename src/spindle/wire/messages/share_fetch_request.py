"""ShareFetchRequest (key 78), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.share_fetch_response import ShareFetchResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_i = Struct(">i").pack
pack_iiiiii = Struct(">iiiiii").pack
pack_iiiiiibt = Struct(">iiiiiib?").pack
pack_qq = Struct(">qq").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_iiiiii = Struct(">iiiiii").unpack_from
unpack_iiiiiibt = Struct(">iiiiiib?").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_u = Struct(">16s").unpack_from


class AcknowledgementBatch(Message):
    """A part of ShareFetchRequest."""

    __slots__ = ("first_offset", "last_offset", "acknowledge_types")
    first_offset: int
    last_offset: int
    acknowledge_types: Sequence[int]

    def __init__(
        self, *, first_offset: int = 0, last_offset: int = 0, acknowledge_types: Sequence[int] = ()
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = acknowledge_types


class FetchPartition(Message):
    """A part of ShareFetchRequest."""

    __slots__ = ("partition_index", "acknowledgement_batches")
    partition_index: int
    acknowledgement_batches: Sequence[AcknowledgementBatch]

    def __init__(
        self,
        *,
        partition_index: int = 0,
        acknowledgement_batches: Sequence[AcknowledgementBatch] = (),
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = acknowledgement_batches


class FetchTopic(Message):
    """A part of ShareFetchRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[FetchPartition]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[FetchPartition] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ForgottenTopic(Message):
    """A part of ShareFetchRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[int]

    def __init__(self, *, topic_id: UUID | None = None, partitions: Sequence[int] = ()) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareFetchRequest(Request[ShareFetchResponse]):
    """The request of API 78."""

    KEY: ClassVar = 78
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "max_records",
        "batch_size",
        "share_acquire_mode",
        "is_renew_ack",
        "topics",
        "forgotten_topics_data",
    )
    group_id: str | None
    member_id: str | None
    share_session_epoch: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    max_records: int
    batch_size: int
    share_acquire_mode: int  # from version 2
    is_renew_ack: bool  # from version 2
    topics: Sequence[FetchTopic]
    forgotten_topics_data: Sequence[ForgottenTopic]

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = None,
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: Sequence[FetchTopic] = (),
        forgotten_topics_data: Sequence[ForgottenTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data


def _read_acknowledgement_batch_v1(b: Buffer, o: int, end: int) -> tuple[AcknowledgementBatch, int]:
    first_offset, last_offset = unpack_qq(b, o)
    o += 16
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgementBatch.acknowledge_types")
    if n > end - o:
        raise short("AcknowledgementBatch.acknowledge_types", n, end - o)
    acknowledge_types = unpack_from(f">{n}b", b, o)
    o += n * 1
    o = skip_tags(b, o, end, "AcknowledgementBatch") if b[o] else o + 1
    e = new(AcknowledgementBatch)
    e.first_offset = first_offset
    e.last_offset = last_offset
    e.acknowledge_types = acknowledge_types
    return e, o


def _write_acknowledgement_batch_v1(e: AcknowledgementBatch, put: Put) -> None:
    put(pack_qq(e.first_offset, e.last_offset))
    acknowledge_types = e.acknowledge_types
    put(put_uvarint(len(acknowledge_types) + 1))
    if acknowledge_types:
        put(pack(f">{len(acknowledge_types)}b", *acknowledge_types))
    put(b"\0")


def _walk_acknowledgement_batch_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AcknowledgementBatch]:
    first_offset, last_offset = unpack_qq(b, o)
    o += 16
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgementBatch.acknowledge_types")
    if n > end - o:
        raise short("AcknowledgementBatch.acknowledge_types", n, end - o)
    acknowledge_types, o = yield from numbers(">b", 1, b, o, n)
    o = skip_tags(b, o, end, "AcknowledgementBatch") if b[o] else o + 1
    e = new(AcknowledgementBatch)
    e.first_offset = first_offset
    e.last_offset = last_offset
    e.acknowledge_types = acknowledge_types
    return e, o


def _read_fetch_partition_v1(b: Buffer, o: int, end: int) -> tuple[FetchPartition, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchPartition.acknowledgement_batches")
    if n * 18 > end - o:
        raise short("FetchPartition.acknowledgement_batches", n * 18, end - o)
    all_acknowledgement_batches: list[AcknowledgementBatch] = []
    for _ in range(n):
        one_acknowledgement_batches, o = _read_acknowledgement_batch_v1(b, o, end)
        all_acknowledgement_batches.append(one_acknowledgement_batches)
    acknowledgement_batches = tuple(all_acknowledgement_batches)
    o = skip_tags(b, o, end, "FetchPartition") if b[o] else o + 1
    e = new(FetchPartition)
    e.partition_index = partition_index
    e.acknowledgement_batches = acknowledgement_batches
    return e, o


def _write_fetch_partition_v1(e: FetchPartition, put: Put) -> None:
    put(pack_i(e.partition_index))
    acknowledgement_batches = e.acknowledgement_batches
    put(put_uvarint(len(acknowledgement_batches) + 1))
    for one_acknowledgement_batches in acknowledgement_batches:
        _write_acknowledgement_batch_v1(one_acknowledgement_batches, put)
    put(b"\0")


def _walk_fetch_partition_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchPartition]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchPartition.acknowledgement_batches")
    if n * 18 > end - o:
        raise short("FetchPartition.acknowledgement_batches", n * 18, end - o)
    acknowledgement_batches, o = yield from walk_each(
        _walk_acknowledgement_batch_v1, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "FetchPartition") if b[o] else o + 1
    e = new(FetchPartition)
    e.partition_index = partition_index
    e.acknowledgement_batches = acknowledgement_batches
    return e, o


def _read_fetch_topic_v1(b: Buffer, o: int, end: int) -> tuple[FetchTopic, int]:
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
    if n * 6 > end - o:
        raise short("FetchTopic.partitions", n * 6, end - o)
    all_partitions: list[FetchPartition] = []
    for _ in range(n):
        one_partitions, o = _read_fetch_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_fetch_topic_v1(e: FetchTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_fetch_partition_v1(one_partitions, put)
    put(b"\0")


def _walk_fetch_topic_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[FetchTopic]:
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
    if n * 6 > end - o:
        raise short("FetchTopic.partitions", n * 6, end - o)
    partitions, o = yield from walk_each(_walk_fetch_partition_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "FetchTopic") if b[o] else o + 1
    e = new(FetchTopic)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_forgotten_topic_v1(b: Buffer, o: int, end: int) -> tuple[ForgottenTopic, int]:
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
    e.partitions = partitions
    return e, o


def _write_forgotten_topic_v1(e: ForgottenTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_forgotten_topic_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[ForgottenTopic]:
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
    e.partitions = partitions
    return e, o


def _read_share_fetch_request_v1(b: Buffer, o: int, end: int) -> tuple[ShareFetchRequest, int]:
    group_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.group_id", n, end - o)
        group_id = str(b[o : o + n], "utf-8")
        o += n
    member_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        member_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size = unpack_iiiiii(
        b, o
    )
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.topics")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v1(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    o = skip_tags(b, o, end, "ShareFetchRequest") if b[o] else o + 1
    e = new(ShareFetchRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.max_records = max_records
    e.batch_size = batch_size
    e.share_acquire_mode = 0
    e.is_renew_ack = False
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    return e, o


def _write_share_fetch_request_v1(e: ShareFetchRequest, put: Put) -> None:
    group_id = e.group_id
    if group_id is None:
        put(b"\0")
    else:
        raw = group_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    member_id = e.member_id
    if member_id is None:
        put(b"\0")
    else:
        raw = member_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iiiiii(
            e.share_session_epoch,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.max_records,
            e.batch_size,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v1(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v1(one_forgotten_topics_data, put)
    put(b"\0")


def _walk_share_fetch_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareFetchRequest]:
    group_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.group_id", n, end - o)
        group_id = str(b[o : o + n], "utf-8")
        o += n
    member_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        member_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size = unpack_iiiiii(
        b, o
    )
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.topics")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v1, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "ShareFetchRequest") if b[o] else o + 1
    e = new(ShareFetchRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.max_records = max_records
    e.batch_size = batch_size
    e.share_acquire_mode = 0
    e.is_renew_ack = False
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    return e, o


def _read_share_fetch_request_v2(b: Buffer, o: int, end: int) -> tuple[ShareFetchRequest, int]:
    group_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.group_id", n, end - o)
        group_id = str(b[o : o + n], "utf-8")
        o += n
    member_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        member_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (
        share_session_epoch,
        max_wait_ms,
        min_bytes,
        max_bytes,
        max_records,
        batch_size,
        share_acquire_mode,
        is_renew_ack,
    ) = unpack_iiiiiibt(b, o)
    o += 26
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.topics")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.topics", n * 18, end - o)
    all_topics: list[FetchTopic] = []
    for _ in range(n):
        one_topics, o = _read_fetch_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.forgotten_topics_data", n * 18, end - o)
    all_forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        one_forgotten_topics_data, o = _read_forgotten_topic_v1(b, o, end)
        all_forgotten_topics_data.append(one_forgotten_topics_data)
    forgotten_topics_data = tuple(all_forgotten_topics_data)
    o = skip_tags(b, o, end, "ShareFetchRequest") if b[o] else o + 1
    e = new(ShareFetchRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.max_records = max_records
    e.batch_size = batch_size
    e.share_acquire_mode = share_acquire_mode
    e.is_renew_ack = is_renew_ack
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    return e, o


def _write_share_fetch_request_v2(e: ShareFetchRequest, put: Put) -> None:
    group_id = e.group_id
    if group_id is None:
        put(b"\0")
    else:
        raw = group_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    member_id = e.member_id
    if member_id is None:
        put(b"\0")
    else:
        raw = member_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iiiiiibt(
            e.share_session_epoch,
            e.max_wait_ms,
            e.min_bytes,
            e.max_bytes,
            e.max_records,
            e.batch_size,
            e.share_acquire_mode,
            e.is_renew_ack,
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_fetch_topic_v1(one_topics, put)
    forgotten_topics_data = e.forgotten_topics_data
    put(put_uvarint(len(forgotten_topics_data) + 1))
    for one_forgotten_topics_data in forgotten_topics_data:
        _write_forgotten_topic_v1(one_forgotten_topics_data, put)
    put(b"\0")


def _walk_share_fetch_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareFetchRequest]:
    group_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.group_id", n, end - o)
        group_id = str(b[o : o + n], "utf-8")
        o += n
    member_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        member_id = None
    else:
        if n > end - o:
            raise short("ShareFetchRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (
        share_session_epoch,
        max_wait_ms,
        min_bytes,
        max_bytes,
        max_records,
        batch_size,
        share_acquire_mode,
        is_renew_ack,
    ) = unpack_iiiiiibt(b, o)
    o += 26
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.topics")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_fetch_topic_v1, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareFetchRequest.forgotten_topics_data")
    if n * 18 > end - o:
        raise short("ShareFetchRequest.forgotten_topics_data", n * 18, end - o)
    forgotten_topics_data, o = yield from walk_each(_walk_forgotten_topic_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "ShareFetchRequest") if b[o] else o + 1
    e = new(ShareFetchRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.max_wait_ms = max_wait_ms
    e.min_bytes = min_bytes
    e.max_bytes = max_bytes
    e.max_records = max_records
    e.batch_size = batch_size
    e.share_acquire_mode = share_acquire_mode
    e.is_renew_ack = is_renew_ack
    e.topics = topics
    e.forgotten_topics_data = forgotten_topics_data
    return e, o


ShareFetchRequest.RESPONSE = ShareFetchResponse
ShareFetchRequest.WALKERS = {
    1: _walk_share_fetch_request_v1,
    2: _walk_share_fetch_request_v2,
}
ShareFetchRequest.READERS = {
    1: _read_share_fetch_request_v1,
    2: _read_share_fetch_request_v2,
}
ShareFetchRequest.WRITERS = {
    1: _write_share_fetch_request_v1,
    2: _write_share_fetch_request_v2,
}
