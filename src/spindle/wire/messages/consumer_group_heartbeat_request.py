"""ConsumerGroupHeartbeatRequest (key 68), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, numbers, read_each, walk_each
from spindle.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_i = Struct(">i").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_u = Struct(">16s").unpack_from


class TopicPartitions(Message):
    """A part of ConsumerGroupHeartbeatRequest."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[int]

    def __init__(self, *, topic_id: UUID | None = None, partitions: Sequence[int] = ()) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ConsumerGroupHeartbeatRequest(Request[ConsumerGroupHeartbeatResponse]):
    """The request of API 68."""

    KEY: ClassVar = 68
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "server_assignor",
        "topic_partitions",
    )
    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    rebalance_timeout_ms: int
    subscribed_topic_names: Sequence[str] | None
    subscribed_topic_regex: str | None  # from version 1
    server_assignor: str | None
    topic_partitions: Sequence[TopicPartitions] | None

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: Sequence[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: Sequence[TopicPartitions] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions


def _read_topic_partitions_v0(b: Buffer, o: int, end: int) -> tuple[TopicPartitions, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicPartitions") if b[o] else o + 1
    e = new(TopicPartitions)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_topic_partitions_v0(e: TopicPartitions, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_topic_partitions_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicPartitions]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "TopicPartitions") if b[o] else o + 1
    e = new(TopicPartitions)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _read_consumer_group_heartbeat_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    (rebalance_timeout_ms,) = unpack_i(b, o)
    o += 4
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        all_subscribed_topic_names: list[str] = []
        for _ in range(n):
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("ConsumerGroupHeartbeatRequest.subscribed_topic_names")
            if n > end - o:
                raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
            one_subscribed_topic_names = str(b[o : o + n], "utf-8")
            o += n
            all_subscribed_topic_names.append(one_subscribed_topic_names)
        subscribed_topic_names = tuple(all_subscribed_topic_names)
    server_assignor: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        server_assignor = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.server_assignor", n, end - o)
        server_assignor = str(b[o : o + n], "utf-8")
        o += n
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 18 > end - o:
            raise short("ConsumerGroupHeartbeatRequest.topic_partitions", n * 18, end - o)
        all_topic_partitions: list[TopicPartitions] = []
        for _ in range(n):
            one_topic_partitions, o = _read_topic_partitions_v0(b, o, end)
            all_topic_partitions.append(one_topic_partitions)
        topic_partitions = tuple(all_topic_partitions)
    o = skip_tags(b, o, end, "ConsumerGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ConsumerGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.instance_id = instance_id
    e.rack_id = rack_id
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.subscribed_topic_names = subscribed_topic_names
    e.subscribed_topic_regex = None
    e.server_assignor = server_assignor
    e.topic_partitions = topic_partitions
    return e, o


def _write_consumer_group_heartbeat_request_v0(e: ConsumerGroupHeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.member_epoch))
    instance_id = e.instance_id
    if instance_id is None:
        put(b"\0")
    else:
        raw = instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    rack_id = e.rack_id
    if rack_id is None:
        put(b"\0")
    else:
        raw = rack_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.rebalance_timeout_ms))
    subscribed_topic_names = e.subscribed_topic_names
    if subscribed_topic_names is None:
        put(b"\0")
    else:
        put(put_uvarint(len(subscribed_topic_names) + 1))
        for one_subscribed_topic_names in subscribed_topic_names:
            raw = one_subscribed_topic_names.encode()
            put(put_uvarint(len(raw) + 1))
            put(raw)
    server_assignor = e.server_assignor
    if server_assignor is None:
        put(b"\0")
    else:
        raw = server_assignor.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topic_partitions = e.topic_partitions
    if topic_partitions is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topic_partitions) + 1))
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v0(one_topic_partitions, put)
    put(b"\0")


def _walk_consumer_group_heartbeat_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ConsumerGroupHeartbeatRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    (rebalance_timeout_ms,) = unpack_i(b, o)
    o += 4
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        subscribed_topic_names, o = yield from read_each(
            partial(compact_string, "ConsumerGroupHeartbeatRequest.subscribed_topic_names"),
            b,
            o,
            end,
            at,
            n,
        )
    server_assignor: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        server_assignor = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.server_assignor", n, end - o)
        server_assignor = str(b[o : o + n], "utf-8")
        o += n
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 18 > end - o:
            raise short("ConsumerGroupHeartbeatRequest.topic_partitions", n * 18, end - o)
        topic_partitions, o = yield from walk_each(_walk_topic_partitions_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ConsumerGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ConsumerGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.instance_id = instance_id
    e.rack_id = rack_id
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.subscribed_topic_names = subscribed_topic_names
    e.subscribed_topic_regex = None
    e.server_assignor = server_assignor
    e.topic_partitions = topic_partitions
    return e, o


def _read_consumer_group_heartbeat_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    (rebalance_timeout_ms,) = unpack_i(b, o)
    o += 4
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        all_subscribed_topic_names: list[str] = []
        for _ in range(n):
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("ConsumerGroupHeartbeatRequest.subscribed_topic_names")
            if n > end - o:
                raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
            one_subscribed_topic_names = str(b[o : o + n], "utf-8")
            o += n
            all_subscribed_topic_names.append(one_subscribed_topic_names)
        subscribed_topic_names = tuple(all_subscribed_topic_names)
    subscribed_topic_regex: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_regex = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_regex", n, end - o)
        subscribed_topic_regex = str(b[o : o + n], "utf-8")
        o += n
    server_assignor: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        server_assignor = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.server_assignor", n, end - o)
        server_assignor = str(b[o : o + n], "utf-8")
        o += n
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 18 > end - o:
            raise short("ConsumerGroupHeartbeatRequest.topic_partitions", n * 18, end - o)
        all_topic_partitions: list[TopicPartitions] = []
        for _ in range(n):
            one_topic_partitions, o = _read_topic_partitions_v0(b, o, end)
            all_topic_partitions.append(one_topic_partitions)
        topic_partitions = tuple(all_topic_partitions)
    o = skip_tags(b, o, end, "ConsumerGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ConsumerGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.instance_id = instance_id
    e.rack_id = rack_id
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.subscribed_topic_names = subscribed_topic_names
    e.subscribed_topic_regex = subscribed_topic_regex
    e.server_assignor = server_assignor
    e.topic_partitions = topic_partitions
    return e, o


def _write_consumer_group_heartbeat_request_v1(e: ConsumerGroupHeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.member_epoch))
    instance_id = e.instance_id
    if instance_id is None:
        put(b"\0")
    else:
        raw = instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    rack_id = e.rack_id
    if rack_id is None:
        put(b"\0")
    else:
        raw = rack_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.rebalance_timeout_ms))
    subscribed_topic_names = e.subscribed_topic_names
    if subscribed_topic_names is None:
        put(b"\0")
    else:
        put(put_uvarint(len(subscribed_topic_names) + 1))
        for one_subscribed_topic_names in subscribed_topic_names:
            raw = one_subscribed_topic_names.encode()
            put(put_uvarint(len(raw) + 1))
            put(raw)
    subscribed_topic_regex = e.subscribed_topic_regex
    if subscribed_topic_regex is None:
        put(b"\0")
    else:
        raw = subscribed_topic_regex.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    server_assignor = e.server_assignor
    if server_assignor is None:
        put(b"\0")
    else:
        raw = server_assignor.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topic_partitions = e.topic_partitions
    if topic_partitions is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topic_partitions) + 1))
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v0(one_topic_partitions, put)
    put(b"\0")


def _walk_consumer_group_heartbeat_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ConsumerGroupHeartbeatRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ConsumerGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    (rebalance_timeout_ms,) = unpack_i(b, o)
    o += 4
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        subscribed_topic_names, o = yield from read_each(
            partial(compact_string, "ConsumerGroupHeartbeatRequest.subscribed_topic_names"),
            b,
            o,
            end,
            at,
            n,
        )
    subscribed_topic_regex: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_regex = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.subscribed_topic_regex", n, end - o)
        subscribed_topic_regex = str(b[o : o + n], "utf-8")
        o += n
    server_assignor: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        server_assignor = None
    else:
        if n > end - o:
            raise short("ConsumerGroupHeartbeatRequest.server_assignor", n, end - o)
        server_assignor = str(b[o : o + n], "utf-8")
        o += n
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 18 > end - o:
            raise short("ConsumerGroupHeartbeatRequest.topic_partitions", n * 18, end - o)
        topic_partitions, o = yield from walk_each(_walk_topic_partitions_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "ConsumerGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ConsumerGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.instance_id = instance_id
    e.rack_id = rack_id
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.subscribed_topic_names = subscribed_topic_names
    e.subscribed_topic_regex = subscribed_topic_regex
    e.server_assignor = server_assignor
    e.topic_partitions = topic_partitions
    return e, o


ConsumerGroupHeartbeatRequest.RESPONSE = ConsumerGroupHeartbeatResponse
ConsumerGroupHeartbeatRequest.WALKERS = {
    0: _walk_consumer_group_heartbeat_request_v0,
    1: _walk_consumer_group_heartbeat_request_v1,
}
ConsumerGroupHeartbeatRequest.READERS = {
    0: _read_consumer_group_heartbeat_request_v0,
    1: _read_consumer_group_heartbeat_request_v1,
}
ConsumerGroupHeartbeatRequest.WRITERS = {
    0: _write_consumer_group_heartbeat_request_v0,
    1: _write_consumer_group_heartbeat_request_v1,
}
