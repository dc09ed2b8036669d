"""DescribeProducersResponse (key 61), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_qiiqiqB = Struct(">qiiqiqB").pack
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_qiiqiq = Struct(">qiiqiq").unpack_from


class ProducerState(Message):
    """A part of DescribeProducersResponse."""

    __slots__ = (
        "producer_id",
        "producer_epoch",
        "last_sequence",
        "last_timestamp",
        "coordinator_epoch",
        "current_txn_start_offset",
    )
    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_txn_start_offset: int

    def __init__(
        self,
        *,
        producer_id: int = 0,
        producer_epoch: int = 0,
        last_sequence: int = -1,
        last_timestamp: int = -1,
        coordinator_epoch: int = 0,
        current_txn_start_offset: int = -1,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset


class PartitionResponse(Message):
    """A part of DescribeProducersResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "active_producers")
    partition_index: int
    error_code: ErrorCode
    error_message: str | None
    active_producers: Sequence[ProducerState]

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        active_producers: Sequence[ProducerState] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = active_producers


class TopicResponse(Message):
    """A part of DescribeProducersResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[PartitionResponse]

    def __init__(self, *, name: str = "", partitions: Sequence[PartitionResponse] = ()) -> None:
        self.name = name
        self.partitions = partitions


class DescribeProducersResponse(Response):
    """The response of API 61."""

    KEY: ClassVar = 61
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int
    topics: Sequence[TopicResponse]

    def __init__(self, *, throttle_time_ms: int = 0, topics: Sequence[TopicResponse] = ()) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_producer_state_v0(b: Buffer, o: int, end: int) -> tuple[ProducerState, int]:
    (
        producer_id,
        producer_epoch,
        last_sequence,
        last_timestamp,
        coordinator_epoch,
        current_txn_start_offset,
    ) = unpack_qiiqiq(b, o)
    o += 36
    o = skip_tags(b, o, end, "ProducerState") if b[o] else o + 1
    e = new(ProducerState)
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.last_sequence = last_sequence
    e.last_timestamp = last_timestamp
    e.coordinator_epoch = coordinator_epoch
    e.current_txn_start_offset = current_txn_start_offset
    return e, o


def _write_producer_state_v0(e: ProducerState, put: Put) -> None:
    put(
        pack_qiiqiqB(
            e.producer_id,
            e.producer_epoch,
            e.last_sequence,
            e.last_timestamp,
            e.coordinator_epoch,
            e.current_txn_start_offset,
            0,
        )
    )


def _read_partition_response_v0(b: Buffer, o: int, end: int) -> tuple[PartitionResponse, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("PartitionResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionResponse.active_producers")
    if n * 37 > end - o:
        raise short("PartitionResponse.active_producers", n * 37, end - o)
    all_active_producers: list[ProducerState] = []
    for _ in range(n):
        one_active_producers, o = _read_producer_state_v0(b, o, end)
        all_active_producers.append(one_active_producers)
    active_producers = tuple(all_active_producers)
    o = skip_tags(b, o, end, "PartitionResponse") if b[o] else o + 1
    e = new(PartitionResponse)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = error_message
    e.active_producers = active_producers
    return e, o


def _write_partition_response_v0(e: PartitionResponse, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    active_producers = e.active_producers
    put(put_uvarint(len(active_producers) + 1))
    if type(active_producers) is Packed:
        for piece in active_producers.pieces:
            put(piece)
    else:
        for one_active_producers in active_producers:
            _write_producer_state_v0(one_active_producers, put)
    put(b"\0")


def _read_topic_response_v0(b: Buffer, o: int, end: int) -> tuple[TopicResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicResponse.name")
    if n > end - o:
        raise short("TopicResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicResponse.partitions")
    if n * 9 > end - o:
        raise short("TopicResponse.partitions", n * 9, end - o)
    all_partitions: list[PartitionResponse] = []
    for _ in range(n):
        one_partitions, o = _read_partition_response_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicResponse") if b[o] else o + 1
    e = new(TopicResponse)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_topic_response_v0(e: TopicResponse, put: Put) -> None:
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
            _write_partition_response_v0(one_partitions, put)
    put(b"\0")


def _read_describe_producers_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeProducersResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeProducersResponse.topics")
    if n * 3 > end - o:
        raise short("DescribeProducersResponse.topics", n * 3, end - o)
    all_topics: list[TopicResponse] = []
    for _ in range(n):
        one_topics, o = _read_topic_response_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeProducersResponse") if b[o] else o + 1
    e = new(DescribeProducersResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_describe_producers_response_v0(e: DescribeProducersResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_response_v0(one_topics, put)
    put(b"\0")


DescribeProducersResponse.READERS = {
    0: _read_describe_producers_response_v0,
}
ProducerState.WRITERS = {
    0: _write_producer_state_v0,
}
PartitionResponse.WRITERS = {
    0: _write_partition_response_v0,
}
TopicResponse.WRITERS = {
    0: _write_topic_response_v0,
}
DescribeProducersResponse.WRITERS = {
    0: _write_describe_producers_response_v0,
}
