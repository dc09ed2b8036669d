"""AlterReplicaStateRequest (key 30589), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, count_of, null, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.alter_replica_state_response import AlterReplicaStateResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iqb = Struct(">iqb").pack
pack_t = Struct(">?").pack
pack_u = Struct(">16s").pack
unpack_iqb = Struct(">iqb").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_u = Struct(">16s").unpack_from


class TopicData(Message):
    """A part of AlterReplicaStateRequest."""

    __slots__ = ("name", "partitions", "topic_id")
    name: str
    partitions: Sequence[int]
    topic_id: UUID | None  # tag 0

    def __init__(
        self, *, name: str = "", partitions: Sequence[int] = (), topic_id: UUID | None = None
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.topic_id = topic_id


class AlterReplicaStateRequest(Request[AlterReplicaStateResponse]):
    """The request of API 30589."""

    KEY: ClassVar = 30589
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("broker_id", "broker_epoch", "new_state", "reason", "topics", "damaged")
    broker_id: int
    broker_epoch: int
    new_state: int
    reason: str
    topics: Sequence[TopicData]
    damaged: bool  # tag 0

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
        new_state: int = 0,
        reason: str = "",
        topics: Sequence[TopicData] = (),
        damaged: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.new_state = new_state
        self.reason = reason
        self.topics = topics
        self.damaged = damaged


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.name")
    if n > end - o:
        raise short("TopicData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 4 > end - o:
        raise short("TopicData.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    topic_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "TopicData")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "TopicData")
            if tag == 0:
                (topic_id,) = unpack_u(b, o)
                o += 16
                topic_id = uuid_of(topic_id)
                if o != stop:
                    raise wrong_size("TopicData.topic_id", o - stop)
            o = stop
    e = new(TopicData)
    e.name = name
    e.partitions = partitions
    e.topic_id = topic_id
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    tags: list[bytes] = []
    outer = put
    topic_id = e.topic_id
    if topic_id is not None:
        topic_id_pieces: list[Buffer] = []
        put = topic_id_pieces.append
        put(pack_u(ZERO_UUID if topic_id is None else topic_id.bytes))
        piece = b"".join(topic_id_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_topic_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.name")
    if n > end - o:
        raise short("TopicData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 4 > end - o:
        raise short("TopicData.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    topic_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "TopicData")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "TopicData")
            if tag == 0:
                (topic_id,) = unpack_u(b, o)
                o += 16
                topic_id = uuid_of(topic_id)
                if o != stop:
                    raise wrong_size("TopicData.topic_id", o - stop)
            o = stop
    e = new(TopicData)
    e.name = name
    e.partitions = partitions
    e.topic_id = topic_id
    return e, o


def _read_alter_replica_state_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaStateRequest, int]:
    broker_id, broker_epoch, new_state = unpack_iqb(b, o)
    o += 13
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaStateRequest.reason")
    if n > end - o:
        raise short("AlterReplicaStateRequest.reason", n, end - o)
    reason = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaStateRequest.topics")
    if n * 3 > end - o:
        raise short("AlterReplicaStateRequest.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    damaged: bool = False
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "AlterReplicaStateRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "AlterReplicaStateRequest")
            if tag == 0:
                (damaged,) = unpack_t(b, o)
                o += 1
                if o != stop:
                    raise wrong_size("AlterReplicaStateRequest.damaged", o - stop)
            o = stop
    e = new(AlterReplicaStateRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.new_state = new_state
    e.reason = reason
    e.topics = topics
    e.damaged = damaged
    return e, o


def _write_alter_replica_state_request_v0(e: AlterReplicaStateRequest, put: Put) -> None:
    put(pack_iqb(e.broker_id, e.broker_epoch, e.new_state))
    reason = e.reason
    raw = reason.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_topic_data_v0(one_topics, put)
    tags: list[bytes] = []
    outer = put
    damaged = e.damaged
    if damaged:
        damaged_pieces: list[Buffer] = []
        put = damaged_pieces.append
        put(pack_t(damaged))
        piece = b"".join(damaged_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_alter_replica_state_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaStateRequest]:
    broker_id, broker_epoch, new_state = unpack_iqb(b, o)
    o += 13
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaStateRequest.reason")
    if n > end - o:
        raise short("AlterReplicaStateRequest.reason", n, end - o)
    reason = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaStateRequest.topics")
    if n * 3 > end - o:
        raise short("AlterReplicaStateRequest.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_topic_data_v0, b, o, end, at, n)
    damaged: bool = False
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "AlterReplicaStateRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "AlterReplicaStateRequest")
            if tag == 0:
                (damaged,) = unpack_t(b, o)
                o += 1
                if o != stop:
                    raise wrong_size("AlterReplicaStateRequest.damaged", o - stop)
            o = stop
    e = new(AlterReplicaStateRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.new_state = new_state
    e.reason = reason
    e.topics = topics
    e.damaged = damaged
    return e, o


AlterReplicaStateRequest.RESPONSE = AlterReplicaStateResponse
AlterReplicaStateRequest.WALKERS = {
    0: _walk_alter_replica_state_request_v0,
}
AlterReplicaStateRequest.READERS = {
    0: _read_alter_replica_state_request_v0,
}
AlterReplicaStateRequest.WRITERS = {
    0: _write_alter_replica_state_request_v0,
}
