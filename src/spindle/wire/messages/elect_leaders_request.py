"""ElectLeadersRequest (key 43), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.elect_leaders_response import ElectLeadersResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class TopicPartitions(Message):
    """A part of ElectLeadersRequest."""

    __slots__ = ("topic", "partitions")
    topic: str
    partitions: Sequence[int]

    def __init__(self, *, topic: str = "", partitions: Sequence[int] = ()) -> None:
        self.topic = topic
        self.partitions = partitions


class ElectLeadersRequest(Request[ElectLeadersResponse]):
    """The request of API 43."""

    KEY: ClassVar = 43
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("election_type", "topic_partitions", "timeout_ms")
    election_type: int  # from version 1
    topic_partitions: Sequence[TopicPartitions] | None
    timeout_ms: int

    def __init__(
        self,
        *,
        election_type: int = 0,
        topic_partitions: Sequence[TopicPartitions] | None = None,
        timeout_ms: int = 60000,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = topic_partitions
        self.timeout_ms = timeout_ms


def _read_topic_partitions_v0(b: Buffer, o: int, end: int) -> tuple[TopicPartitions, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicPartitions.topic")
    if n > end - o:
        raise short("TopicPartitions.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(TopicPartitions)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_topic_partitions_v0(e: TopicPartitions, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _walk_topic_partitions_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicPartitions]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicPartitions.topic")
    if n > end - o:
        raise short("TopicPartitions.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicPartitions.partitions")
    if n * 4 > end - o:
        raise short("TopicPartitions.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    e = new(TopicPartitions)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_topic_partitions_v2(b: Buffer, o: int, end: int) -> tuple[TopicPartitions, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.topic")
    if n > end - o:
        raise short("TopicPartitions.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
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
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_topic_partitions_v2(e: TopicPartitions, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_topic_partitions_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[TopicPartitions]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicPartitions.topic")
    if n > end - o:
        raise short("TopicPartitions.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
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
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_elect_leaders_request_v0(b: Buffer, o: int, end: int) -> tuple[ElectLeadersRequest, int]:
    topic_partitions: Sequence[TopicPartitions] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topic_partitions = None
    else:
        if n * 6 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 6, end - o)
        all_topic_partitions: list[TopicPartitions] = []
        for _ in range(n):
            one_topic_partitions, o = _read_topic_partitions_v0(b, o, end)
            all_topic_partitions.append(one_topic_partitions)
        topic_partitions = tuple(all_topic_partitions)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(ElectLeadersRequest)
    e.election_type = 0
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


def _write_elect_leaders_request_v0(e: ElectLeadersRequest, put: Put) -> None:
    topic_partitions = e.topic_partitions
    if topic_partitions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topic_partitions)))
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v0(one_topic_partitions, put)
    put(pack_i(e.timeout_ms))


def _walk_elect_leaders_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ElectLeadersRequest]:
    topic_partitions: Sequence[TopicPartitions] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topic_partitions = None
    else:
        if n * 6 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 6, end - o)
        topic_partitions, o = yield from walk_each(_walk_topic_partitions_v0, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(ElectLeadersRequest)
    e.election_type = 0
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


def _read_elect_leaders_request_v1(b: Buffer, o: int, end: int) -> tuple[ElectLeadersRequest, int]:
    (election_type,) = unpack_b(b, o)
    o += 1
    topic_partitions: Sequence[TopicPartitions] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topic_partitions = None
    else:
        if n * 6 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 6, end - o)
        all_topic_partitions: list[TopicPartitions] = []
        for _ in range(n):
            one_topic_partitions, o = _read_topic_partitions_v0(b, o, end)
            all_topic_partitions.append(one_topic_partitions)
        topic_partitions = tuple(all_topic_partitions)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(ElectLeadersRequest)
    e.election_type = election_type
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


def _write_elect_leaders_request_v1(e: ElectLeadersRequest, put: Put) -> None:
    put(pack_b(e.election_type))
    topic_partitions = e.topic_partitions
    if topic_partitions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topic_partitions)))
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v0(one_topic_partitions, put)
    put(pack_i(e.timeout_ms))


def _walk_elect_leaders_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ElectLeadersRequest]:
    (election_type,) = unpack_b(b, o)
    o += 1
    topic_partitions: Sequence[TopicPartitions] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topic_partitions = None
    else:
        if n * 6 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 6, end - o)
        topic_partitions, o = yield from walk_each(_walk_topic_partitions_v0, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(ElectLeadersRequest)
    e.election_type = election_type
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


def _read_elect_leaders_request_v2(b: Buffer, o: int, end: int) -> tuple[ElectLeadersRequest, int]:
    (election_type,) = unpack_b(b, o)
    o += 1
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 3 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 3, end - o)
        all_topic_partitions: list[TopicPartitions] = []
        for _ in range(n):
            one_topic_partitions, o = _read_topic_partitions_v2(b, o, end)
            all_topic_partitions.append(one_topic_partitions)
        topic_partitions = tuple(all_topic_partitions)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "ElectLeadersRequest") if b[o] else o + 1
    e = new(ElectLeadersRequest)
    e.election_type = election_type
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


def _write_elect_leaders_request_v2(e: ElectLeadersRequest, put: Put) -> None:
    put(pack_b(e.election_type))
    topic_partitions = e.topic_partitions
    if topic_partitions is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topic_partitions) + 1))
        for one_topic_partitions in topic_partitions:
            _write_topic_partitions_v2(one_topic_partitions, put)
    put(pack_iB(e.timeout_ms, 0))


def _walk_elect_leaders_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ElectLeadersRequest]:
    (election_type,) = unpack_b(b, o)
    o += 1
    topic_partitions: Sequence[TopicPartitions] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topic_partitions = None
    else:
        if n * 3 > end - o:
            raise short("ElectLeadersRequest.topic_partitions", n * 3, end - o)
        topic_partitions, o = yield from walk_each(_walk_topic_partitions_v2, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "ElectLeadersRequest") if b[o] else o + 1
    e = new(ElectLeadersRequest)
    e.election_type = election_type
    e.topic_partitions = topic_partitions
    e.timeout_ms = timeout_ms
    return e, o


ElectLeadersRequest.RESPONSE = ElectLeadersResponse
ElectLeadersRequest.WALKERS = {
    0: _walk_elect_leaders_request_v0,
    1: _walk_elect_leaders_request_v1,
    2: _walk_elect_leaders_request_v2,
}
ElectLeadersRequest.READERS = {
    0: _read_elect_leaders_request_v0,
    1: _read_elect_leaders_request_v1,
    2: _read_elect_leaders_request_v2,
}
ElectLeadersRequest.WRITERS = {
    0: _write_elect_leaders_request_v0,
    1: _write_elect_leaders_request_v1,
    2: _write_elect_leaders_request_v2,
}
