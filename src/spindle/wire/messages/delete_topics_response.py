"""DeleteTopicsResponse (key 20), versions 1 to 6. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, missing, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_i = Struct(">i").pack
pack_uh = Struct(">16sh").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_uh = Struct(">16sh").unpack_from


class DeletableTopicResult(Message):
    """A part of DeleteTopicsResponse."""

    __slots__ = ("name", "topic_id", "error_code", "error_message")
    name: str | None
    topic_id: UUID | None  # from version 6
    error_code: ErrorCode
    error_message: str | None  # from version 5

    def __init__(
        self,
        *,
        name: str | None = None,
        topic_id: UUID | None = None,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteTopicsResponse(Response):
    """The response of API 20."""

    KEY: ClassVar = 20
    VERSIONS: ClassVar = range(1, 7)
    FIRST_FLEXIBLE: ClassVar = 4
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "responses")
    throttle_time_ms: int
    responses: Sequence[DeletableTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, responses: Sequence[DeletableTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


def _read_deletable_topic_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[DeletableTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DeletableTopicResult.name")
    if n > end - o:
        raise short("DeletableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    e = new(DeletableTopicResult)
    e.name = name
    e.topic_id = None
    e.error_code = error_code
    e.error_message = None
    return e, o


def _write_deletable_topic_result_v1(e: DeletableTopicResult, put: Put) -> None:
    name = e.name
    if name is None:
        raise missing("DeletableTopicResult.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_h(e.error_code))


def _read_deletable_topic_result_v4(
    b: Buffer, o: int, end: int
) -> tuple[DeletableTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeletableTopicResult.name")
    if n > end - o:
        raise short("DeletableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "DeletableTopicResult") if b[o] else o + 1
    e = new(DeletableTopicResult)
    e.name = name
    e.topic_id = None
    e.error_code = error_code
    e.error_message = None
    return e, o


def _write_deletable_topic_result_v4(e: DeletableTopicResult, put: Put) -> None:
    name = e.name
    if name is None:
        raise missing("DeletableTopicResult.name")
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_hB(e.error_code, 0))


def _read_deletable_topic_result_v5(
    b: Buffer, o: int, end: int
) -> tuple[DeletableTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeletableTopicResult.name")
    if n > end - o:
        raise short("DeletableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
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
            raise short("DeletableTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DeletableTopicResult") if b[o] else o + 1
    e = new(DeletableTopicResult)
    e.name = name
    e.topic_id = None
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_deletable_topic_result_v5(e: DeletableTopicResult, put: Put) -> None:
    name = e.name
    if name is None:
        raise missing("DeletableTopicResult.name")
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_deletable_topic_result_v6(
    b: Buffer, o: int, end: int
) -> tuple[DeletableTopicResult, int]:
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
            raise short("DeletableTopicResult.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
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
            raise short("DeletableTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DeletableTopicResult") if b[o] else o + 1
    e = new(DeletableTopicResult)
    e.name = name
    e.topic_id = topic_id
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_deletable_topic_result_v6(e: DeletableTopicResult, put: Put) -> None:
    name = e.name
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
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


def _read_delete_topics_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DeleteTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DeleteTopicsResponse.responses")
    if n * 4 > end - o:
        raise short("DeleteTopicsResponse.responses", n * 4, end - o)
    all_responses: list[DeletableTopicResult] = []
    for _ in range(n):
        one_responses, o = _read_deletable_topic_result_v1(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(DeleteTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_delete_topics_response_v1(e: DeleteTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_deletable_topic_result_v1(one_responses, put)


def _read_delete_topics_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[DeleteTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsResponse.responses")
    if n * 4 > end - o:
        raise short("DeleteTopicsResponse.responses", n * 4, end - o)
    all_responses: list[DeletableTopicResult] = []
    for _ in range(n):
        one_responses, o = _read_deletable_topic_result_v4(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "DeleteTopicsResponse") if b[o] else o + 1
    e = new(DeleteTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_delete_topics_response_v4(e: DeleteTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_deletable_topic_result_v4(one_responses, put)
    put(b"\0")


def _read_delete_topics_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[DeleteTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsResponse.responses")
    if n * 5 > end - o:
        raise short("DeleteTopicsResponse.responses", n * 5, end - o)
    all_responses: list[DeletableTopicResult] = []
    for _ in range(n):
        one_responses, o = _read_deletable_topic_result_v5(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "DeleteTopicsResponse") if b[o] else o + 1
    e = new(DeleteTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_delete_topics_response_v5(e: DeleteTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_deletable_topic_result_v5(one_responses, put)
    put(b"\0")


def _read_delete_topics_response_v6(
    b: Buffer, o: int, end: int
) -> tuple[DeleteTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteTopicsResponse.responses")
    if n * 21 > end - o:
        raise short("DeleteTopicsResponse.responses", n * 21, end - o)
    all_responses: list[DeletableTopicResult] = []
    for _ in range(n):
        one_responses, o = _read_deletable_topic_result_v6(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "DeleteTopicsResponse") if b[o] else o + 1
    e = new(DeleteTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.responses = responses
    return e, o


def _write_delete_topics_response_v6(e: DeleteTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_deletable_topic_result_v6(one_responses, put)
    put(b"\0")


DeleteTopicsResponse.READERS = {
    1: _read_delete_topics_response_v1,
    2: _read_delete_topics_response_v1,
    3: _read_delete_topics_response_v1,
    4: _read_delete_topics_response_v4,
    5: _read_delete_topics_response_v5,
    6: _read_delete_topics_response_v6,
}
DeletableTopicResult.WRITERS = {
    1: _write_deletable_topic_result_v1,
    2: _write_deletable_topic_result_v1,
    3: _write_deletable_topic_result_v1,
    4: _write_deletable_topic_result_v4,
    5: _write_deletable_topic_result_v5,
    6: _write_deletable_topic_result_v6,
}
DeleteTopicsResponse.WRITERS = {
    1: _write_delete_topics_response_v1,
    2: _write_delete_topics_response_v1,
    3: _write_delete_topics_response_v1,
    4: _write_delete_topics_response_v4,
    5: _write_delete_topics_response_v5,
    6: _write_delete_topics_response_v6,
}
