"""ListPartitionReassignmentsRequest (key 46), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
unpack_i = Struct(">i").unpack_from


class ListPartitionReassignmentsTopics(Message):
    """A part of ListPartitionReassignmentsRequest."""

    __slots__ = ("name", "partition_indexes")
    name: str
    partition_indexes: Sequence[int]

    def __init__(self, *, name: str = "", partition_indexes: Sequence[int] = ()) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class ListPartitionReassignmentsRequest(Request[ListPartitionReassignmentsResponse]):
    """The request of API 46."""

    KEY: ClassVar = 46
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("timeout_ms", "topics")
    timeout_ms: int
    topics: Sequence[ListPartitionReassignmentsTopics] | None

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        topics: Sequence[ListPartitionReassignmentsTopics] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics


def _read_list_partition_reassignments_topics_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListPartitionReassignmentsTopics, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListPartitionReassignmentsTopics.name")
    if n > end - o:
        raise short("ListPartitionReassignmentsTopics.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListPartitionReassignmentsTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("ListPartitionReassignmentsTopics.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "ListPartitionReassignmentsTopics") if b[o] else o + 1
    e = new(ListPartitionReassignmentsTopics)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_list_partition_reassignments_topics_v0(
    e: ListPartitionReassignmentsTopics, put: Put
) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_list_partition_reassignments_topics_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListPartitionReassignmentsTopics]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListPartitionReassignmentsTopics.name")
    if n > end - o:
        raise short("ListPartitionReassignmentsTopics.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListPartitionReassignmentsTopics.partition_indexes")
    if n * 4 > end - o:
        raise short("ListPartitionReassignmentsTopics.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "ListPartitionReassignmentsTopics") if b[o] else o + 1
    e = new(ListPartitionReassignmentsTopics)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_list_partition_reassignments_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListPartitionReassignmentsRequest, int]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    topics: Sequence[ListPartitionReassignmentsTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("ListPartitionReassignmentsRequest.topics", n * 3, end - o)
        all_topics: list[ListPartitionReassignmentsTopics] = []
        for _ in range(n):
            one_topics, o = _read_list_partition_reassignments_topics_v0(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ListPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(ListPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.topics = topics
    return e, o


def _write_list_partition_reassignments_request_v0(
    e: ListPartitionReassignmentsRequest, put: Put
) -> None:
    put(pack_i(e.timeout_ms))
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_list_partition_reassignments_topics_v0(one_topics, put)
    put(b"\0")


def _walk_list_partition_reassignments_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ListPartitionReassignmentsRequest]:
    (timeout_ms,) = unpack_i(b, o)
    o += 4
    topics: Sequence[ListPartitionReassignmentsTopics] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("ListPartitionReassignmentsRequest.topics", n * 3, end - o)
        topics, o = yield from walk_each(
            _walk_list_partition_reassignments_topics_v0, b, o, end, at, n
        )
    o = skip_tags(b, o, end, "ListPartitionReassignmentsRequest") if b[o] else o + 1
    e = new(ListPartitionReassignmentsRequest)
    e.timeout_ms = timeout_ms
    e.topics = topics
    return e, o


ListPartitionReassignmentsRequest.RESPONSE = ListPartitionReassignmentsResponse
ListPartitionReassignmentsRequest.WALKERS = {
    0: _walk_list_partition_reassignments_request_v0,
}
ListPartitionReassignmentsRequest.READERS = {
    0: _read_list_partition_reassignments_request_v0,
}
ListPartitionReassignmentsRequest.WRITERS = {
    0: _write_list_partition_reassignments_request_v0,
}
