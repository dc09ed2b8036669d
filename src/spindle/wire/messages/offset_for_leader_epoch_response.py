"""OffsetForLeaderEpochResponse (key 23), versions 2 to 4. Written by `tools.messages`."""

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
pack_hiiq = Struct(">hiiq").pack
pack_hiiqB = Struct(">hiiqB").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_hiiq = Struct(">hiiq").unpack_from
unpack_i = Struct(">i").unpack_from


class EpochEndOffset(Message):
    """A part of OffsetForLeaderEpochResponse."""

    __slots__ = ("error_code", "partition", "leader_epoch", "end_offset")
    error_code: ErrorCode
    partition: int
    leader_epoch: int
    end_offset: int

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset


class OffsetForLeaderTopicResult(Message):
    """A part of OffsetForLeaderEpochResponse."""

    __slots__ = ("topic", "partitions")
    topic: str
    partitions: Sequence[EpochEndOffset]

    def __init__(self, *, topic: str = "", partitions: Sequence[EpochEndOffset] = ()) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochResponse(Response):
    """The response of API 23."""

    KEY: ClassVar = 23
    VERSIONS: ClassVar = range(2, 5)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 2

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int
    topics: Sequence[OffsetForLeaderTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[OffsetForLeaderTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_epoch_end_offset_v2(b: Buffer, o: int, end: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset = unpack_hiiq(b, o)
    o += 18
    error_code = ERRORS.get(error_code, error_code)
    e = new(EpochEndOffset)
    e.error_code = error_code
    e.partition = partition
    e.leader_epoch = leader_epoch
    e.end_offset = end_offset
    return e, o


def _write_epoch_end_offset_v2(e: EpochEndOffset, put: Put) -> None:
    put(pack_hiiq(e.error_code, e.partition, e.leader_epoch, e.end_offset))


def _read_epoch_end_offset_v4(b: Buffer, o: int, end: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset = unpack_hiiq(b, o)
    o += 18
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "EpochEndOffset") if b[o] else o + 1
    e = new(EpochEndOffset)
    e.error_code = error_code
    e.partition = partition
    e.leader_epoch = leader_epoch
    e.end_offset = end_offset
    return e, o


def _write_epoch_end_offset_v4(e: EpochEndOffset, put: Put) -> None:
    put(pack_hiiqB(e.error_code, e.partition, e.leader_epoch, e.end_offset, 0))


def _read_offset_for_leader_topic_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetForLeaderTopicResult.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopicResult.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderTopicResult.partitions")
    if n * 18 > end - o:
        raise short("OffsetForLeaderTopicResult.partitions", n * 18, end - o)
    all_partitions: list[EpochEndOffset] = []
    for _ in range(n):
        one_partitions, o = _read_epoch_end_offset_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(OffsetForLeaderTopicResult)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_offset_for_leader_topic_result_v2(e: OffsetForLeaderTopicResult, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_epoch_end_offset_v2(one_partitions, put)


def _read_offset_for_leader_topic_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopicResult.topic")
    if n > end - o:
        raise short("OffsetForLeaderTopicResult.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderTopicResult.partitions")
    if n * 19 > end - o:
        raise short("OffsetForLeaderTopicResult.partitions", n * 19, end - o)
    all_partitions: list[EpochEndOffset] = []
    for _ in range(n):
        one_partitions, o = _read_epoch_end_offset_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OffsetForLeaderTopicResult") if b[o] else o + 1
    e = new(OffsetForLeaderTopicResult)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_offset_for_leader_topic_result_v4(e: OffsetForLeaderTopicResult, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_epoch_end_offset_v4(one_partitions, put)
    put(b"\0")


def _read_offset_for_leader_epoch_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderEpochResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetForLeaderEpochResponse.topics")
    if n * 6 > end - o:
        raise short("OffsetForLeaderEpochResponse.topics", n * 6, end - o)
    all_topics: list[OffsetForLeaderTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_offset_for_leader_topic_result_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetForLeaderEpochResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_for_leader_epoch_response_v2(e: OffsetForLeaderEpochResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_for_leader_topic_result_v2(one_topics, put)


def _read_offset_for_leader_epoch_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[OffsetForLeaderEpochResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetForLeaderEpochResponse.topics")
    if n * 3 > end - o:
        raise short("OffsetForLeaderEpochResponse.topics", n * 3, end - o)
    all_topics: list[OffsetForLeaderTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_offset_for_leader_topic_result_v4(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetForLeaderEpochResponse") if b[o] else o + 1
    e = new(OffsetForLeaderEpochResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_offset_for_leader_epoch_response_v4(e: OffsetForLeaderEpochResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_offset_for_leader_topic_result_v4(one_topics, put)
    put(b"\0")


OffsetForLeaderEpochResponse.READERS = {
    2: _read_offset_for_leader_epoch_response_v2,
    3: _read_offset_for_leader_epoch_response_v2,
    4: _read_offset_for_leader_epoch_response_v4,
}
EpochEndOffset.WRITERS = {
    2: _write_epoch_end_offset_v2,
    3: _write_epoch_end_offset_v2,
    4: _write_epoch_end_offset_v4,
}
OffsetForLeaderTopicResult.WRITERS = {
    2: _write_offset_for_leader_topic_result_v2,
    3: _write_offset_for_leader_topic_result_v2,
    4: _write_offset_for_leader_topic_result_v4,
}
OffsetForLeaderEpochResponse.WRITERS = {
    2: _write_offset_for_leader_epoch_response_v2,
    3: _write_offset_for_leader_epoch_response_v2,
    4: _write_offset_for_leader_epoch_response_v4,
}
