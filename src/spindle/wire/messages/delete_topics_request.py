"""DeleteTopicsRequest (key 20), versions 1 to 6. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each, string
from spindle.wire.messages.delete_topics_response import DeleteTopicsResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_uB = Struct(">16sB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_u = Struct(">16s").unpack_from


class DeleteTopicState(Message):
    """A part of DeleteTopicsRequest."""

    __slots__ = ("name", "topic_id")
    name: str | None
    topic_id: UUID | None

    def __init__(self, *, name: str | None = None, topic_id: UUID | None = None) -> None:
        self.name = name
        self.topic_id = topic_id


class DeleteTopicsRequest(Request[DeleteTopicsResponse]):
    """The request of API 20."""

    KEY: ClassVar = 20
    VERSIONS: ClassVar = range(1, 7)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = ("topics", "topic_names", "timeout_ms")
    topics: Sequence[DeleteTopicState]  # from version 6
    topic_names: Sequence[str]  # until version 5
    timeout_ms: int

    def __init__(
        self,
        *,
        topics: Sequence[DeleteTopicState] = (),
        topic_names: Sequence[str] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.topics = topics
        self.topic_names = topic_names
        self.timeout_ms = timeout_ms


def _read_delete_topic_state_v6(b: Buffer, o: int, end: int) -> tuple[DeleteTopicState, int]:
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
            raise short("DeleteTopicState.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
        o += n
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    o = skip_tags(b, o, end, "DeleteTopicState") if b[o] else o + 1
    e = new(DeleteTopicState)
    e.name = name
    e.topic_id = topic_id
    return e, o


def _write_delete_topic_state_v6(e: DeleteTopicState, put: Put) -> None:
    name = e.name
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_uB(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, 0))


def _read_delete_topics_request_v1(b: Buffer, o: int, end: int) -> tuple[DeleteTopicsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteTopicsRequest.topic_names")
    if n * 2 > end - o:
        raise short("DeleteTopicsRequest.topic_names", n * 2, end - o)
    all_topic_names: list[str] = []
    for _ in range(n):
        (n,) = unpack_h(b, o)
        o += 2
        if n < 0:
            raise null("DeleteTopicsRequest.topic_names")
        if n > end - o:
            raise short("DeleteTopicsRequest.topic_names", n, end - o)
        one_topic_names = str(b[o : o + n], "utf-8")
        o += n
        all_topic_names.append(one_topic_names)
    topic_names = tuple(all_topic_names)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(DeleteTopicsRequest)
    e.topics = ()
    e.topic_names = topic_names
    e.timeout_ms = timeout_ms
    return e, o


def _write_delete_topics_request_v1(e: DeleteTopicsRequest, put: Put) -> None:
    topic_names = e.topic_names
    put(pack_i(len(topic_names)))
    for one_topic_names in topic_names:
        raw = one_topic_names.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.timeout_ms))


def _walk_delete_topics_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteTopicsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteTopicsRequest.topic_names")
    if n * 2 > end - o:
        raise short("DeleteTopicsRequest.topic_names", n * 2, end - o)
    topic_names, o = yield from read_each(
        partial(string, "DeleteTopicsRequest.topic_names"), b, o, end, at, n
    )
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    e = new(DeleteTopicsRequest)
    e.topics = ()
    e.topic_names = topic_names
    e.timeout_ms = timeout_ms
    return e, o


def _read_delete_topics_request_v4(b: Buffer, o: int, end: int) -> tuple[DeleteTopicsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsRequest.topic_names")
    if n > end - o:
        raise short("DeleteTopicsRequest.topic_names", n, end - o)
    all_topic_names: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("DeleteTopicsRequest.topic_names")
        if n > end - o:
            raise short("DeleteTopicsRequest.topic_names", n, end - o)
        one_topic_names = str(b[o : o + n], "utf-8")
        o += n
        all_topic_names.append(one_topic_names)
    topic_names = tuple(all_topic_names)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteTopicsRequest") if b[o] else o + 1
    e = new(DeleteTopicsRequest)
    e.topics = ()
    e.topic_names = topic_names
    e.timeout_ms = timeout_ms
    return e, o


def _write_delete_topics_request_v4(e: DeleteTopicsRequest, put: Put) -> None:
    topic_names = e.topic_names
    put(put_uvarint(len(topic_names) + 1))
    for one_topic_names in topic_names:
        raw = one_topic_names.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_iB(e.timeout_ms, 0))


def _walk_delete_topics_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteTopicsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsRequest.topic_names")
    if n > end - o:
        raise short("DeleteTopicsRequest.topic_names", n, end - o)
    topic_names, o = yield from read_each(
        partial(compact_string, "DeleteTopicsRequest.topic_names"), b, o, end, at, n
    )
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteTopicsRequest") if b[o] else o + 1
    e = new(DeleteTopicsRequest)
    e.topics = ()
    e.topic_names = topic_names
    e.timeout_ms = timeout_ms
    return e, o


def _read_delete_topics_request_v6(b: Buffer, o: int, end: int) -> tuple[DeleteTopicsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsRequest.topics")
    if n * 18 > end - o:
        raise short("DeleteTopicsRequest.topics", n * 18, end - o)
    all_topics: list[DeleteTopicState] = []
    for _ in range(n):
        one_topics, o = _read_delete_topic_state_v6(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteTopicsRequest") if b[o] else o + 1
    e = new(DeleteTopicsRequest)
    e.topics = topics
    e.topic_names = ()
    e.timeout_ms = timeout_ms
    return e, o


def _write_delete_topics_request_v6(e: DeleteTopicsRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_delete_topic_state_v6(one_topics, put)
    put(pack_iB(e.timeout_ms, 0))


def _walk_delete_topics_request_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteTopicsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsRequest.topics")
    if n * 18 > end - o:
        raise short("DeleteTopicsRequest.topics", n * 18, end - o)
    topics, o = yield from read_each(_read_delete_topic_state_v6, b, o, end, at, n)
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DeleteTopicsRequest") if b[o] else o + 1
    e = new(DeleteTopicsRequest)
    e.topics = topics
    e.topic_names = ()
    e.timeout_ms = timeout_ms
    return e, o


DeleteTopicsRequest.RESPONSE = DeleteTopicsResponse
DeleteTopicsRequest.WALKERS = {
    1: _walk_delete_topics_request_v1,
    2: _walk_delete_topics_request_v1,
    3: _walk_delete_topics_request_v1,
    4: _walk_delete_topics_request_v4,
    5: _walk_delete_topics_request_v4,
    6: _walk_delete_topics_request_v6,
}
DeleteTopicsRequest.READERS = {
    1: _read_delete_topics_request_v1,
    2: _read_delete_topics_request_v1,
    3: _read_delete_topics_request_v1,
    4: _read_delete_topics_request_v4,
    5: _read_delete_topics_request_v4,
    6: _read_delete_topics_request_v6,
}
DeleteTopicsRequest.WRITERS = {
    1: _write_delete_topics_request_v1,
    2: _write_delete_topics_request_v1,
    3: _write_delete_topics_request_v1,
    4: _write_delete_topics_request_v4,
    5: _write_delete_topics_request_v4,
    6: _write_delete_topics_request_v6,
}
