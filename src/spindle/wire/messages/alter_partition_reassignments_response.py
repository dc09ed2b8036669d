"""AlterPartitionReassignmentsResponse (key 45), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Packed,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_ih = Struct(">ih").pack
pack_ith = Struct(">i?h").pack
unpack_ih = Struct(">ih").unpack_from
unpack_ith = Struct(">i?h").unpack_from


class ReassignablePartitionResponse(Message):
    """A part of AlterPartitionReassignmentsResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "directories")
    partition_index: int
    error_code: ErrorCode
    error_message: str | None
    directories: Sequence[UUID | None]  # tag 10000

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        directories: Sequence[UUID | None] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.directories = directories


class ReassignableTopicResponse(Message):
    """A part of AlterPartitionReassignmentsResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[ReassignablePartitionResponse]

    def __init__(
        self, *, name: str = "", partitions: Sequence[ReassignablePartitionResponse] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class AlterPartitionReassignmentsResponse(Response):
    """The response of API 45."""

    KEY: ClassVar = 45
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = (
        "throttle_time_ms",
        "allow_replication_factor_change",
        "error_code",
        "error_message",
        "responses",
    )
    throttle_time_ms: int
    allow_replication_factor_change: bool  # from version 1
    error_code: ErrorCode
    error_message: str | None
    responses: Sequence[ReassignableTopicResponse]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        responses: Sequence[ReassignableTopicResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _read_reassignable_partition_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReassignablePartitionResponse, int]:
    partition_index, error_code = unpack_ih(b, o)
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
            raise short("ReassignablePartitionResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    directories: Sequence[UUID | None] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ReassignablePartitionResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ReassignablePartitionResponse")
            if tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ReassignablePartitionResponse.directories")
                if n * 16 > end - o:
                    raise short("ReassignablePartitionResponse.directories", n * 16, end - o)
                directories = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("ReassignablePartitionResponse.directories", o - stop)
            o = stop
    e = new(ReassignablePartitionResponse)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = error_message
    e.directories = directories
    return e, o


def _write_reassignable_partition_response_v0(e: ReassignablePartitionResponse, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    tags: list[bytes] = []
    outer = put
    directories = e.directories
    if len(directories):
        directories_pieces: list[Buffer] = []
        put = directories_pieces.append
        put(put_uvarint(len(directories) + 1))
        for one_directories in directories:
            put(ZERO_UUID if one_directories is None else one_directories.bytes)
        piece = b"".join(directories_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_reassignable_topic_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReassignableTopicResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopicResponse.name")
    if n > end - o:
        raise short("ReassignableTopicResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReassignableTopicResponse.partitions")
    if n * 8 > end - o:
        raise short("ReassignableTopicResponse.partitions", n * 8, end - o)
    all_partitions: list[ReassignablePartitionResponse] = []
    for _ in range(n):
        one_partitions, o = _read_reassignable_partition_response_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ReassignableTopicResponse") if b[o] else o + 1
    e = new(ReassignableTopicResponse)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_reassignable_topic_response_v0(e: ReassignableTopicResponse, put: Put) -> None:
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
            _write_reassignable_partition_response_v0(one_partitions, put)
    put(b"\0")


def _read_alter_partition_reassignments_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionReassignmentsResponse, int]:
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
            raise short("AlterPartitionReassignmentsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsResponse.responses")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsResponse.responses", n * 3, end - o)
    all_responses: list[ReassignableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_reassignable_topic_response_v0(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsResponse") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.allow_replication_factor_change = True
    e.error_code = error_code
    e.error_message = error_message
    e.responses = responses
    return e, o


def _write_alter_partition_reassignments_response_v0(
    e: AlterPartitionReassignmentsResponse, put: Put
) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_reassignable_topic_response_v0(one_responses, put)
    put(b"\0")


def _read_alter_partition_reassignments_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterPartitionReassignmentsResponse, int]:
    throttle_time_ms, allow_replication_factor_change, error_code = unpack_ith(b, o)
    o += 7
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
            raise short("AlterPartitionReassignmentsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterPartitionReassignmentsResponse.responses")
    if n * 3 > end - o:
        raise short("AlterPartitionReassignmentsResponse.responses", n * 3, end - o)
    all_responses: list[ReassignableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_reassignable_topic_response_v0(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "AlterPartitionReassignmentsResponse") if b[o] else o + 1
    e = new(AlterPartitionReassignmentsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.allow_replication_factor_change = allow_replication_factor_change
    e.error_code = error_code
    e.error_message = error_message
    e.responses = responses
    return e, o


def _write_alter_partition_reassignments_response_v1(
    e: AlterPartitionReassignmentsResponse, put: Put
) -> None:
    put(pack_ith(e.throttle_time_ms, e.allow_replication_factor_change, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_reassignable_topic_response_v0(one_responses, put)
    put(b"\0")


AlterPartitionReassignmentsResponse.READERS = {
    0: _read_alter_partition_reassignments_response_v0,
    1: _read_alter_partition_reassignments_response_v1,
}
ReassignablePartitionResponse.WRITERS = {
    0: _write_reassignable_partition_response_v0,
    1: _write_reassignable_partition_response_v0,
}
ReassignableTopicResponse.WRITERS = {
    0: _write_reassignable_topic_response_v0,
    1: _write_reassignable_topic_response_v0,
}
AlterPartitionReassignmentsResponse.WRITERS = {
    0: _write_alter_partition_reassignments_response_v0,
    1: _write_alter_partition_reassignments_response_v1,
}
