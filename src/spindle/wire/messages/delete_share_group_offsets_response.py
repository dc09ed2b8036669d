"""DeleteShareGroupOffsetsResponse (key 92), version 0. Written by `tools.messages`."""

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
pack_uh = Struct(">16sh").pack
unpack_ih = Struct(">ih").unpack_from
unpack_uh = Struct(">16sh").unpack_from


class DeleteShareGroupOffsetsResponseTopic(Message):
    """A part of DeleteShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "error_code", "error_message")
    topic_name: str
    topic_id: UUID | None
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        topic_name: str = "",
        topic_id: UUID | None = None,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteShareGroupOffsetsResponse(Response):
    """The response of API 92."""

    KEY: ClassVar = 92
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    responses: Sequence[DeleteShareGroupOffsetsResponseTopic]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        responses: Sequence[DeleteShareGroupOffsetsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _read_delete_share_group_offsets_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupOffsetsResponseTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsResponseTopic.topic_name")
    if n > end - o:
        raise short("DeleteShareGroupOffsetsResponseTopic.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    topic_id, error_code = unpack_uh(b, o)
    o += 18
    topic_id = uuid_of(topic_id)
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
            raise short("DeleteShareGroupOffsetsResponseTopic.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DeleteShareGroupOffsetsResponseTopic") if b[o] else o + 1
    e = new(DeleteShareGroupOffsetsResponseTopic)
    e.topic_name = topic_name
    e.topic_id = topic_id
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_delete_share_group_offsets_response_topic_v0(
    e: DeleteShareGroupOffsetsResponseTopic, put: Put
) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_uh(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_delete_share_group_offsets_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupOffsetsResponse, int]:
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
            raise short("DeleteShareGroupOffsetsResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupOffsetsResponse.responses")
    if n * 21 > end - o:
        raise short("DeleteShareGroupOffsetsResponse.responses", n * 21, end - o)
    all_responses: list[DeleteShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        one_responses, o = _read_delete_share_group_offsets_response_topic_v0(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "DeleteShareGroupOffsetsResponse") if b[o] else o + 1
    e = new(DeleteShareGroupOffsetsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.responses = responses
    return e, o


def _write_delete_share_group_offsets_response_v0(
    e: DeleteShareGroupOffsetsResponse, put: Put
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
            _write_delete_share_group_offsets_response_topic_v0(one_responses, put)
    put(b"\0")


DeleteShareGroupOffsetsResponse.READERS = {
    0: _read_delete_share_group_offsets_response_v0,
}
DeleteShareGroupOffsetsResponseTopic.WRITERS = {
    0: _write_delete_share_group_offsets_response_topic_v0,
}
DeleteShareGroupOffsetsResponse.WRITERS = {
    0: _write_delete_share_group_offsets_response_v0,
}
