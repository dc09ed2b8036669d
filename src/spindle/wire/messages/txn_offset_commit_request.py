"""TxnOffsetCommitRequest (key 28), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.txn_offset_commit_response import TxnOffsetCommitResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iq = Struct(">iq").pack
pack_iqi = Struct(">iqi").pack
pack_qh = Struct(">qh").pack
pack_qhi = Struct(">qhi").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqi = Struct(">iqi").unpack_from
unpack_qh = Struct(">qh").unpack_from
unpack_qhi = Struct(">qhi").unpack_from


class TxnOffsetCommitRequestPartition(Message):
    """A part of TxnOffsetCommitRequest."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "committed_metadata",
    )
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int  # from version 2
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


class TxnOffsetCommitRequestTopic(Message):
    """A part of TxnOffsetCommitRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[TxnOffsetCommitRequestPartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[TxnOffsetCommitRequestPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class TxnOffsetCommitRequest(Request[TxnOffsetCommitResponse]):
    """The request of API 28."""

    KEY: ClassVar = 28
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = (
        "transactional_id",
        "group_id",
        "producer_id",
        "producer_epoch",
        "generation_id",
        "member_id",
        "group_instance_id",
        "topics",
    )
    transactional_id: str
    group_id: str
    producer_id: int
    producer_epoch: int
    generation_id: int  # from version 3
    member_id: str  # from version 3
    group_instance_id: str | None  # from version 3
    topics: Sequence[TxnOffsetCommitRequestTopic]

    def __init__(
        self,
        *,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: Sequence[TxnOffsetCommitRequestTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = topics


def _read_txn_offset_commit_request_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestPartition, int]:
    partition_index, committed_offset = unpack_iq(b, o)
    o += 12
    committed_metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        committed_metadata = None
    else:
        if n > end - o:
            raise short("TxnOffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    e = new(TxnOffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = -1
    e.committed_metadata = committed_metadata
    return e, o


def _write_txn_offset_commit_request_partition_v0(
    e: TxnOffsetCommitRequestPartition, put: Put
) -> None:
    put(pack_iq(e.partition_index, e.committed_offset))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\xff\xff")
    else:
        raw = committed_metadata.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_txn_offset_commit_request_partition_v2(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch = unpack_iqi(b, o)
    o += 16
    committed_metadata: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        committed_metadata = None
    else:
        if n > end - o:
            raise short("TxnOffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    e = new(TxnOffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.committed_metadata = committed_metadata
    return e, o


def _write_txn_offset_commit_request_partition_v2(
    e: TxnOffsetCommitRequestPartition, put: Put
) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\xff\xff")
    else:
        raw = committed_metadata.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_txn_offset_commit_request_partition_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestPartition, int]:
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
            raise short("TxnOffsetCommitRequestPartition.committed_metadata", n, end - o)
        committed_metadata = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "TxnOffsetCommitRequestPartition") if b[o] else o + 1
    e = new(TxnOffsetCommitRequestPartition)
    e.partition_index = partition_index
    e.committed_offset = committed_offset
    e.committed_leader_epoch = committed_leader_epoch
    e.committed_metadata = committed_metadata
    return e, o


def _write_txn_offset_commit_request_partition_v3(
    e: TxnOffsetCommitRequestPartition, put: Put
) -> None:
    put(pack_iqi(e.partition_index, e.committed_offset, e.committed_leader_epoch))
    committed_metadata = e.committed_metadata
    if committed_metadata is None:
        put(b"\0")
    else:
        raw = committed_metadata.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_txn_offset_commit_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 14 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 14, end - o)
    all_partitions: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_txn_offset_commit_request_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_txn_offset_commit_request_topic_v0(e: TxnOffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_txn_offset_commit_request_partition_v0(one_partitions, put)


def _walk_txn_offset_commit_request_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 14 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 14, end - o)
    partitions, o = yield from read_each(
        _read_txn_offset_commit_request_partition_v0, b, o, end, at, n
    )
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_txn_offset_commit_request_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 18, end - o)
    all_partitions: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_txn_offset_commit_request_partition_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_txn_offset_commit_request_topic_v2(e: TxnOffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    for one_partitions in partitions:
        _write_txn_offset_commit_request_partition_v2(one_partitions, put)


def _walk_txn_offset_commit_request_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 18, end - o)
    partitions, o = yield from read_each(
        _read_txn_offset_commit_request_partition_v2, b, o, end, at, n
    )
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_txn_offset_commit_request_topic_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 18, end - o)
    all_partitions: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(n):
        one_partitions, o = _read_txn_offset_commit_request_partition_v3(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TxnOffsetCommitRequestTopic") if b[o] else o + 1
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_txn_offset_commit_request_topic_v3(e: TxnOffsetCommitRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_txn_offset_commit_request_partition_v3(one_partitions, put)
    put(b"\0")


def _walk_txn_offset_commit_request_topic_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequestTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequestTopic.partitions")
    if n * 18 > end - o:
        raise short("TxnOffsetCommitRequestTopic.partitions", n * 18, end - o)
    partitions, o = yield from read_each(
        _read_txn_offset_commit_request_partition_v3, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "TxnOffsetCommitRequestTopic") if b[o] else o + 1
    e = new(TxnOffsetCommitRequestTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_txn_offset_commit_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_txn_offset_commit_request_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = -1
    e.member_id = ""
    e.group_instance_id = None
    e.topics = topics
    return e, o


def _write_txn_offset_commit_request_v0(e: TxnOffsetCommitRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qh(e.producer_id, e.producer_epoch))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_txn_offset_commit_request_topic_v0(one_topics, put)


def _walk_txn_offset_commit_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_txn_offset_commit_request_topic_v0, b, o, end, at, n)
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = -1
    e.member_id = ""
    e.group_instance_id = None
    e.topics = topics
    return e, o


def _read_txn_offset_commit_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 6, end - o)
    all_topics: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_txn_offset_commit_request_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = -1
    e.member_id = ""
    e.group_instance_id = None
    e.topics = topics
    return e, o


def _write_txn_offset_commit_request_v2(e: TxnOffsetCommitRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qh(e.producer_id, e.producer_epoch))
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_txn_offset_commit_request_topic_v2(one_topics, put)


def _walk_txn_offset_commit_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_txn_offset_commit_request_topic_v2, b, o, end, at, n)
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = -1
    e.member_id = ""
    e.group_instance_id = None
    e.topics = topics
    return e, o


def _read_txn_offset_commit_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, generation_id = unpack_qhi(b, o)
    o += 14
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.member_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.member_id", n, end - o)
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
            raise short("TxnOffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 3 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 3, end - o)
    all_topics: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_txn_offset_commit_request_topic_v3(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "TxnOffsetCommitRequest") if b[o] else o + 1
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.topics = topics
    return e, o


def _write_txn_offset_commit_request_v3(e: TxnOffsetCommitRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qhi(e.producer_id, e.producer_epoch, e.generation_id))
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
        _write_txn_offset_commit_request_topic_v3(one_topics, put)
    put(b"\0")


def _walk_txn_offset_commit_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TxnOffsetCommitRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.transactional_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.group_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, generation_id = unpack_qhi(b, o)
    o += 14
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.member_id")
    if n > end - o:
        raise short("TxnOffsetCommitRequest.member_id", n, end - o)
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
            raise short("TxnOffsetCommitRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitRequest.topics")
    if n * 3 > end - o:
        raise short("TxnOffsetCommitRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_txn_offset_commit_request_topic_v3, b, o, end, at, n)
    o = skip_tags(b, o, end, "TxnOffsetCommitRequest") if b[o] else o + 1
    e = new(TxnOffsetCommitRequest)
    e.transactional_id = transactional_id
    e.group_id = group_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.topics = topics
    return e, o


TxnOffsetCommitRequest.RESPONSE = TxnOffsetCommitResponse
TxnOffsetCommitRequest.WALKERS = {
    0: _walk_txn_offset_commit_request_v0,
    1: _walk_txn_offset_commit_request_v0,
    2: _walk_txn_offset_commit_request_v2,
    3: _walk_txn_offset_commit_request_v3,
    4: _walk_txn_offset_commit_request_v3,
    5: _walk_txn_offset_commit_request_v3,
}
TxnOffsetCommitRequest.READERS = {
    0: _read_txn_offset_commit_request_v0,
    1: _read_txn_offset_commit_request_v0,
    2: _read_txn_offset_commit_request_v2,
    3: _read_txn_offset_commit_request_v3,
    4: _read_txn_offset_commit_request_v3,
    5: _read_txn_offset_commit_request_v3,
}
TxnOffsetCommitRequest.WRITERS = {
    0: _write_txn_offset_commit_request_v0,
    1: _write_txn_offset_commit_request_v0,
    2: _write_txn_offset_commit_request_v2,
    3: _write_txn_offset_commit_request_v3,
    4: _write_txn_offset_commit_request_v3,
    5: _write_txn_offset_commit_request_v3,
}
