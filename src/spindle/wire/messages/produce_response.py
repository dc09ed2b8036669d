"""ProduceResponse (key 0), versions 3 to 13. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
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
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_iiB = Struct(">iiB").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihqq = Struct(">ihqq").unpack_from
unpack_ihqqq = Struct(">ihqqq").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_u = Struct(">16s").unpack_from


class BatchIndexAndErrorMessage(Message):
    """A part of ProduceResponse."""

    __slots__ = ("batch_index", "batch_index_error_message")
    batch_index: int
    batch_index_error_message: str | None

    def __init__(
        self, *, batch_index: int = 0, batch_index_error_message: str | None = None
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message


class LeaderIdAndEpoch(Message):
    """A part of ProduceResponse."""

    __slots__ = ("leader_id", "leader_epoch")
    leader_id: int
    leader_epoch: int

    def __init__(self, *, leader_id: int = -1, leader_epoch: int = -1) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LEADER_ID_AND_EPOCH = LeaderIdAndEpoch()


class PartitionProduceResponse(Message):
    """A part of ProduceResponse."""

    __slots__ = (
        "index",
        "error_code",
        "base_offset",
        "log_append_time_ms",
        "log_start_offset",
        "record_errors",
        "error_message",
        "current_leader",
    )
    index: int
    error_code: ErrorCode
    base_offset: int
    log_append_time_ms: int
    log_start_offset: int  # from version 5
    record_errors: Sequence[BatchIndexAndErrorMessage]  # from version 8
    error_message: str | None  # from version 8
    current_leader: LeaderIdAndEpoch  # from version 10, tag 0

    def __init__(
        self,
        *,
        index: int = 0,
        error_code: ErrorCode = Error.NONE,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: Sequence[BatchIndexAndErrorMessage] = (),
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = record_errors
        self.error_message = error_message
        self.current_leader = current_leader


class TopicProduceResponse(Message):
    """A part of ProduceResponse."""

    __slots__ = ("topic_id", "name", "partition_responses")
    topic_id: UUID | None  # from version 13
    name: str  # until version 12
    partition_responses: Sequence[PartitionProduceResponse]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        name: str = "",
        partition_responses: Sequence[PartitionProduceResponse] = (),
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partition_responses = partition_responses


class NodeEndpoint(Message):
    """A part of ProduceResponse."""

    __slots__ = ("node_id", "host", "port", "rack")
    node_id: int
    host: str
    port: int
    rack: str | None

    def __init__(
        self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class ProduceResponse(Response):
    """The response of API 0."""

    KEY: ClassVar = 0
    VERSIONS: ClassVar = range(3, 14)
    FIRST_FLEXIBLE: ClassVar = 9

    __slots__ = ("responses", "throttle_time_ms", "node_endpoints")
    responses: Sequence[TopicProduceResponse]
    throttle_time_ms: int
    node_endpoints: Sequence[NodeEndpoint]  # from version 10, tag 0

    def __init__(
        self,
        *,
        responses: Sequence[TopicProduceResponse] = (),
        throttle_time_ms: int = 0,
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.responses = responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = node_endpoints


def _read_batch_index_and_error_message_v8(
    b: Buffer, o: int, end: int
) -> tuple[BatchIndexAndErrorMessage, int]:
    (batch_index,) = unpack_i(b, o)
    o += 4
    batch_index_error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        batch_index_error_message = None
    else:
        if n > end - o:
            raise short("BatchIndexAndErrorMessage.batch_index_error_message", n, end - o)
        batch_index_error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(BatchIndexAndErrorMessage)
    e.batch_index = batch_index
    e.batch_index_error_message = batch_index_error_message
    return e, o


def _write_batch_index_and_error_message_v8(e: BatchIndexAndErrorMessage, put: Put) -> None:
    put(pack_i(e.batch_index))
    batch_index_error_message = e.batch_index_error_message
    if batch_index_error_message is None:
        put(b"\xff\xff")
    else:
        raw = batch_index_error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_batch_index_and_error_message_v9(
    b: Buffer, o: int, end: int
) -> tuple[BatchIndexAndErrorMessage, int]:
    (batch_index,) = unpack_i(b, o)
    o += 4
    batch_index_error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        batch_index_error_message = None
    else:
        if n > end - o:
            raise short("BatchIndexAndErrorMessage.batch_index_error_message", n, end - o)
        batch_index_error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "BatchIndexAndErrorMessage") if b[o] else o + 1
    e = new(BatchIndexAndErrorMessage)
    e.batch_index = batch_index
    e.batch_index_error_message = batch_index_error_message
    return e, o


def _write_batch_index_and_error_message_v9(e: BatchIndexAndErrorMessage, put: Put) -> None:
    put(pack_i(e.batch_index))
    batch_index_error_message = e.batch_index_error_message
    if batch_index_error_message is None:
        put(b"\0")
    else:
        raw = batch_index_error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_leader_id_and_epoch_v10(b: Buffer, o: int, end: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch = unpack_ii(b, o)
    o += 8
    o = skip_tags(b, o, end, "LeaderIdAndEpoch") if b[o] else o + 1
    e = new(LeaderIdAndEpoch)
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_leader_id_and_epoch_v10(e: LeaderIdAndEpoch, put: Put) -> None:
    put(pack_iiB(e.leader_id, e.leader_epoch, 0))


def _read_partition_produce_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms = unpack_ihqq(b, o)
    o += 22
    error_code = ERRORS.get(error_code, error_code)
    e = new(PartitionProduceResponse)
    e.index = index
    e.error_code = error_code
    e.base_offset = base_offset
    e.log_append_time_ms = log_append_time_ms
    e.log_start_offset = -1
    e.record_errors = ()
    e.error_message = None
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    return e, o


def _write_partition_produce_response_v3(e: PartitionProduceResponse, put: Put) -> None:
    put(pack_ihqq(e.index, e.error_code, e.base_offset, e.log_append_time_ms))


def _read_partition_produce_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset = unpack_ihqqq(b, o)
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    e = new(PartitionProduceResponse)
    e.index = index
    e.error_code = error_code
    e.base_offset = base_offset
    e.log_append_time_ms = log_append_time_ms
    e.log_start_offset = log_start_offset
    e.record_errors = ()
    e.error_message = None
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    return e, o


def _write_partition_produce_response_v5(e: PartitionProduceResponse, put: Put) -> None:
    put(pack_ihqqq(e.index, e.error_code, e.base_offset, e.log_append_time_ms, e.log_start_offset))


def _read_partition_produce_response_v8(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset = unpack_ihqqq(b, o)
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("PartitionProduceResponse.record_errors")
    if n * 6 > end - o:
        raise short("PartitionProduceResponse.record_errors", n * 6, end - o)
    all_record_errors: list[BatchIndexAndErrorMessage] = []
    for _ in range(n):
        one_record_errors, o = _read_batch_index_and_error_message_v8(b, o, end)
        all_record_errors.append(one_record_errors)
    record_errors = tuple(all_record_errors)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("PartitionProduceResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(PartitionProduceResponse)
    e.index = index
    e.error_code = error_code
    e.base_offset = base_offset
    e.log_append_time_ms = log_append_time_ms
    e.log_start_offset = log_start_offset
    e.record_errors = record_errors
    e.error_message = error_message
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    return e, o


def _write_partition_produce_response_v8(e: PartitionProduceResponse, put: Put) -> None:
    put(pack_ihqqq(e.index, e.error_code, e.base_offset, e.log_append_time_ms, e.log_start_offset))
    record_errors = e.record_errors
    put(pack_i(len(record_errors)))
    if type(record_errors) is Packed:
        for piece in record_errors.pieces:
            put(piece)
    else:
        for one_record_errors in record_errors:
            _write_batch_index_and_error_message_v8(one_record_errors, put)
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_partition_produce_response_v9(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset = unpack_ihqqq(b, o)
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionProduceResponse.record_errors")
    if n * 6 > end - o:
        raise short("PartitionProduceResponse.record_errors", n * 6, end - o)
    all_record_errors: list[BatchIndexAndErrorMessage] = []
    for _ in range(n):
        one_record_errors, o = _read_batch_index_and_error_message_v9(b, o, end)
        all_record_errors.append(one_record_errors)
    record_errors = tuple(all_record_errors)
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
            raise short("PartitionProduceResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "PartitionProduceResponse") if b[o] else o + 1
    e = new(PartitionProduceResponse)
    e.index = index
    e.error_code = error_code
    e.base_offset = base_offset
    e.log_append_time_ms = log_append_time_ms
    e.log_start_offset = log_start_offset
    e.record_errors = record_errors
    e.error_message = error_message
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    return e, o


def _write_partition_produce_response_v9(e: PartitionProduceResponse, put: Put) -> None:
    put(pack_ihqqq(e.index, e.error_code, e.base_offset, e.log_append_time_ms, e.log_start_offset))
    record_errors = e.record_errors
    put(put_uvarint(len(record_errors) + 1))
    if type(record_errors) is Packed:
        for piece in record_errors.pieces:
            put(piece)
    else:
        for one_record_errors in record_errors:
            _write_batch_index_and_error_message_v9(one_record_errors, put)
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_partition_produce_response_v10(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset = unpack_ihqqq(b, o)
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionProduceResponse.record_errors")
    if n * 6 > end - o:
        raise short("PartitionProduceResponse.record_errors", n * 6, end - o)
    all_record_errors: list[BatchIndexAndErrorMessage] = []
    for _ in range(n):
        one_record_errors, o = _read_batch_index_and_error_message_v9(b, o, end)
        all_record_errors.append(one_record_errors)
    record_errors = tuple(all_record_errors)
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
            raise short("PartitionProduceResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "PartitionProduceResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "PartitionProduceResponse")
            if tag == 0:
                current_leader, o = _read_leader_id_and_epoch_v10(b, o, end)
                if o != stop:
                    raise wrong_size("PartitionProduceResponse.current_leader", o - stop)
            o = stop
    e = new(PartitionProduceResponse)
    e.index = index
    e.error_code = error_code
    e.base_offset = base_offset
    e.log_append_time_ms = log_append_time_ms
    e.log_start_offset = log_start_offset
    e.record_errors = record_errors
    e.error_message = error_message
    e.current_leader = current_leader
    return e, o


def _write_partition_produce_response_v10(e: PartitionProduceResponse, put: Put) -> None:
    put(pack_ihqqq(e.index, e.error_code, e.base_offset, e.log_append_time_ms, e.log_start_offset))
    record_errors = e.record_errors
    put(put_uvarint(len(record_errors) + 1))
    if type(record_errors) is Packed:
        for piece in record_errors.pieces:
            put(piece)
    else:
        for one_record_errors in record_errors:
            _write_batch_index_and_error_message_v9(one_record_errors, put)
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    tags: list[bytes] = []
    outer = put
    current_leader = e.current_leader
    if (
        current_leader is not DEFAULT_LEADER_ID_AND_EPOCH
        and current_leader != DEFAULT_LEADER_ID_AND_EPOCH
    ):
        current_leader_pieces: list[Buffer] = []
        put = current_leader_pieces.append
        _write_leader_id_and_epoch_v10(current_leader, put)
        piece = b"".join(current_leader_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_topic_produce_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicProduceResponse.name")
    if n > end - o:
        raise short("TopicProduceResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 22 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 22, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v3(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    e = new(TopicProduceResponse)
    e.topic_id = None
    e.name = name
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v3(e: TopicProduceResponse, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_responses = e.partition_responses
    put(pack_i(len(partition_responses)))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v3(one_partition_responses, put)


def _read_topic_produce_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicProduceResponse.name")
    if n > end - o:
        raise short("TopicProduceResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 30 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 30, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v5(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    e = new(TopicProduceResponse)
    e.topic_id = None
    e.name = name
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v5(e: TopicProduceResponse, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_responses = e.partition_responses
    put(pack_i(len(partition_responses)))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v5(one_partition_responses, put)


def _read_topic_produce_response_v8(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicProduceResponse.name")
    if n > end - o:
        raise short("TopicProduceResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 36 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 36, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v8(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    e = new(TopicProduceResponse)
    e.topic_id = None
    e.name = name
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v8(e: TopicProduceResponse, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_responses = e.partition_responses
    put(pack_i(len(partition_responses)))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v8(one_partition_responses, put)


def _read_topic_produce_response_v9(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceResponse.name")
    if n > end - o:
        raise short("TopicProduceResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 33 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 33, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v9(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    o = skip_tags(b, o, end, "TopicProduceResponse") if b[o] else o + 1
    e = new(TopicProduceResponse)
    e.topic_id = None
    e.name = name
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v9(e: TopicProduceResponse, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_responses = e.partition_responses
    put(put_uvarint(len(partition_responses) + 1))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v9(one_partition_responses, put)
    put(b"\0")


def _read_topic_produce_response_v10(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceResponse.name")
    if n > end - o:
        raise short("TopicProduceResponse.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 33 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 33, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v10(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    o = skip_tags(b, o, end, "TopicProduceResponse") if b[o] else o + 1
    e = new(TopicProduceResponse)
    e.topic_id = None
    e.name = name
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v10(e: TopicProduceResponse, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_responses = e.partition_responses
    put(put_uvarint(len(partition_responses) + 1))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v10(one_partition_responses, put)
    put(b"\0")


def _read_topic_produce_response_v13(
    b: Buffer, o: int, end: int
) -> tuple[TopicProduceResponse, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceResponse.partition_responses")
    if n * 33 > end - o:
        raise short("TopicProduceResponse.partition_responses", n * 33, end - o)
    all_partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        one_partition_responses, o = _read_partition_produce_response_v10(b, o, end)
        all_partition_responses.append(one_partition_responses)
    partition_responses = tuple(all_partition_responses)
    o = skip_tags(b, o, end, "TopicProduceResponse") if b[o] else o + 1
    e = new(TopicProduceResponse)
    e.topic_id = topic_id
    e.name = ""
    e.partition_responses = partition_responses
    return e, o


def _write_topic_produce_response_v13(e: TopicProduceResponse, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partition_responses = e.partition_responses
    put(put_uvarint(len(partition_responses) + 1))
    if type(partition_responses) is Packed:
        for piece in partition_responses.pieces:
            put(piece)
    else:
        for one_partition_responses in partition_responses:
            _write_partition_produce_response_v10(one_partition_responses, put)
    put(b"\0")


def _read_node_endpoint_v10(b: Buffer, o: int, end: int) -> tuple[NodeEndpoint, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("NodeEndpoint.host")
    if n > end - o:
        raise short("NodeEndpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("NodeEndpoint.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "NodeEndpoint") if b[o] else o + 1
    e = new(NodeEndpoint)
    e.node_id = node_id
    e.host = host
    e.port = port
    e.rack = rack
    return e, o


def _write_node_endpoint_v10(e: NodeEndpoint, put: Put) -> None:
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.port))
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_produce_response_v3(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 6 > end - o:
        raise short("ProduceResponse.responses", n * 6, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v3(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = ()
    return e, o


def _write_produce_response_v3(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v3(one_responses, put)
    put(pack_i(e.throttle_time_ms))


def _read_produce_response_v5(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 6 > end - o:
        raise short("ProduceResponse.responses", n * 6, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v5(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = ()
    return e, o


def _write_produce_response_v5(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v5(one_responses, put)
    put(pack_i(e.throttle_time_ms))


def _read_produce_response_v8(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 6 > end - o:
        raise short("ProduceResponse.responses", n * 6, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v8(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = ()
    return e, o


def _write_produce_response_v8(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v8(one_responses, put)
    put(pack_i(e.throttle_time_ms))


def _read_produce_response_v9(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 3 > end - o:
        raise short("ProduceResponse.responses", n * 3, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v9(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "ProduceResponse") if b[o] else o + 1
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = ()
    return e, o


def _write_produce_response_v9(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v9(one_responses, put)
    put(pack_iB(e.throttle_time_ms, 0))


def _read_produce_response_v10(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 3 > end - o:
        raise short("ProduceResponse.responses", n * 3, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v10(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    node_endpoints: Sequence[NodeEndpoint] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ProduceResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ProduceResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ProduceResponse.node_endpoints")
                if n * 11 > end - o:
                    raise short("ProduceResponse.node_endpoints", n * 11, end - o)
                all_node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    one_node_endpoints, o = _read_node_endpoint_v10(b, o, end)
                    all_node_endpoints.append(one_node_endpoints)
                node_endpoints = tuple(all_node_endpoints)
                if o != stop:
                    raise wrong_size("ProduceResponse.node_endpoints", o - stop)
            o = stop
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = node_endpoints
    return e, o


def _write_produce_response_v10(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v10(one_responses, put)
    put(pack_i(e.throttle_time_ms))
    tags: list[bytes] = []
    outer = put
    node_endpoints = e.node_endpoints
    if len(node_endpoints):
        node_endpoints_pieces: list[Buffer] = []
        put = node_endpoints_pieces.append
        put(put_uvarint(len(node_endpoints) + 1))
        if type(node_endpoints) is Packed:
            for piece in node_endpoints.pieces:
                put(piece)
        else:
            for one_node_endpoints in node_endpoints:
                _write_node_endpoint_v10(one_node_endpoints, put)
        piece = b"".join(node_endpoints_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_produce_response_v13(b: Buffer, o: int, end: int) -> tuple[ProduceResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceResponse.responses")
    if n * 18 > end - o:
        raise short("ProduceResponse.responses", n * 18, end - o)
    all_responses: list[TopicProduceResponse] = []
    for _ in range(n):
        one_responses, o = _read_topic_produce_response_v13(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    node_endpoints: Sequence[NodeEndpoint] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "ProduceResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "ProduceResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("ProduceResponse.node_endpoints")
                if n * 11 > end - o:
                    raise short("ProduceResponse.node_endpoints", n * 11, end - o)
                all_node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    one_node_endpoints, o = _read_node_endpoint_v10(b, o, end)
                    all_node_endpoints.append(one_node_endpoints)
                node_endpoints = tuple(all_node_endpoints)
                if o != stop:
                    raise wrong_size("ProduceResponse.node_endpoints", o - stop)
            o = stop
    e = new(ProduceResponse)
    e.responses = responses
    e.throttle_time_ms = throttle_time_ms
    e.node_endpoints = node_endpoints
    return e, o


def _write_produce_response_v13(e: ProduceResponse, put: Put) -> None:
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_topic_produce_response_v13(one_responses, put)
    put(pack_i(e.throttle_time_ms))
    tags: list[bytes] = []
    outer = put
    node_endpoints = e.node_endpoints
    if len(node_endpoints):
        node_endpoints_pieces: list[Buffer] = []
        put = node_endpoints_pieces.append
        put(put_uvarint(len(node_endpoints) + 1))
        if type(node_endpoints) is Packed:
            for piece in node_endpoints.pieces:
                put(piece)
        else:
            for one_node_endpoints in node_endpoints:
                _write_node_endpoint_v10(one_node_endpoints, put)
        piece = b"".join(node_endpoints_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


ProduceResponse.READERS = {
    3: _read_produce_response_v3,
    4: _read_produce_response_v3,
    5: _read_produce_response_v5,
    6: _read_produce_response_v5,
    7: _read_produce_response_v5,
    8: _read_produce_response_v8,
    9: _read_produce_response_v9,
    10: _read_produce_response_v10,
    11: _read_produce_response_v10,
    12: _read_produce_response_v10,
    13: _read_produce_response_v13,
}
BatchIndexAndErrorMessage.WRITERS = {
    8: _write_batch_index_and_error_message_v8,
    9: _write_batch_index_and_error_message_v9,
    10: _write_batch_index_and_error_message_v9,
    11: _write_batch_index_and_error_message_v9,
    12: _write_batch_index_and_error_message_v9,
    13: _write_batch_index_and_error_message_v9,
}
LeaderIdAndEpoch.WRITERS = {
    10: _write_leader_id_and_epoch_v10,
    11: _write_leader_id_and_epoch_v10,
    12: _write_leader_id_and_epoch_v10,
    13: _write_leader_id_and_epoch_v10,
}
PartitionProduceResponse.WRITERS = {
    3: _write_partition_produce_response_v3,
    4: _write_partition_produce_response_v3,
    5: _write_partition_produce_response_v5,
    6: _write_partition_produce_response_v5,
    7: _write_partition_produce_response_v5,
    8: _write_partition_produce_response_v8,
    9: _write_partition_produce_response_v9,
    10: _write_partition_produce_response_v10,
    11: _write_partition_produce_response_v10,
    12: _write_partition_produce_response_v10,
    13: _write_partition_produce_response_v10,
}
TopicProduceResponse.WRITERS = {
    3: _write_topic_produce_response_v3,
    4: _write_topic_produce_response_v3,
    5: _write_topic_produce_response_v5,
    6: _write_topic_produce_response_v5,
    7: _write_topic_produce_response_v5,
    8: _write_topic_produce_response_v8,
    9: _write_topic_produce_response_v9,
    10: _write_topic_produce_response_v10,
    11: _write_topic_produce_response_v10,
    12: _write_topic_produce_response_v10,
    13: _write_topic_produce_response_v13,
}
NodeEndpoint.WRITERS = {
    10: _write_node_endpoint_v10,
    11: _write_node_endpoint_v10,
    12: _write_node_endpoint_v10,
    13: _write_node_endpoint_v10,
}
ProduceResponse.WRITERS = {
    3: _write_produce_response_v3,
    4: _write_produce_response_v3,
    5: _write_produce_response_v5,
    6: _write_produce_response_v5,
    7: _write_produce_response_v5,
    8: _write_produce_response_v8,
    9: _write_produce_response_v9,
    10: _write_produce_response_v10,
    11: _write_produce_response_v10,
    12: _write_produce_response_v10,
    13: _write_produce_response_v13,
}
