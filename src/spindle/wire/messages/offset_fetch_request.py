"""OffsetFetchRequest (key 9), versions 1 to 10. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, missing, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.offset_fetch_response import OffsetFetchResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_tB = Struct(">?B").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_u = Struct(">16s").unpack_from


class OffsetFetchRequestTopics(Message):
    """A part of OffsetFetchRequest."""

    __slots__ = ("topic_id", "name", "partition_indexes")
    topic_id: UUID | None  # from version 10
    name: str  # until version 9
    partition_indexes: Sequence[int]

    def __init__(
        self, *, topic_id: UUID | None = None, name: str = "", partition_indexes: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partition_indexes = partition_indexes


class OffsetFetchRequestGroup(Message):
    """A part of OffsetFetchRequest."""

    __slots__ = ("group_id", "member_id", "member_epoch", "topics")
    group_id: str
    member_id: str | None  # from version 9
    member_epoch: int  # from version 9
    topics: Sequence[OffsetFetchRequestTopics] | None

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: Sequence[OffsetFetchRequestTopics] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = topics


class OffsetFetchRequestTopic(Message):
    """A part of OffsetFetchRequest."""

    __slots__ = ("name", "partition_indexes")
    name: str
    partition_indexes: Sequence[int]

    def __init__(self, *, name: str = "", partition_indexes: Sequence[int] = ()) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class OffsetFetchRequest(Request[OffsetFetchResponse]):
    """The request of API 9."""

    KEY: ClassVar = 9
    VERSIONS: ClassVar = range(1, 11)
    FIRST_FLEXIBLE: ClassVar = 6

    __slots__ = ("groups", "group_id", "topics", "require_stable")
    groups: Sequence[OffsetFetchRequestGroup]  # from version 8
    group_id: str  # until version 7
    topics: Sequence[OffsetFetchRequestTopic] | None  # until version 7
    require_stable: bool  # from version 7

    def __init__(
        self,
        *,
        groups: Sequence[OffsetFetchRequestGroup] = (),
        group_id: str = "",
        topics: Sequence[OffsetFetchRequestTopic] | None = None,
        require_stable: bool = False,
    ) -> None:
        self.groups = groups
        self.group_id = group_id
        self.topics = topics
        self.require_stable = require_stable


def _read_offset_fetch_request_topics_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestTopics, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopics.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopics.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "OffsetFetchRequestTopics") if b[o] else o + 1
    e = new(OffsetFetchRequestTopics)
    e.topic_id = None
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_offset_fetch_request_topics_v8(e: OffsetFetchRequestTopics, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_offset_fetch_request_topics_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestTopics]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopics.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopics.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestTopics") if b[o] else o + 1
    e = new(OffsetFetchRequestTopics)
    e.topic_id = None
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_offset_fetch_request_topics_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestTopics, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopics.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "OffsetFetchRequestTopics") if b[o] else o + 1
    e = new(OffsetFetchRequestTopics)
    e.topic_id = topic_id
    e.name = ""
    e.partition_indexes = partition_indexes
    return e, o


def _write_offset_fetch_request_topics_v10(e: OffsetFetchRequestTopics, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_offset_fetch_request_topics_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestTopics]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopics.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestTopics") if b[o] else o + 1
    e = new(OffsetFetchRequestTopics)
    e.topic_id = topic_id
    e.name = ""
    e.partition_indexes = partition_indexes
    return e, o


def _read_offset_fetch_request_group_v8(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 3, end - o)
        all_topics: list[OffsetFetchRequestTopics] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topics_v8(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = None
    e.member_epoch = -1
    e.topics = topics
    return e, o


def _write_offset_fetch_request_group_v8(e: OffsetFetchRequestGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_offset_fetch_request_topics_v8(one_topics, put)
    put(b"\0")


def _walk_offset_fetch_request_group_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestGroup]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 3, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topics_v8, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = None
    e.member_epoch = -1
    e.topics = topics
    return e, o


def _read_offset_fetch_request_group_v9(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
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
            raise short("OffsetFetchRequestGroup.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 3, end - o)
        all_topics: list[OffsetFetchRequestTopics] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topics_v8(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.topics = topics
    return e, o


def _write_offset_fetch_request_group_v9(e: OffsetFetchRequestGroup, put: Put) -> None:
    group_id = e.group_id
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
    put(pack_i(e.member_epoch))
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_offset_fetch_request_topics_v8(one_topics, put)
    put(b"\0")


def _walk_offset_fetch_request_group_v9(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestGroup]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
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
            raise short("OffsetFetchRequestGroup.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 3, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topics_v8, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.topics = topics
    return e, o


def _read_offset_fetch_request_group_v10(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
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
            raise short("OffsetFetchRequestGroup.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 18, end - o)
        all_topics: list[OffsetFetchRequestTopics] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topics_v10(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.topics = topics
    return e, o


def _write_offset_fetch_request_group_v10(e: OffsetFetchRequestGroup, put: Put) -> None:
    group_id = e.group_id
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
    put(pack_i(e.member_epoch))
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_offset_fetch_request_topics_v10(one_topics, put)
    put(b"\0")


def _walk_offset_fetch_request_group_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestGroup]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestGroup.group_id")
    if n > end - o:
        raise short("OffsetFetchRequestGroup.group_id", n, end - o)
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
            raise short("OffsetFetchRequestGroup.member_id", n, end - o)
        member_id = str(b[o : o + n], "utf-8")
        o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
    topics: Sequence[OffsetFetchRequestTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("OffsetFetchRequestGroup.topics", n * 18, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topics_v10, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestGroup") if b[o] else o + 1
    e = new(OffsetFetchRequestGroup)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.topics = topics
    return e, o


def _read_offset_fetch_request_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequestTopic.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchRequestTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopic.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(OffsetFetchRequestTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_offset_fetch_request_topic_v1(e: OffsetFetchRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_indexes = e.partition_indexes
    put(pack_i(len(partition_indexes)))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))


def _walk_offset_fetch_request_topic_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequestTopic.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchRequestTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopic.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    e = new(OffsetFetchRequestTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_offset_fetch_request_topic_v6(
    b: Buffer, o: int, end: int
) -> tuple[OffsetFetchRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopic.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopic.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "OffsetFetchRequestTopic") if b[o] else o + 1
    e = new(OffsetFetchRequestTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_offset_fetch_request_topic_v6(e: OffsetFetchRequestTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_offset_fetch_request_topic_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequestTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopic.name")
    if n > end - o:
        raise short("OffsetFetchRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequestTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("OffsetFetchRequestTopic.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "OffsetFetchRequestTopic") if b[o] else o + 1
    e = new(OffsetFetchRequestTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_offset_fetch_request_v1(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchRequest.topics", n * 6, end - o)
    all_topics: list[OffsetFetchRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_offset_fetch_request_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _write_offset_fetch_request_v1(e: OffsetFetchRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    if topics is None:
        raise missing("OffsetFetchRequest.topics")
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_offset_fetch_request_topic_v1(one_topics, put)


def _walk_offset_fetch_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("OffsetFetchRequest.topics")
    if n * 6 > end - o:
        raise short("OffsetFetchRequest.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_offset_fetch_request_topic_v1, b, o, end, at, n)
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _read_offset_fetch_request_v2(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 6 > end - o:
            raise short("OffsetFetchRequest.topics", n * 6, end - o)
        all_topics: list[OffsetFetchRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topic_v1(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _write_offset_fetch_request_v2(e: OffsetFetchRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    if topics is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topics)))
        for one_topics in topics:
            _write_offset_fetch_request_topic_v1(one_topics, put)


def _walk_offset_fetch_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 6 > end - o:
            raise short("OffsetFetchRequest.topics", n * 6, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topic_v1, b, o, end, at, n)
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _read_offset_fetch_request_v6(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequest.topics", n * 3, end - o)
        all_topics: list[OffsetFetchRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topic_v6(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _write_offset_fetch_request_v6(e: OffsetFetchRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_offset_fetch_request_topic_v6(one_topics, put)
    put(b"\0")


def _walk_offset_fetch_request_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequest.topics", n * 3, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topic_v6, b, o, end, at, n)
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = False
    return e, o


def _read_offset_fetch_request_v7(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequest.topics", n * 3, end - o)
        all_topics: list[OffsetFetchRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_offset_fetch_request_topic_v6(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = require_stable
    return e, o


def _write_offset_fetch_request_v7(e: OffsetFetchRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_offset_fetch_request_topic_v6(one_topics, put)
    put(pack_tB(e.require_stable, 0))


def _walk_offset_fetch_request_v7(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.group_id")
    if n > end - o:
        raise short("OffsetFetchRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    topics: Sequence[OffsetFetchRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("OffsetFetchRequest.topics", n * 3, end - o)
        topics, o = yield from walk_each(_walk_offset_fetch_request_topic_v6, b, o, end, at, n)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = ()
    e.group_id = group_id
    e.topics = topics
    e.require_stable = require_stable
    return e, o


def _read_offset_fetch_request_v8(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 3 > end - o:
        raise short("OffsetFetchRequest.groups", n * 3, end - o)
    all_groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        one_groups, o = _read_offset_fetch_request_group_v8(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


def _write_offset_fetch_request_v8(e: OffsetFetchRequest, put: Put) -> None:
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    for one_groups in groups:
        _write_offset_fetch_request_group_v8(one_groups, put)
    put(pack_tB(e.require_stable, 0))


def _walk_offset_fetch_request_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 3 > end - o:
        raise short("OffsetFetchRequest.groups", n * 3, end - o)
    groups, o = yield from walk_each(_walk_offset_fetch_request_group_v8, b, o, end, at, n)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


def _read_offset_fetch_request_v9(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 8 > end - o:
        raise short("OffsetFetchRequest.groups", n * 8, end - o)
    all_groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        one_groups, o = _read_offset_fetch_request_group_v9(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


def _write_offset_fetch_request_v9(e: OffsetFetchRequest, put: Put) -> None:
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    for one_groups in groups:
        _write_offset_fetch_request_group_v9(one_groups, put)
    put(pack_tB(e.require_stable, 0))


def _walk_offset_fetch_request_v9(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 8 > end - o:
        raise short("OffsetFetchRequest.groups", n * 8, end - o)
    groups, o = yield from walk_each(_walk_offset_fetch_request_group_v9, b, o, end, at, n)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


def _read_offset_fetch_request_v10(b: Buffer, o: int, end: int) -> tuple[OffsetFetchRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 8 > end - o:
        raise short("OffsetFetchRequest.groups", n * 8, end - o)
    all_groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        one_groups, o = _read_offset_fetch_request_group_v10(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


def _write_offset_fetch_request_v10(e: OffsetFetchRequest, put: Put) -> None:
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    for one_groups in groups:
        _write_offset_fetch_request_group_v10(one_groups, put)
    put(pack_tB(e.require_stable, 0))


def _walk_offset_fetch_request_v10(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[OffsetFetchRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetFetchRequest.groups")
    if n * 8 > end - o:
        raise short("OffsetFetchRequest.groups", n * 8, end - o)
    groups, o = yield from walk_each(_walk_offset_fetch_request_group_v10, b, o, end, at, n)
    (require_stable,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "OffsetFetchRequest") if b[o] else o + 1
    e = new(OffsetFetchRequest)
    e.groups = groups
    e.group_id = ""
    e.topics = None
    e.require_stable = require_stable
    return e, o


OffsetFetchRequest.RESPONSE = OffsetFetchResponse
OffsetFetchRequest.WALKERS = {
    1: _walk_offset_fetch_request_v1,
    2: _walk_offset_fetch_request_v2,
    3: _walk_offset_fetch_request_v2,
    4: _walk_offset_fetch_request_v2,
    5: _walk_offset_fetch_request_v2,
    6: _walk_offset_fetch_request_v6,
    7: _walk_offset_fetch_request_v7,
    8: _walk_offset_fetch_request_v8,
    9: _walk_offset_fetch_request_v9,
    10: _walk_offset_fetch_request_v10,
}
OffsetFetchRequest.READERS = {
    1: _read_offset_fetch_request_v1,
    2: _read_offset_fetch_request_v2,
    3: _read_offset_fetch_request_v2,
    4: _read_offset_fetch_request_v2,
    5: _read_offset_fetch_request_v2,
    6: _read_offset_fetch_request_v6,
    7: _read_offset_fetch_request_v7,
    8: _read_offset_fetch_request_v8,
    9: _read_offset_fetch_request_v9,
    10: _read_offset_fetch_request_v10,
}
OffsetFetchRequest.WRITERS = {
    1: _write_offset_fetch_request_v1,
    2: _write_offset_fetch_request_v2,
    3: _write_offset_fetch_request_v2,
    4: _write_offset_fetch_request_v2,
    5: _write_offset_fetch_request_v2,
    6: _write_offset_fetch_request_v6,
    7: _write_offset_fetch_request_v7,
    8: _write_offset_fetch_request_v8,
    9: _write_offset_fetch_request_v9,
    10: _write_offset_fetch_request_v10,
}
