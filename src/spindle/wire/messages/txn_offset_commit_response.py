"""TxnOffsetCommitResponse (key 28), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class TxnOffsetCommitResponsePartition(Message):
    """A part of TxnOffsetCommitResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class TxnOffsetCommitResponseTopic(Message):
    """A part of TxnOffsetCommitResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[TxnOffsetCommitResponsePartition]

    def __init__(
        self, *, name: str = "", partitions: Sequence[TxnOffsetCommitResponsePartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class TxnOffsetCommitResponse(Response):
    """The response of API 28."""

    KEY: ClassVar = 28
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int
    topics: Sequence[TxnOffsetCommitResponseTopic]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[TxnOffsetCommitResponseTopic] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_txn_offset_commit_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponsePartition, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    e = new(TxnOffsetCommitResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_txn_offset_commit_response_partition_v0(
    e: TxnOffsetCommitResponsePartition, put: Put
) -> None:
    put(pack_ih(e.partition_index, e.error_code))


def _read_txn_offset_commit_response_partition_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponsePartition, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "TxnOffsetCommitResponsePartition") if b[o] else o + 1
    e = new(TxnOffsetCommitResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_txn_offset_commit_response_partition_v3(
    e: TxnOffsetCommitResponsePartition, put: Put
) -> None:
    put(pack_ihB(e.partition_index, e.error_code, 0))


def _read_txn_offset_commit_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponseTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TxnOffsetCommitResponseTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitResponseTopic.partitions")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitResponseTopic.partitions", n * 6, end - o)
    all_partitions: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_txn_offset_commit_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(TxnOffsetCommitResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_txn_offset_commit_response_topic_v0(e: TxnOffsetCommitResponseTopic, put: Put) -> None:
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
            _write_txn_offset_commit_response_partition_v0(one_partitions, put)


def _read_txn_offset_commit_response_topic_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitResponseTopic.name")
    if n > end - o:
        raise short("TxnOffsetCommitResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitResponseTopic.partitions")
    if n * 7 > end - o:
        raise short("TxnOffsetCommitResponseTopic.partitions", n * 7, end - o)
    all_partitions: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_txn_offset_commit_response_partition_v3(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TxnOffsetCommitResponseTopic") if b[o] else o + 1
    e = new(TxnOffsetCommitResponseTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_txn_offset_commit_response_topic_v3(e: TxnOffsetCommitResponseTopic, put: Put) -> None:
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
            _write_txn_offset_commit_response_partition_v3(one_partitions, put)
    put(b"\0")


def _read_txn_offset_commit_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TxnOffsetCommitResponse.topics")
    if n * 6 > end - o:
        raise short("TxnOffsetCommitResponse.topics", n * 6, end - o)
    all_topics: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_txn_offset_commit_response_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(TxnOffsetCommitResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_txn_offset_commit_response_v0(e: TxnOffsetCommitResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_txn_offset_commit_response_topic_v0(one_topics, put)


def _read_txn_offset_commit_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[TxnOffsetCommitResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TxnOffsetCommitResponse.topics")
    if n * 3 > end - o:
        raise short("TxnOffsetCommitResponse.topics", n * 3, end - o)
    all_topics: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_txn_offset_commit_response_topic_v3(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "TxnOffsetCommitResponse") if b[o] else o + 1
    e = new(TxnOffsetCommitResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_txn_offset_commit_response_v3(e: TxnOffsetCommitResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_txn_offset_commit_response_topic_v3(one_topics, put)
    put(b"\0")


TxnOffsetCommitResponse.READERS = {
    0: _read_txn_offset_commit_response_v0,
    1: _read_txn_offset_commit_response_v0,
    2: _read_txn_offset_commit_response_v0,
    3: _read_txn_offset_commit_response_v3,
    4: _read_txn_offset_commit_response_v3,
    5: _read_txn_offset_commit_response_v3,
}
TxnOffsetCommitResponsePartition.WRITERS = {
    0: _write_txn_offset_commit_response_partition_v0,
    1: _write_txn_offset_commit_response_partition_v0,
    2: _write_txn_offset_commit_response_partition_v0,
    3: _write_txn_offset_commit_response_partition_v3,
    4: _write_txn_offset_commit_response_partition_v3,
    5: _write_txn_offset_commit_response_partition_v3,
}
TxnOffsetCommitResponseTopic.WRITERS = {
    0: _write_txn_offset_commit_response_topic_v0,
    1: _write_txn_offset_commit_response_topic_v0,
    2: _write_txn_offset_commit_response_topic_v0,
    3: _write_txn_offset_commit_response_topic_v3,
    4: _write_txn_offset_commit_response_topic_v3,
    5: _write_txn_offset_commit_response_topic_v3,
}
TxnOffsetCommitResponse.WRITERS = {
    0: _write_txn_offset_commit_response_v0,
    1: _write_txn_offset_commit_response_v0,
    2: _write_txn_offset_commit_response_v0,
    3: _write_txn_offset_commit_response_v3,
    4: _write_txn_offset_commit_response_v3,
    5: _write_txn_offset_commit_response_v3,
}
