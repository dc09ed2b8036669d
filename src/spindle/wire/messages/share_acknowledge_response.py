"""ShareAcknowledgeResponse (key 79), versions 1 to 2. Written by `tools.messages`."""

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
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_iiB = Struct(">iiB").pack
pack_u = Struct(">16s").pack
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_u = Struct(">16s").unpack_from


class LeaderIdAndEpoch(Message):
    """A part of ShareAcknowledgeResponse."""

    __slots__ = ("leader_id", "leader_epoch")
    leader_id: int
    leader_epoch: int

    def __init__(self, *, leader_id: int = 0, leader_epoch: int = 0) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LEADER_ID_AND_EPOCH = LeaderIdAndEpoch()


class PartitionData(Message):
    """A part of ShareAcknowledgeResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "current_leader")
    partition_index: int
    error_code: ErrorCode
    error_message: str | None
    current_leader: LeaderIdAndEpoch

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = current_leader


class ShareAcknowledgeTopicResponse(Message):
    """A part of ShareAcknowledgeResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionData]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class NodeEndpoint(Message):
    """A part of ShareAcknowledgeResponse."""

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


class ShareAcknowledgeResponse(Response):
    """The response of API 79."""

    KEY: ClassVar = 79
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 1

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
    )
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    acquisition_lock_timeout_ms: int  # from version 2
    responses: Sequence[ShareAcknowledgeTopicResponse]
    node_endpoints: Sequence[NodeEndpoint]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: Sequence[ShareAcknowledgeTopicResponse] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = responses
        self.node_endpoints = node_endpoints


def _read_leader_id_and_epoch_v1(b: Buffer, o: int, end: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch = unpack_ii(b, o)
    o += 8
    o = skip_tags(b, o, end, "LeaderIdAndEpoch") if b[o] else o + 1
    e = new(LeaderIdAndEpoch)
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_leader_id_and_epoch_v1(e: LeaderIdAndEpoch, put: Put) -> None:
    put(pack_iiB(e.leader_id, e.leader_epoch, 0))


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
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
            raise short("PartitionData.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    current_leader, o = _read_leader_id_and_epoch_v1(b, o, end)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = error_message
    e.current_leader = current_leader
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    current_leader = e.current_leader
    _write_leader_id_and_epoch_v1(current_leader, put)
    put(b"\0")


def _read_share_acknowledge_topic_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareAcknowledgeTopicResponse, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeTopicResponse.partitions")
    if n * 17 > end - o:
        raise short("ShareAcknowledgeTopicResponse.partitions", n * 17, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ShareAcknowledgeTopicResponse") if b[o] else o + 1
    e = new(ShareAcknowledgeTopicResponse)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_share_acknowledge_topic_response_v1(e: ShareAcknowledgeTopicResponse, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v1(one_partitions, put)
    put(b"\0")


def _read_node_endpoint_v1(b: Buffer, o: int, end: int) -> tuple[NodeEndpoint, int]:
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


def _write_node_endpoint_v1(e: NodeEndpoint, put: Put) -> None:
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


def _read_share_acknowledge_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareAcknowledgeResponse, int]:
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
            raise short("ShareAcknowledgeResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeResponse.responses")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeResponse.responses", n * 18, end - o)
    all_responses: list[ShareAcknowledgeTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_share_acknowledge_topic_response_v1(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeResponse.node_endpoints")
    if n * 11 > end - o:
        raise short("ShareAcknowledgeResponse.node_endpoints", n * 11, end - o)
    all_node_endpoints: list[NodeEndpoint] = []
    for _ in range(n):
        one_node_endpoints, o = _read_node_endpoint_v1(b, o, end)
        all_node_endpoints.append(one_node_endpoints)
    node_endpoints = tuple(all_node_endpoints)
    o = skip_tags(b, o, end, "ShareAcknowledgeResponse") if b[o] else o + 1
    e = new(ShareAcknowledgeResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.acquisition_lock_timeout_ms = 0
    e.responses = responses
    e.node_endpoints = node_endpoints
    return e, o


def _write_share_acknowledge_response_v1(e: ShareAcknowledgeResponse, put: Put) -> None:
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
            _write_share_acknowledge_topic_response_v1(one_responses, put)
    node_endpoints = e.node_endpoints
    put(put_uvarint(len(node_endpoints) + 1))
    if type(node_endpoints) is Packed:
        for piece in node_endpoints.pieces:
            put(piece)
    else:
        for one_node_endpoints in node_endpoints:
            _write_node_endpoint_v1(one_node_endpoints, put)
    put(b"\0")


def _read_share_acknowledge_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[ShareAcknowledgeResponse, int]:
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
            raise short("ShareAcknowledgeResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (acquisition_lock_timeout_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeResponse.responses")
    if n * 18 > end - o:
        raise short("ShareAcknowledgeResponse.responses", n * 18, end - o)
    all_responses: list[ShareAcknowledgeTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_share_acknowledge_topic_response_v1(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareAcknowledgeResponse.node_endpoints")
    if n * 11 > end - o:
        raise short("ShareAcknowledgeResponse.node_endpoints", n * 11, end - o)
    all_node_endpoints: list[NodeEndpoint] = []
    for _ in range(n):
        one_node_endpoints, o = _read_node_endpoint_v1(b, o, end)
        all_node_endpoints.append(one_node_endpoints)
    node_endpoints = tuple(all_node_endpoints)
    o = skip_tags(b, o, end, "ShareAcknowledgeResponse") if b[o] else o + 1
    e = new(ShareAcknowledgeResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
    e.responses = responses
    e.node_endpoints = node_endpoints
    return e, o


def _write_share_acknowledge_response_v2(e: ShareAcknowledgeResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.acquisition_lock_timeout_ms))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_share_acknowledge_topic_response_v1(one_responses, put)
    node_endpoints = e.node_endpoints
    put(put_uvarint(len(node_endpoints) + 1))
    if type(node_endpoints) is Packed:
        for piece in node_endpoints.pieces:
            put(piece)
    else:
        for one_node_endpoints in node_endpoints:
            _write_node_endpoint_v1(one_node_endpoints, put)
    put(b"\0")


ShareAcknowledgeResponse.READERS = {
    1: _read_share_acknowledge_response_v1,
    2: _read_share_acknowledge_response_v2,
}
LeaderIdAndEpoch.WRITERS = {
    1: _write_leader_id_and_epoch_v1,
    2: _write_leader_id_and_epoch_v1,
}
PartitionData.WRITERS = {
    1: _write_partition_data_v1,
    2: _write_partition_data_v1,
}
ShareAcknowledgeTopicResponse.WRITERS = {
    1: _write_share_acknowledge_topic_response_v1,
    2: _write_share_acknowledge_topic_response_v1,
}
NodeEndpoint.WRITERS = {
    1: _write_node_endpoint_v1,
    2: _write_node_endpoint_v1,
}
ShareAcknowledgeResponse.WRITERS = {
    1: _write_share_acknowledge_response_v1,
    2: _write_share_acknowledge_response_v2,
}
