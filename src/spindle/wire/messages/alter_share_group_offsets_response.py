"""AlterShareGroupOffsetsResponse (key 91), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_ih = Struct(">ih").pack
pack_u = Struct(">16s").pack
unpack_ih = Struct(">ih").unpack_from
unpack_u = Struct(">16s").unpack_from


class AlterShareGroupOffsetsResponsePartition(Message):
    """A part of AlterShareGroupOffsetsResponse."""

    __slots__ = ("partition_index", "error_code", "error_message")
    partition_index: int
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message


class AlterShareGroupOffsetsResponseTopic(Message):
    """A part of AlterShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "partitions")
    topic_name: str
    topic_id: UUID | None
    partitions: Sequence[AlterShareGroupOffsetsResponsePartition]

    def __init__(
        self,
        *,
        topic_name: str = "",
        topic_id: UUID | None = None,
        partitions: Sequence[AlterShareGroupOffsetsResponsePartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions


class AlterShareGroupOffsetsResponse(Response):
    """The response of API 91."""

    KEY: ClassVar = 91
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    responses: Sequence[AlterShareGroupOffsetsResponseTopic]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        responses: Sequence[AlterShareGroupOffsetsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _read_alter_share_group_offsets_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsResponsePartition, int]:
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
            raise short("AlterShareGroupOffsetsResponsePartition.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsResponsePartition") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsResponsePartition)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_alter_share_group_offsets_response_partition_v0(
    e: AlterShareGroupOffsetsResponsePartition, put: Put
) -> None:
    put(pack_ih(e.partition_index, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_alter_share_group_offsets_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsResponseTopic.topic_name")
    if n > end - o:
        raise short("AlterShareGroupOffsetsResponseTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsResponseTopic.partitions")
    if n * 8 > end - o:
        raise short("AlterShareGroupOffsetsResponseTopic.partitions", n * 8, end - o)
    all_partitions: list[AlterShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_alter_share_group_offsets_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsResponseTopic") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsResponseTopic)
    e.topic_name = topic_name
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_alter_share_group_offsets_response_topic_v0(
    e: AlterShareGroupOffsetsResponseTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_alter_share_group_offsets_response_partition_v0(one_partitions, put)
    put(b"\0")


def _read_alter_share_group_offsets_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterShareGroupOffsetsResponse, int]:
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
            raise short("AlterShareGroupOffsetsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterShareGroupOffsetsResponse.responses")
    if n * 19 > end - o:
        raise short("AlterShareGroupOffsetsResponse.responses", n * 19, end - o)
    all_responses: list[AlterShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        one_responses, o = _read_alter_share_group_offsets_response_topic_v0(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "AlterShareGroupOffsetsResponse") if b[o] else o + 1
    e = new(AlterShareGroupOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.responses = responses
    return e, o


def _write_alter_share_group_offsets_response_v0(
    e: AlterShareGroupOffsetsResponse, put: Put
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
            _write_alter_share_group_offsets_response_topic_v0(one_responses, put)
    put(b"\0")


AlterShareGroupOffsetsResponse.READERS = {
    0: _read_alter_share_group_offsets_response_v0,
}
AlterShareGroupOffsetsResponsePartition.WRITERS = {
    0: _write_alter_share_group_offsets_response_partition_v0,
}
AlterShareGroupOffsetsResponseTopic.WRITERS = {
    0: _write_alter_share_group_offsets_response_topic_v0,
}
AlterShareGroupOffsetsResponse.WRITERS = {
    0: _write_alter_share_group_offsets_response_v0,
}
