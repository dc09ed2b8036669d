"""AlterPartitionResponse (key 56), versions 2 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_biB = Struct(">biB").pack
pack_ih = Struct(">ih").pack
pack_ihii = Struct(">ihii").pack
pack_u = Struct(">16s").pack
unpack_bi = Struct(">bi").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihii = Struct(">ihii").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionData(Message):
    """A part of AlterPartitionResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "leader_id",
        "leader_epoch",
        "isr",
        "leader_recovery_state",
        "partition_epoch",
    )
    partition_index: int
    error_code: ErrorCode
    leader_id: int
    leader_epoch: int
    isr: Sequence[int]
    leader_recovery_state: int
    partition_epoch: int

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: Sequence[int] = (),
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class TopicData(Message):
    """A part of AlterPartitionResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AlterPartitionResponse(Response):
    """The response of API 56."""

    KEY: ClassVar = 56
    VERSIONS: ClassVar = range(2, 4)
    FIRST_FLEXIBLE: ClassVar = 2
    THROTTLE_FROM: ClassVar = 2

    __slots__ = ("throttle_time_ms", "error_code", "topics")
    throttle_time_ms: int
    error_code: ErrorCode
    topics: Sequence[TopicData]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        topics: Sequence[TopicData] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics


def _read_partition_data_v2(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch = unpack_ihii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.isr")
    if n * 4 > end - o:
        raise short("PartitionData.isr", n * 4, end - o)
    isr = unpack_from(f">{n}i", b, o)
    o += n * 4
    leader_recovery_state, partition_epoch = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.isr = isr
    e.leader_recovery_state = leader_recovery_state
    e.partition_epoch = partition_epoch
    return e, o


def _write_partition_data_v2(e: PartitionData, put: Put) -> None:
    put(pack_ihii(e.partition_index, e.error_code, e.leader_id, e.leader_epoch))
    isr = e.isr
    put(put_uvarint(len(isr) + 1))
    if isr:
        put(pack(f">{len(isr)}i", *isr))
    put(pack_biB(e.leader_recovery_state, e.partition_epoch, 0))


def _read_topic_data_v2(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 21 > end - o:
        raise short("TopicData.partitions", n * 21, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_topic_data_v2(e: TopicData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v2(one_partitions, put)
    put(b"\0")


def _read_alter_partition_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionResponse.topics")
    if n * 18 > end - o:
        raise short("AlterPartitionResponse.topics", n * 18, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterPartitionResponse") if b[o] else o + 1
    e = new(AlterPartitionResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.topics = topics
    return e, o


def _write_alter_partition_response_v2(e: AlterPartitionResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v2(one_topics, put)
    put(b"\0")


AlterPartitionResponse.READERS = {
    2: _read_alter_partition_response_v2,
    3: _read_alter_partition_response_v2,
}
PartitionData.WRITERS = {
    2: _write_partition_data_v2,
    3: _write_partition_data_v2,
}
TopicData.WRITERS = {
    2: _write_topic_data_v2,
    3: _write_topic_data_v2,
}
AlterPartitionResponse.WRITERS = {
    2: _write_alter_partition_response_v2,
    3: _write_alter_partition_response_v2,
}
