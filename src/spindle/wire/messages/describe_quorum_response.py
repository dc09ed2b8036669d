"""DescribeQuorumResponse (key 55), versions 0 to 2. Written by `tools.messages`."""

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
pack_HB = Struct(">HB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihiiq = Struct(">ihiiq").pack
pack_iiq = Struct(">iiq").pack
pack_iqB = Struct(">iqB").pack
pack_iqqqB = Struct(">iqqqB").pack
pack_iuqqqB = Struct(">i16sqqqB").pack
unpack_H = Struct(">H").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihiiq = Struct(">ihiiq").unpack_from
unpack_iiq = Struct(">iiq").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqqq = Struct(">iqqq").unpack_from
unpack_iuqqq = Struct(">i16sqqq").unpack_from


class ReplicaState(Message):
    """A part of DescribeQuorumResponse."""

    __slots__ = (
        "replica_id",
        "replica_directory_id",
        "log_end_offset",
        "last_fetch_timestamp",
        "last_caught_up_timestamp",
    )
    replica_id: int
    replica_directory_id: UUID | None  # from version 2
    log_end_offset: int
    last_fetch_timestamp: int  # from version 1
    last_caught_up_timestamp: int  # from version 1

    def __init__(
        self,
        *,
        replica_id: int = 0,
        replica_directory_id: UUID | None = None,
        log_end_offset: int = 0,
        last_fetch_timestamp: int = -1,
        last_caught_up_timestamp: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp


class PartitionData(Message):
    """A part of DescribeQuorumResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "leader_id",
        "leader_epoch",
        "high_watermark",
        "current_voters",
        "observers",
    )
    partition_index: int
    error_code: ErrorCode
    error_message: str | None  # from version 2
    leader_id: int
    leader_epoch: int
    high_watermark: int
    current_voters: Sequence[ReplicaState]
    observers: Sequence[ReplicaState]

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        leader_id: int = 0,
        leader_epoch: int = 0,
        high_watermark: int = 0,
        current_voters: Sequence[ReplicaState] = (),
        observers: Sequence[ReplicaState] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = current_voters
        self.observers = observers


class TopicData(Message):
    """A part of DescribeQuorumResponse."""

    __slots__ = ("topic_name", "partitions")
    topic_name: str
    partitions: Sequence[PartitionData]

    def __init__(self, *, topic_name: str = "", partitions: Sequence[PartitionData] = ()) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class Listener(Message):
    """A part of DescribeQuorumResponse."""

    __slots__ = ("name", "host", "port")
    name: str
    host: str
    port: int

    def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
        self.name = name
        self.host = host
        self.port = port


class Node(Message):
    """A part of DescribeQuorumResponse."""

    __slots__ = ("node_id", "listeners")
    node_id: int
    listeners: Sequence[Listener]

    def __init__(self, *, node_id: int = 0, listeners: Sequence[Listener] = ()) -> None:
        self.node_id = node_id
        self.listeners = listeners


class DescribeQuorumResponse(Response):
    """The response of API 55."""

    KEY: ClassVar = 55
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("error_code", "error_message", "topics", "nodes")
    error_code: ErrorCode
    error_message: str | None  # from version 2
    topics: Sequence[TopicData]
    nodes: Sequence[Node]  # from version 2

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        topics: Sequence[TopicData] = (),
        nodes: Sequence[Node] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics
        self.nodes = nodes


def _read_replica_state_v0(b: Buffer, o: int, end: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "ReplicaState") if b[o] else o + 1
    e = new(ReplicaState)
    e.replica_id = replica_id
    e.replica_directory_id = None
    e.log_end_offset = log_end_offset
    e.last_fetch_timestamp = -1
    e.last_caught_up_timestamp = -1
    return e, o


def _write_replica_state_v0(e: ReplicaState, put: Put) -> None:
    put(pack_iqB(e.replica_id, e.log_end_offset, 0))


def _read_replica_state_v1(b: Buffer, o: int, end: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp = unpack_iqqq(b, o)
    o += 28
    o = skip_tags(b, o, end, "ReplicaState") if b[o] else o + 1
    e = new(ReplicaState)
    e.replica_id = replica_id
    e.replica_directory_id = None
    e.log_end_offset = log_end_offset
    e.last_fetch_timestamp = last_fetch_timestamp
    e.last_caught_up_timestamp = last_caught_up_timestamp
    return e, o


def _write_replica_state_v1(e: ReplicaState, put: Put) -> None:
    put(
        pack_iqqqB(
            e.replica_id, e.log_end_offset, e.last_fetch_timestamp, e.last_caught_up_timestamp, 0
        )
    )


def _read_replica_state_v2(b: Buffer, o: int, end: int) -> tuple[ReplicaState, int]:
    (
        replica_id,
        replica_directory_id,
        log_end_offset,
        last_fetch_timestamp,
        last_caught_up_timestamp,
    ) = unpack_iuqqq(b, o)
    o += 44
    replica_directory_id = uuid_of(replica_directory_id)
    o = skip_tags(b, o, end, "ReplicaState") if b[o] else o + 1
    e = new(ReplicaState)
    e.replica_id = replica_id
    e.replica_directory_id = replica_directory_id
    e.log_end_offset = log_end_offset
    e.last_fetch_timestamp = last_fetch_timestamp
    e.last_caught_up_timestamp = last_caught_up_timestamp
    return e, o


def _write_replica_state_v2(e: ReplicaState, put: Put) -> None:
    put(
        pack_iuqqqB(
            e.replica_id,
            ZERO_UUID if e.replica_directory_id is None else e.replica_directory_id.bytes,
            e.log_end_offset,
            e.last_fetch_timestamp,
            e.last_caught_up_timestamp,
            0,
        )
    )


def _read_partition_data_v0(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark = unpack_ihiiq(b, o)
    o += 22
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.current_voters")
    if n * 13 > end - o:
        raise short("PartitionData.current_voters", n * 13, end - o)
    all_current_voters: list[ReplicaState] = []
    for _ in range(n):
        one_current_voters, o = _read_replica_state_v0(b, o, end)
        all_current_voters.append(one_current_voters)
    current_voters = tuple(all_current_voters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.observers")
    if n * 13 > end - o:
        raise short("PartitionData.observers", n * 13, end - o)
    all_observers: list[ReplicaState] = []
    for _ in range(n):
        one_observers, o = _read_replica_state_v0(b, o, end)
        all_observers.append(one_observers)
    observers = tuple(all_observers)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = None
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.high_watermark = high_watermark
    e.current_voters = current_voters
    e.observers = observers
    return e, o


def _write_partition_data_v0(e: PartitionData, put: Put) -> None:
    put(pack_ihiiq(e.partition_index, e.error_code, e.leader_id, e.leader_epoch, e.high_watermark))
    current_voters = e.current_voters
    put(put_uvarint(len(current_voters) + 1))
    if type(current_voters) is Packed:
        for piece in current_voters.pieces:
            put(piece)
    else:
        for one_current_voters in current_voters:
            _write_replica_state_v0(one_current_voters, put)
    observers = e.observers
    put(put_uvarint(len(observers) + 1))
    if type(observers) is Packed:
        for piece in observers.pieces:
            put(piece)
    else:
        for one_observers in observers:
            _write_replica_state_v0(one_observers, put)
    put(b"\0")


def _read_partition_data_v1(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark = unpack_ihiiq(b, o)
    o += 22
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.current_voters")
    if n * 29 > end - o:
        raise short("PartitionData.current_voters", n * 29, end - o)
    all_current_voters: list[ReplicaState] = []
    for _ in range(n):
        one_current_voters, o = _read_replica_state_v1(b, o, end)
        all_current_voters.append(one_current_voters)
    current_voters = tuple(all_current_voters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.observers")
    if n * 29 > end - o:
        raise short("PartitionData.observers", n * 29, end - o)
    all_observers: list[ReplicaState] = []
    for _ in range(n):
        one_observers, o = _read_replica_state_v1(b, o, end)
        all_observers.append(one_observers)
    observers = tuple(all_observers)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = None
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.high_watermark = high_watermark
    e.current_voters = current_voters
    e.observers = observers
    return e, o


def _write_partition_data_v1(e: PartitionData, put: Put) -> None:
    put(pack_ihiiq(e.partition_index, e.error_code, e.leader_id, e.leader_epoch, e.high_watermark))
    current_voters = e.current_voters
    put(put_uvarint(len(current_voters) + 1))
    if type(current_voters) is Packed:
        for piece in current_voters.pieces:
            put(piece)
    else:
        for one_current_voters in current_voters:
            _write_replica_state_v1(one_current_voters, put)
    observers = e.observers
    put(put_uvarint(len(observers) + 1))
    if type(observers) is Packed:
        for piece in observers.pieces:
            put(piece)
    else:
        for one_observers in observers:
            _write_replica_state_v1(one_observers, put)
    put(b"\0")


def _read_partition_data_v2(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
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
    leader_id, leader_epoch, high_watermark = unpack_iiq(b, o)
    o += 16
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.current_voters")
    if n * 45 > end - o:
        raise short("PartitionData.current_voters", n * 45, end - o)
    all_current_voters: list[ReplicaState] = []
    for _ in range(n):
        one_current_voters, o = _read_replica_state_v2(b, o, end)
        all_current_voters.append(one_current_voters)
    current_voters = tuple(all_current_voters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionData.observers")
    if n * 45 > end - o:
        raise short("PartitionData.observers", n * 45, end - o)
    all_observers: list[ReplicaState] = []
    for _ in range(n):
        one_observers, o = _read_replica_state_v2(b, o, end)
        all_observers.append(one_observers)
    observers = tuple(all_observers)
    o = skip_tags(b, o, end, "PartitionData") if b[o] else o + 1
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.error_message = error_message
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.high_watermark = high_watermark
    e.current_voters = current_voters
    e.observers = observers
    return e, o


def _write_partition_data_v2(e: PartitionData, put: Put) -> None:
    put(pack_ih(e.partition_index, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_iiq(e.leader_id, e.leader_epoch, e.high_watermark))
    current_voters = e.current_voters
    put(put_uvarint(len(current_voters) + 1))
    if type(current_voters) is Packed:
        for piece in current_voters.pieces:
            put(piece)
    else:
        for one_current_voters in current_voters:
            _write_replica_state_v2(one_current_voters, put)
    observers = e.observers
    put(put_uvarint(len(observers) + 1))
    if type(observers) is Packed:
        for piece in observers.pieces:
            put(piece)
    else:
        for one_observers in observers:
            _write_replica_state_v2(one_observers, put)
    put(b"\0")


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 25 > end - o:
        raise short("TopicData.partitions", n * 25, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v0(one_partitions, put)
    put(b"\0")


def _read_topic_data_v1(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 25 > end - o:
        raise short("TopicData.partitions", n * 25, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v1(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v1(one_partitions, put)
    put(b"\0")


def _read_topic_data_v2(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic_name")
    if n > end - o:
        raise short("TopicData.topic_name", n, end - o)
    topic_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 26 > end - o:
        raise short("TopicData.partitions", n * 26, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v2(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic_name = topic_name
    e.partitions = partitions
    return e, o


def _write_topic_data_v2(e: TopicData, put: Put) -> None:
    topic_name = e.topic_name
    raw = topic_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v2(one_partitions, put)
    put(b"\0")


def _read_listener_v2(b: Buffer, o: int, end: int) -> tuple[Listener, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.name")
    if n > end - o:
        raise short("Listener.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.host")
    if n > end - o:
        raise short("Listener.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_H(b, o)
    o += 2
    o = skip_tags(b, o, end, "Listener") if b[o] else o + 1
    e = new(Listener)
    e.name = name
    e.host = host
    e.port = port
    return e, o


def _write_listener_v2(e: Listener, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HB(e.port, 0))


def _read_node_v2(b: Buffer, o: int, end: int) -> tuple[Node, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Node.listeners")
    if n * 5 > end - o:
        raise short("Node.listeners", n * 5, end - o)
    all_listeners: list[Listener] = []
    for _ in range(n):
        one_listeners, o = _read_listener_v2(b, o, end)
        all_listeners.append(one_listeners)
    listeners = tuple(all_listeners)
    o = skip_tags(b, o, end, "Node") if b[o] else o + 1
    e = new(Node)
    e.node_id = node_id
    e.listeners = listeners
    return e, o


def _write_node_v2(e: Node, put: Put) -> None:
    put(pack_i(e.node_id))
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    if type(listeners) is Packed:
        for piece in listeners.pieces:
            put(piece)
    else:
        for one_listeners in listeners:
            _write_listener_v2(one_listeners, put)
    put(b"\0")


def _read_describe_quorum_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeQuorumResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumResponse.topics")
    if n * 3 > end - o:
        raise short("DescribeQuorumResponse.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeQuorumResponse") if b[o] else o + 1
    e = new(DescribeQuorumResponse)
    e.error_code = error_code
    e.error_message = None
    e.topics = topics
    e.nodes = ()
    return e, o


def _write_describe_quorum_response_v0(e: DescribeQuorumResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _read_describe_quorum_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeQuorumResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumResponse.topics")
    if n * 3 > end - o:
        raise short("DescribeQuorumResponse.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "DescribeQuorumResponse") if b[o] else o + 1
    e = new(DescribeQuorumResponse)
    e.error_code = error_code
    e.error_message = None
    e.topics = topics
    e.nodes = ()
    return e, o


def _write_describe_quorum_response_v1(e: DescribeQuorumResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v1(one_topics, put)
    put(b"\0")


def _read_describe_quorum_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeQuorumResponse, int]:
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
            raise short("DescribeQuorumResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumResponse.topics")
    if n * 3 > end - o:
        raise short("DescribeQuorumResponse.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeQuorumResponse.nodes")
    if n * 6 > end - o:
        raise short("DescribeQuorumResponse.nodes", n * 6, end - o)
    all_nodes: list[Node] = []
    for _ in range(n):
        one_nodes, o = _read_node_v2(b, o, end)
        all_nodes.append(one_nodes)
    nodes = tuple(all_nodes)
    o = skip_tags(b, o, end, "DescribeQuorumResponse") if b[o] else o + 1
    e = new(DescribeQuorumResponse)
    e.error_code = error_code
    e.error_message = error_message
    e.topics = topics
    e.nodes = nodes
    return e, o


def _write_describe_quorum_response_v2(e: DescribeQuorumResponse, put: Put) -> None:
    put(pack_h(e.error_code))
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
            _write_topic_data_v2(one_topics, put)
    nodes = e.nodes
    put(put_uvarint(len(nodes) + 1))
    if type(nodes) is Packed:
        for piece in nodes.pieces:
            put(piece)
    else:
        for one_nodes in nodes:
            _write_node_v2(one_nodes, put)
    put(b"\0")


DescribeQuorumResponse.READERS = {
    0: _read_describe_quorum_response_v0,
    1: _read_describe_quorum_response_v1,
    2: _read_describe_quorum_response_v2,
}
ReplicaState.WRITERS = {
    0: _write_replica_state_v0,
    1: _write_replica_state_v1,
    2: _write_replica_state_v2,
}
PartitionData.WRITERS = {
    0: _write_partition_data_v0,
    1: _write_partition_data_v1,
    2: _write_partition_data_v2,
}
TopicData.WRITERS = {
    0: _write_topic_data_v0,
    1: _write_topic_data_v1,
    2: _write_topic_data_v2,
}
Listener.WRITERS = {
    2: _write_listener_v2,
}
Node.WRITERS = {
    2: _write_node_v2,
}
DescribeQuorumResponse.WRITERS = {
    0: _write_describe_quorum_response_v0,
    1: _write_describe_quorum_response_v1,
    2: _write_describe_quorum_response_v2,
}
