"""MetadataRequest (key 3), versions 0 to 13. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, missing, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.metadata_response import MetadataResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
pack_ttB = Struct(">??B").pack
pack_ttt = Struct(">???").pack
pack_tttB = Struct(">???B").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tt = Struct(">??").unpack_from
unpack_ttt = Struct(">???").unpack_from
unpack_u = Struct(">16s").unpack_from


class MetadataRequestTopic(Message):
    """A part of MetadataRequest."""

    __slots__ = ("topic_id", "name")
    topic_id: UUID | None  # from version 10
    name: str | None

    def __init__(self, *, topic_id: UUID | None = None, name: str | None = None) -> None:
        self.topic_id = topic_id
        self.name = name


class MetadataRequest(Request[MetadataResponse]):
    """The request of API 3."""

    KEY: ClassVar = 3
    VERSIONS: ClassVar = range(14)
    FIRST_FLEXIBLE: ClassVar = 9

    __slots__ = (
        "topics",
        "allow_auto_topic_creation",
        "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
    )
    topics: Sequence[MetadataRequestTopic] | None
    allow_auto_topic_creation: bool  # from version 4
    include_cluster_authorized_operations: bool  # from version 8, until version 10
    include_topic_authorized_operations: bool  # from version 8

    def __init__(
        self,
        *,
        topics: Sequence[MetadataRequestTopic] | None = None,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics = topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations


def _read_metadata_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[MetadataRequestTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataRequestTopic.name")
    if n > end - o:
        raise short("MetadataRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    e = new(MetadataRequestTopic)
    e.topic_id = None
    e.name = name
    return e, o


def _write_metadata_request_topic_v0(e: MetadataRequestTopic, put: Put) -> None:
    name = e.name
    if name is None:
        raise missing("MetadataRequestTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_metadata_request_topic_v9(
    b: Buffer, o: int, end: int
) -> tuple[MetadataRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataRequestTopic.name")
    if n > end - o:
        raise short("MetadataRequestTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "MetadataRequestTopic") if b[o] else o + 1
    e = new(MetadataRequestTopic)
    e.topic_id = None
    e.name = name
    return e, o


def _write_metadata_request_topic_v9(e: MetadataRequestTopic, put: Put) -> None:
    name = e.name
    if name is None:
        raise missing("MetadataRequestTopic.name")
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_metadata_request_topic_v10(
    b: Buffer, o: int, end: int
) -> tuple[MetadataRequestTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        name = None
    else:
        if n > end - o:
            raise short("MetadataRequestTopic.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "MetadataRequestTopic") if b[o] else o + 1
    e = new(MetadataRequestTopic)
    e.topic_id = topic_id
    e.name = name
    return e, o


def _write_metadata_request_topic_v10(e: MetadataRequestTopic, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    name = e.name
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_metadata_request_v0(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataRequest.topics")
    if n * 2 > end - o:
        raise short("MetadataRequest.topics", n * 2, end - o)
    all_topics: list[MetadataRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_request_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = True
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _write_metadata_request_v0(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        raise missing("MetadataRequest.topics")
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_metadata_request_topic_v0(one_topics, put)


def _walk_metadata_request_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataRequest.topics")
    if n * 2 > end - o:
        raise short("MetadataRequest.topics", n * 2, end - o)
    topics, o = yield from read_each(_read_metadata_request_topic_v0, b, o, end, at, n)
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = True
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _read_metadata_request_v1(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v0(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = True
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _write_metadata_request_v1(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topics)))
        for one_topics in topics:
            _write_metadata_request_topic_v0(one_topics, put)


def _walk_metadata_request_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v0, b, o, end, at, n)
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = True
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _read_metadata_request_v4(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v0(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    (allow_auto_topic_creation,) = unpack_t(b, o)
    o += 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _write_metadata_request_v4(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topics)))
        for one_topics in topics:
            _write_metadata_request_topic_v0(one_topics, put)
    put(pack_t(e.allow_auto_topic_creation))


def _walk_metadata_request_v4(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v0, b, o, end, at, n)
    (allow_auto_topic_creation,) = unpack_t(b, o)
    o += 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = False
    return e, o


def _read_metadata_request_v8(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v0(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _write_metadata_request_v8(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topics)))
        for one_topics in topics:
            _write_metadata_request_topic_v0(one_topics, put)
    put(
        pack_ttt(
            e.allow_auto_topic_creation,
            e.include_cluster_authorized_operations,
            e.include_topic_authorized_operations,
        )
    )


def _walk_metadata_request_v8(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v0, b, o, end, at, n)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _read_metadata_request_v9(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v9(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _write_metadata_request_v9(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_metadata_request_topic_v9(one_topics, put)
    put(
        pack_tttB(
            e.allow_auto_topic_creation,
            e.include_cluster_authorized_operations,
            e.include_topic_authorized_operations,
            0,
        )
    )


def _walk_metadata_request_v9(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 2 > end - o:
            raise short("MetadataRequest.topics", n * 2, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v9, b, o, end, at, n)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _read_metadata_request_v10(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("MetadataRequest.topics", n * 18, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v10(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _write_metadata_request_v10(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_metadata_request_topic_v10(one_topics, put)
    put(
        pack_tttB(
            e.allow_auto_topic_creation,
            e.include_cluster_authorized_operations,
            e.include_topic_authorized_operations,
            0,
        )
    )


def _walk_metadata_request_v10(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("MetadataRequest.topics", n * 18, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v10, b, o, end, at, n)
    (
        allow_auto_topic_creation,
        include_cluster_authorized_operations,
        include_topic_authorized_operations,
    ) = unpack_ttt(b, o)
    o += 3
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _read_metadata_request_v11(b: Buffer, o: int, end: int) -> tuple[MetadataRequest, int]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("MetadataRequest.topics", n * 18, end - o)
        all_topics: list[MetadataRequestTopic] = []
        for _ in range(n):
            one_topics, o = _read_metadata_request_topic_v10(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    allow_auto_topic_creation, include_topic_authorized_operations = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


def _write_metadata_request_v11(e: MetadataRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_metadata_request_topic_v10(one_topics, put)
    put(pack_ttB(e.allow_auto_topic_creation, e.include_topic_authorized_operations, 0))


def _walk_metadata_request_v11(b: Buffer, o: int, end: int, at: Marks) -> Reading[MetadataRequest]:
    topics: Sequence[MetadataRequestTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 18 > end - o:
            raise short("MetadataRequest.topics", n * 18, end - o)
        topics, o = yield from read_each(_read_metadata_request_topic_v10, b, o, end, at, n)
    allow_auto_topic_creation, include_topic_authorized_operations = unpack_tt(b, o)
    o += 2
    o = skip_tags(b, o, end, "MetadataRequest") if b[o] else o + 1
    e = new(MetadataRequest)
    e.topics = topics
    e.allow_auto_topic_creation = allow_auto_topic_creation
    e.include_cluster_authorized_operations = False
    e.include_topic_authorized_operations = include_topic_authorized_operations
    return e, o


MetadataRequest.RESPONSE = MetadataResponse
MetadataRequest.WALKERS = {
    0: _walk_metadata_request_v0,
    1: _walk_metadata_request_v1,
    2: _walk_metadata_request_v1,
    3: _walk_metadata_request_v1,
    4: _walk_metadata_request_v4,
    5: _walk_metadata_request_v4,
    6: _walk_metadata_request_v4,
    7: _walk_metadata_request_v4,
    8: _walk_metadata_request_v8,
    9: _walk_metadata_request_v9,
    10: _walk_metadata_request_v10,
    11: _walk_metadata_request_v11,
    12: _walk_metadata_request_v11,
    13: _walk_metadata_request_v11,
}
MetadataRequest.READERS = {
    0: _read_metadata_request_v0,
    1: _read_metadata_request_v1,
    2: _read_metadata_request_v1,
    3: _read_metadata_request_v1,
    4: _read_metadata_request_v4,
    5: _read_metadata_request_v4,
    6: _read_metadata_request_v4,
    7: _read_metadata_request_v4,
    8: _read_metadata_request_v8,
    9: _read_metadata_request_v9,
    10: _read_metadata_request_v10,
    11: _read_metadata_request_v11,
    12: _read_metadata_request_v11,
    13: _read_metadata_request_v11,
}
MetadataRequest.WRITERS = {
    0: _write_metadata_request_v0,
    1: _write_metadata_request_v1,
    2: _write_metadata_request_v1,
    3: _write_metadata_request_v1,
    4: _write_metadata_request_v4,
    5: _write_metadata_request_v4,
    6: _write_metadata_request_v4,
    7: _write_metadata_request_v4,
    8: _write_metadata_request_v8,
    9: _write_metadata_request_v9,
    10: _write_metadata_request_v10,
    11: _write_metadata_request_v11,
    12: _write_metadata_request_v11,
    13: _write_metadata_request_v11,
}
