"""DeleteShareGroupOffsetsRequest (key 92), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
)
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class DeleteShareGroupOffsetsRequestTopic(Message):
    """A part of DeleteShareGroupOffsetsRequest."""

    __slots__ = ("topic_name",)
    topic_name: str

    def __init__(self, *, topic_name: str = "") -> None:
        self.topic_name = topic_name


class DeleteShareGroupOffsetsRequest(Request[DeleteShareGroupOffsetsResponse]):
    """The request of API 92."""

    KEY: ClassVar = 92
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "topics")
    group_id: str
    topics: Sequence[DeleteShareGroupOffsetsRequestTopic]

    def __init__(
        self, *, group_id: str = "", topics: Sequence[DeleteShareGroupOffsetsRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _read_delete_share_group_offsets_request_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupOffsetsRequestTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsRequestTopic.topic_name")
    if n > end - o:
        raise short("DeleteShareGroupOffsetsRequestTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "DeleteShareGroupOffsetsRequestTopic") if b[o] else o + 1
    e = new(DeleteShareGroupOffsetsRequestTopic)
    e.topic_name = topic_name
    return e, o


def _write_delete_share_group_offsets_request_topic_v0(
    e: DeleteShareGroupOffsetsRequestTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_delete_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupOffsetsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsRequest.group_id")
    if n > end - o:
        raise short("DeleteShareGroupOffsetsRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsRequest.topics")
    if n * 2 > end - o:
        raise short("DeleteShareGroupOffsetsRequest.topics", n * 2, end - o)
    all_topics: list[DeleteShareGroupOffsetsRequestTopic] = []
    for _ in range(n):
        one_topics, o = _read_delete_share_group_offsets_request_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DeleteShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(DeleteShareGroupOffsetsRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


def _write_delete_share_group_offsets_request_v0(
    e: DeleteShareGroupOffsetsRequest, put: Put
) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_delete_share_group_offsets_request_topic_v0(one_topics, put)
    put(b"\0")


def _walk_delete_share_group_offsets_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DeleteShareGroupOffsetsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsRequest.group_id")
    if n > end - o:
        raise short("DeleteShareGroupOffsetsRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsRequest.topics")
    if n * 2 > end - o:
        raise short("DeleteShareGroupOffsetsRequest.topics", n * 2, end - o)
    topics, o = yield from read_each(
        _read_delete_share_group_offsets_request_topic_v0, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "DeleteShareGroupOffsetsRequest") if b[o] else o + 1
    e = new(DeleteShareGroupOffsetsRequest)
    e.group_id = group_id
    e.topics = topics
    return e, o


DeleteShareGroupOffsetsRequest.RESPONSE = DeleteShareGroupOffsetsResponse
DeleteShareGroupOffsetsRequest.WALKERS = {
    0: _walk_delete_share_group_offsets_request_v0,
}
DeleteShareGroupOffsetsRequest.READERS = {
    0: _read_delete_share_group_offsets_request_v0,
}
DeleteShareGroupOffsetsRequest.WRITERS = {
    0: _write_delete_share_group_offsets_request_v0,
}
