"""ShareAcknowledgeRequest (key 79), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_i = Struct(">i").pack
pack_it = Struct(">i?").pack
pack_qq = Struct(">qq").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_it = Struct(">i?").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_u = Struct(">16s").unpack_from


class AcknowledgementBatch(Message):
    """A part of ShareAcknowledgeRequest."""

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


class AcknowledgePartition(Message):
    """A part of ShareAcknowledgeRequest."""

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


class AcknowledgeTopic(Message):
    """A part of ShareAcknowledgeRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[AcknowledgePartition]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[AcknowledgePartition] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareAcknowledgeRequest(Request[ShareAcknowledgeResponse]):
    """The request of API 79."""

    KEY: ClassVar = 79
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "member_id", "share_session_epoch", "is_renew_ack", "topics")
    group_id: str | None
    member_id: str | None
    share_session_epoch: int
    is_renew_ack: bool  # from version 2
    topics: Sequence[AcknowledgeTopic]

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = None,
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: Sequence[AcknowledgeTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = topics


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


def _read_acknowledge_partition_v1(b: Buffer, o: int, end: int) -> tuple[AcknowledgePartition, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgePartition.acknowledgement_batches")
    if n * 18 > end - o:
        raise short("AcknowledgePartition.acknowledgement_batches", n * 18, end - o)
    all_acknowledgement_batches: list[AcknowledgementBatch] = []
    for _ in range(n):
        one_acknowledgement_batches, o = _read_acknowledgement_batch_v1(b, o, end)
        all_acknowledgement_batches.append(one_acknowledgement_batches)
    acknowledgement_batches = tuple(all_acknowledgement_batches)
    o = skip_tags(b, o, end, "AcknowledgePartition") if b[o] else o + 1
    e = new(AcknowledgePartition)
    e.partition_index = partition_index
    e.acknowledgement_batches = acknowledgement_batches
    return e, o


def _write_acknowledge_partition_v1(e: AcknowledgePartition, put: Put) -> None:
    put(pack_i(e.partition_index))
    acknowledgement_batches = e.acknowledgement_batches
    put(put_uvarint(len(acknowledgement_batches) + 1))
    for one_acknowledgement_batches in acknowledgement_batches:
        _write_acknowledgement_batch_v1(one_acknowledgement_batches, put)
    put(b"\0")


def _walk_acknowledge_partition_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AcknowledgePartition]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgePartition.acknowledgement_batches")
    if n * 18 > end - o:
        raise short("AcknowledgePartition.acknowledgement_batches", n * 18, end - o)
    acknowledgement_batches, o = yield from walk_each(
        _walk_acknowledgement_batch_v1, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "AcknowledgePartition") if b[o] else o + 1
    e = new(AcknowledgePartition)
    e.partition_index = partition_index
    e.acknowledgement_batches = acknowledgement_batches
    return e, o


def _read_acknowledge_topic_v1(b: Buffer, o: int, end: int) -> tuple[AcknowledgeTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgeTopic.partitions")
    if n * 6 > end - o:
        raise short("AcknowledgeTopic.partitions", n * 6, end - o)
    all_partitions: list[AcknowledgePartition] = []
    for _ in range(n):
        one_partitions, o = _read_acknowledge_partition_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "AcknowledgeTopic") if b[o] else o + 1
    e = new(AcknowledgeTopic)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_acknowledge_topic_v1(e: AcknowledgeTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_acknowledge_partition_v1(one_partitions, put)
    put(b"\0")


def _walk_acknowledge_topic_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[AcknowledgeTopic]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AcknowledgeTopic.partitions")
    if n * 6 > end - o:
        raise short("AcknowledgeTopic.partitions", n * 6, end - o)
    partitions, o = yield from walk_each(_walk_acknowledge_partition_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "AcknowledgeTopic") if b[o] else o + 1
    e = new(AcknowledgeTopic)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_share_acknowledge_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareAcknowledgeRequest, int]:
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
            raise short("ShareAcknowledgeRequest.group_id", n, end - o)
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
            raise short("ShareAcknowledgeRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (share_session_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeRequest.topics")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeRequest.topics", n * 18, end - o)
    all_topics: list[AcknowledgeTopic] = []
    for _ in range(n):
        one_topics, o = _read_acknowledge_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ShareAcknowledgeRequest") if b[o] else o + 1
    e = new(ShareAcknowledgeRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.is_renew_ack = False
    e.topics = topics
    return e, o


def _write_share_acknowledge_request_v1(e: ShareAcknowledgeRequest, put: Put) -> None:
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
    put(pack_i(e.share_session_epoch))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_acknowledge_topic_v1(one_topics, put)
    put(b"\0")


def _walk_share_acknowledge_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareAcknowledgeRequest]:
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
            raise short("ShareAcknowledgeRequest.group_id", n, end - o)
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
            raise short("ShareAcknowledgeRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (share_session_epoch,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeRequest.topics")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_acknowledge_topic_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "ShareAcknowledgeRequest") if b[o] else o + 1
    e = new(ShareAcknowledgeRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.is_renew_ack = False
    e.topics = topics
    return e, o


def _read_share_acknowledge_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[ShareAcknowledgeRequest, int]:
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
            raise short("ShareAcknowledgeRequest.group_id", n, end - o)
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
            raise short("ShareAcknowledgeRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    share_session_epoch, is_renew_ack = unpack_it(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeRequest.topics")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeRequest.topics", n * 18, end - o)
    all_topics: list[AcknowledgeTopic] = []
    for _ in range(n):
        one_topics, o = _read_acknowledge_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ShareAcknowledgeRequest") if b[o] else o + 1
    e = new(ShareAcknowledgeRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.is_renew_ack = is_renew_ack
    e.topics = topics
    return e, o


def _write_share_acknowledge_request_v2(e: ShareAcknowledgeRequest, put: Put) -> None:
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
    put(pack_it(e.share_session_epoch, e.is_renew_ack))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_acknowledge_topic_v1(one_topics, put)
    put(b"\0")


def _walk_share_acknowledge_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareAcknowledgeRequest]:
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
            raise short("ShareAcknowledgeRequest.group_id", n, end - o)
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
            raise short("ShareAcknowledgeRequest.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    share_session_epoch, is_renew_ack = unpack_it(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeRequest.topics")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_acknowledge_topic_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "ShareAcknowledgeRequest") if b[o] else o + 1
    e = new(ShareAcknowledgeRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.share_session_epoch = share_session_epoch
    e.is_renew_ack = is_renew_ack
    e.topics = topics
    return e, o


ShareAcknowledgeRequest.RESPONSE = ShareAcknowledgeResponse
ShareAcknowledgeRequest.WALKERS = {
    1: _walk_share_acknowledge_request_v1,
    2: _walk_share_acknowledge_request_v2,
}
ShareAcknowledgeRequest.READERS = {
    1: _read_share_acknowledge_request_v1,
    2: _read_share_acknowledge_request_v2,
}
ShareAcknowledgeRequest.WRITERS = {
    1: _write_share_acknowledge_request_v1,
    2: _write_share_acknowledge_request_v2,
}
