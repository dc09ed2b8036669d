"""AlterPartitionRequest (key 56), versions 2 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, read_each, walk_each
from spindle.wire.messages.alter_partition_response import AlterPartitionResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_biB = Struct(">biB").pack
pack_ii = Struct(">ii").pack
pack_iq = Struct(">iq").pack
pack_iqB = Struct(">iqB").pack
pack_u = Struct(">16s").pack
unpack_bi = Struct(">bi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_u = Struct(">16s").unpack_from


class BrokerState(Message):
    """A part of AlterPartitionRequest."""

    __slots__ = ("broker_id", "broker_epoch")
    broker_id: int
    broker_epoch: int

    def __init__(self, *, broker_id: int = 0, broker_epoch: int = -1) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class PartitionData(Message):
    """A part of AlterPartitionRequest."""

    __slots__ = (
        "partition_index",
        "leader_epoch",
        "new_isr_with_epochs",
        "new_isr",
        "leader_recovery_state",
        "partition_epoch",
    )
    partition_index: int
    leader_epoch: int
    new_isr_with_epochs: Sequence[BrokerState]  # from version 3
    new_isr: Sequence[int]  # until version 2
    leader_recovery_state: int
    partition_epoch: int

    def __init__(
        self,
        *,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr_with_epochs: Sequence[BrokerState] = (),
        new_isr: Sequence[int] = (),
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr_with_epochs = new_isr_with_epochs
        self.new_isr = new_isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class TopicData(Message):
    """A part of AlterPartitionRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AlterPartitionRequest(Request[AlterPartitionResponse]):
    """The request of API 56."""

    KEY: ClassVar = 56
    VERSIONS: ClassVar = range(2, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("broker_id", "broker_epoch", "topics")
    broker_id: int
    broker_epoch: int
    topics: Sequence[TopicData]

    def __init__(
        self, *, broker_id: int = 0, broker_epoch: int = -1, topics: Sequence[TopicData] = ()
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = topics


def _read_broker_state_v3(b: Buffer, o: int, end: int) -> tuple[BrokerState, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "BrokerState") if b[o] else o + 1
    e = new(BrokerState)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    return e, o


def _write_broker_state_v3(e: BrokerState, put: Put) -> None:
    put(pack_iqB(e.broker_id, e.broker_epoch, 0))


def _read_partition_data_v2(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, leader_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.new_isr")
    if n * 4 > end - o:
        raise short("PartitionData.new_isr", n * 4, end - o)
    new_isr = unpack_from(f">{n}i", b, o)
    o += n * 4
    leader_recovery_state, partition_epoch = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.leader_epoch = leader_epoch
    e.new_isr_with_epochs = ()
    e.new_isr = new_isr
    e.leader_recovery_state = leader_recovery_state
    e.partition_epoch = partition_epoch
    return e, o


def _write_partition_data_v2(e: PartitionData, put: Put) -> None:
    put(pack_ii(e.partition_index, e.leader_epoch))
    new_isr = e.new_isr
    put(put_uvarint(len(new_isr) + 1))
    if new_isr:
        put(pack(f">{len(new_isr)}i", *new_isr))
    put(pack_biB(e.leader_recovery_state, e.partition_epoch, 0))


def _walk_partition_data_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[PartitionData]:
    partition_index, leader_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.new_isr")
    if n * 4 > end - o:
        raise short("PartitionData.new_isr", n * 4, end - o)
    new_isr, o = yield from numbers(">i", 4, b, o, n)
    leader_recovery_state, partition_epoch = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.leader_epoch = leader_epoch
    e.new_isr_with_epochs = ()
    e.new_isr = new_isr
    e.leader_recovery_state = leader_recovery_state
    e.partition_epoch = partition_epoch
    return e, o


def _read_partition_data_v3(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, leader_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.new_isr_with_epochs")
    if n * 13 > end - o:
        raise short("PartitionData.new_isr_with_epochs", n * 13, end - o)
    all_new_isr_with_epochs: list[BrokerState] = []
    for _ in range(n):
        one_new_isr_with_epochs, o = _read_broker_state_v3(b, o, end)
        all_new_isr_with_epochs.append(one_new_isr_with_epochs)
    new_isr_with_epochs = tuple(all_new_isr_with_epochs)
    leader_recovery_state, partition_epoch = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.leader_epoch = leader_epoch
    e.new_isr_with_epochs = new_isr_with_epochs
    e.new_isr = ()
    e.leader_recovery_state = leader_recovery_state
    e.partition_epoch = partition_epoch
    return e, o


def _write_partition_data_v3(e: PartitionData, put: Put) -> None:
    put(pack_ii(e.partition_index, e.leader_epoch))
    new_isr_with_epochs = e.new_isr_with_epochs
    put(put_uvarint(len(new_isr_with_epochs) + 1))
    for one_new_isr_with_epochs in new_isr_with_epochs:
        _write_broker_state_v3(one_new_isr_with_epochs, put)
    put(pack_biB(e.leader_recovery_state, e.partition_epoch, 0))


def _walk_partition_data_v3(b: Buffer, o: int, end: int, at: Marks) -> Reading[PartitionData]:
    partition_index, leader_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.new_isr_with_epochs")
    if n * 13 > end - o:
        raise short("PartitionData.new_isr_with_epochs", n * 13, end - o)
    new_isr_with_epochs, o = yield from read_each(_read_broker_state_v3, b, o, end, at, n)
    leader_recovery_state, partition_epoch = unpack_bi(b, o)
    o += 5
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.leader_epoch = leader_epoch
    e.new_isr_with_epochs = new_isr_with_epochs
    e.new_isr = ()
    e.leader_recovery_state = leader_recovery_state
    e.partition_epoch = partition_epoch
    return e, o


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
    if n * 15 > end - o:
        raise short("TopicData.partitions", n * 15, end - o)
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
    for one_partitions in partitions:
        _write_partition_data_v2(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
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
    if n * 15 > end - o:
        raise short("TopicData.partitions", n * 15, end - o)
    partitions, o = yield from walk_each(_walk_partition_data_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_topic_data_v3(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
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
    if n * 15 > end - o:
        raise short("TopicData.partitions", n * 15, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v3(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_topic_data_v3(e: TopicData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    for one_partitions in partitions:
        _write_partition_data_v3(one_partitions, put)
    put(b"\0")


def _walk_topic_data_v3(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
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
    if n * 15 > end - o:
        raise short("TopicData.partitions", n * 15, end - o)
    partitions, o = yield from walk_each(_walk_partition_data_v3, b, o, end, at, n)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_alter_partition_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionRequest.topics")
    if n * 18 > end - o:
        raise short("AlterPartitionRequest.topics", n * 18, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterPartitionRequest") if b[o] else o + 1
    e = new(AlterPartitionRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.topics = topics
    return e, o


def _write_alter_partition_request_v2(e: AlterPartitionRequest, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v2(one_topics, put)
    put(b"\0")


def _walk_alter_partition_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterPartitionRequest]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionRequest.topics")
    if n * 18 > end - o:
        raise short("AlterPartitionRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterPartitionRequest") if b[o] else o + 1
    e = new(AlterPartitionRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.topics = topics
    return e, o


def _read_alter_partition_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionRequest.topics")
    if n * 18 > end - o:
        raise short("AlterPartitionRequest.topics", n * 18, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v3(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterPartitionRequest") if b[o] else o + 1
    e = new(AlterPartitionRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.topics = topics
    return e, o


def _write_alter_partition_request_v3(e: AlterPartitionRequest, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v3(one_topics, put)
    put(b"\0")


def _walk_alter_partition_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterPartitionRequest]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionRequest.topics")
    if n * 18 > end - o:
        raise short("AlterPartitionRequest.topics", n * 18, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v3, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterPartitionRequest") if b[o] else o + 1
    e = new(AlterPartitionRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.topics = topics
    return e, o


AlterPartitionRequest.RESPONSE = AlterPartitionResponse
AlterPartitionRequest.WALKERS = {
    2: _walk_alter_partition_request_v2,
    3: _walk_alter_partition_request_v3,
}
AlterPartitionRequest.READERS = {
    2: _read_alter_partition_request_v2,
    3: _read_alter_partition_request_v3,
}
AlterPartitionRequest.WRITERS = {
    2: _write_alter_partition_request_v2,
    3: _write_alter_partition_request_v3,
}
