"""ListPartitionReassignmentsResponse (key 46), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class OngoingPartitionReassignment(Message):
    """A part of ListPartitionReassignmentsResponse."""

    __slots__ = ("partition_index", "replicas", "adding_replicas", "removing_replicas")
    partition_index: int
    replicas: Sequence[int]
    adding_replicas: Sequence[int]
    removing_replicas: Sequence[int]

    def __init__(
        self,
        *,
        partition_index: int = 0,
        replicas: Sequence[int] = (),
        adding_replicas: Sequence[int] = (),
        removing_replicas: Sequence[int] = (),
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.adding_replicas = adding_replicas
        self.removing_replicas = removing_replicas


class OngoingTopicReassignment(Message):
    """A part of ListPartitionReassignmentsResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[OngoingPartitionReassignment]

    def __init__(
        self, *, name: str = "", partitions: Sequence[OngoingPartitionReassignment] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListPartitionReassignmentsResponse(Response):
    """The response of API 46."""

    KEY: ClassVar = 46
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "topics")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    topics: Sequence[OngoingTopicReassignment]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        topics: Sequence[OngoingTopicReassignment] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics


def _read_ongoing_partition_reassignment_v0(
    b: Buffer, o: int, end: int
) -> tuple[OngoingPartitionReassignment, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OngoingPartitionReassignment.replicas")
    if n * 4 > end - o:
        raise short("OngoingPartitionReassignment.replicas", n * 4, end - o)
    replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OngoingPartitionReassignment.adding_replicas")
    if n * 4 > end - o:
        raise short("OngoingPartitionReassignment.adding_replicas", n * 4, end - o)
    adding_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OngoingPartitionReassignment.removing_replicas")
    if n * 4 > end - o:
        raise short("OngoingPartitionReassignment.removing_replicas", n * 4, end - o)
    removing_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "OngoingPartitionReassignment") if b[o] else o + 1
    e = new(OngoingPartitionReassignment)
    e.partition_index = partition_index
    e.replicas = replicas
    e.adding_replicas = adding_replicas
    e.removing_replicas = removing_replicas
    return e, o


def _write_ongoing_partition_reassignment_v0(e: OngoingPartitionReassignment, put: Put) -> None:
    put(pack_i(e.partition_index))
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if replicas:
        put(pack(f">{len(replicas)}i", *replicas))
    adding_replicas = e.adding_replicas
    put(put_uvarint(len(adding_replicas) + 1))
    if adding_replicas:
        put(pack(f">{len(adding_replicas)}i", *adding_replicas))
    removing_replicas = e.removing_replicas
    put(put_uvarint(len(removing_replicas) + 1))
    if removing_replicas:
        put(pack(f">{len(removing_replicas)}i", *removing_replicas))
    put(b"\0")


def _read_ongoing_topic_reassignment_v0(
    b: Buffer, o: int, end: int
) -> tuple[OngoingTopicReassignment, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OngoingTopicReassignment.name")
    if n > end - o:
        raise short("OngoingTopicReassignment.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OngoingTopicReassignment.partitions")
    if n * 8 > end - o:
        raise short("OngoingTopicReassignment.partitions", n * 8, end - o)
    all_partitions: list[OngoingPartitionReassignment] = []
    for _ in range(n):
        one_partitions, o = _read_ongoing_partition_reassignment_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "OngoingTopicReassignment") if b[o] else o + 1
    e = new(OngoingTopicReassignment)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_ongoing_topic_reassignment_v0(e: OngoingTopicReassignment, put: Put) -> None:
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
            _write_ongoing_partition_reassignment_v0(one_partitions, put)
    put(b"\0")


def _read_list_partition_reassignments_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListPartitionReassignmentsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
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
            raise short("ListPartitionReassignmentsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListPartitionReassignmentsResponse.topics")
    if n * 3 > end - o:
        raise short("ListPartitionReassignmentsResponse.topics", n * 3, end - o)
    all_topics: list[OngoingTopicReassignment] = []
    for _ in range(n):
        one_topics, o = _read_ongoing_topic_reassignment_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ListPartitionReassignmentsResponse") if b[o] else o + 1
    e = new(ListPartitionReassignmentsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.topics = topics
    return e, o


def _write_list_partition_reassignments_response_v0(
    e: ListPartitionReassignmentsResponse, put: Put
) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_ongoing_topic_reassignment_v0(one_topics, put)
    put(b"\0")


ListPartitionReassignmentsResponse.READERS = {
    0: _read_list_partition_reassignments_response_v0,
}
OngoingPartitionReassignment.WRITERS = {
    0: _write_ongoing_partition_reassignment_v0,
}
OngoingTopicReassignment.WRITERS = {
    0: _write_ongoing_topic_reassignment_v0,
}
ListPartitionReassignmentsResponse.WRITERS = {
    0: _write_list_partition_reassignments_response_v0,
}
