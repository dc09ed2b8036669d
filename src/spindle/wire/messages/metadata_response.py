"""MetadataResponse (key 3), versions 0 to 13. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, missing, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hii = Struct(">hii").pack
pack_hiii = Struct(">hiii").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_t = Struct(">?").pack
pack_ut = Struct(">16s?").pack
unpack_h = Struct(">h").unpack_from
unpack_hii = Struct(">hii").unpack_from
unpack_hiii = Struct(">hiii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_ut = Struct(">16s?").unpack_from


class MetadataResponseBroker(Message):
    """A part of MetadataResponse."""

    __slots__ = ("node_id", "host", "port", "rack")
    node_id: int
    host: str
    port: int
    rack: str | None  # from version 1

    def __init__(
        self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class MetadataResponsePartition(Message):
    """A part of MetadataResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "offline_replicas",
    )
    error_code: ErrorCode
    partition_index: int
    leader_id: int
    leader_epoch: int  # from version 7
    replica_nodes: Sequence[int]
    isr_nodes: Sequence[int]
    offline_replicas: Sequence[int]  # from version 5

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.offline_replicas = offline_replicas


class MetadataResponseTopic(Message):
    """A part of MetadataResponse."""

    __slots__ = (
        "error_code",
        "name",
        "topic_id",
        "is_internal",
        "partitions",
        "topic_authorized_operations",
    )
    error_code: ErrorCode
    name: str | None
    topic_id: UUID | None  # from version 10
    is_internal: bool  # from version 1
    partitions: Sequence[MetadataResponsePartition]
    topic_authorized_operations: int  # from version 8

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        name: str | None = None,
        topic_id: UUID | None = None,
        is_internal: bool = False,
        partitions: Sequence[MetadataResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class MetadataResponse(Response):
    """The response of API 3."""

    KEY: ClassVar = 3
    VERSIONS: ClassVar = range(14)
    FIRST_FLEXIBLE: ClassVar = 9
    THROTTLE_FROM: ClassVar = 3

    __slots__ = (
        "throttle_time_ms",
        "brokers",
        "cluster_id",
        "controller_id",
        "topics",
        "error_code",
        "cluster_authorized_operations",
    )
    throttle_time_ms: int  # from version 3
    brokers: Sequence[MetadataResponseBroker]
    cluster_id: str | None  # from version 2
    controller_id: int  # from version 1
    topics: Sequence[MetadataResponseTopic]
    error_code: ErrorCode  # from version 13
    cluster_authorized_operations: int  # from version 8, until version 10

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        brokers: Sequence[MetadataResponseBroker] = (),
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: Sequence[MetadataResponseTopic] = (),
        error_code: ErrorCode = Error.NONE,
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = topics
        self.error_code = error_code
        self.cluster_authorized_operations = cluster_authorized_operations


def _read_metadata_response_broker_v0(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseBroker, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseBroker.host")
    if n > end - o:
        raise short("MetadataResponseBroker.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    e = new(MetadataResponseBroker)
    e.node_id = node_id
    e.host = host
    e.port = port
    e.rack = None
    return e, o


def _write_metadata_response_broker_v0(e: MetadataResponseBroker, put: Put) -> None:
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.port))


def _read_metadata_response_broker_v1(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseBroker, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseBroker.host")
    if n > end - o:
        raise short("MetadataResponseBroker.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    rack: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("MetadataResponseBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    e = new(MetadataResponseBroker)
    e.node_id = node_id
    e.host = host
    e.port = port
    e.rack = rack
    return e, o


def _write_metadata_response_broker_v1(e: MetadataResponseBroker, put: Put) -> None:
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.port))
    rack = e.rack
    if rack is None:
        put(b"\xff\xff")
    else:
        raw = rack.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_metadata_response_broker_v9(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseBroker, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseBroker.host")
    if n > end - o:
        raise short("MetadataResponseBroker.host", n, end - o)
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
            raise short("MetadataResponseBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "MetadataResponseBroker") if b[o] else o + 1
    e = new(MetadataResponseBroker)
    e.node_id = node_id
    e.host = host
    e.port = port
    e.rack = rack
    return e, o


def _write_metadata_response_broker_v9(e: MetadataResponseBroker, put: Put) -> None:
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


def _read_metadata_response_partition_v0(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id = unpack_hii(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.replica_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.replica_nodes", n * 4, end - o)
    replica_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.isr_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.isr_nodes", n * 4, end - o)
    isr_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(MetadataResponsePartition)
    e.error_code = error_code
    e.partition_index = partition_index
    e.leader_id = leader_id
    e.leader_epoch = -1
    e.replica_nodes = replica_nodes
    e.isr_nodes = isr_nodes
    e.offline_replicas = ()
    return e, o


def _write_metadata_response_partition_v0(e: MetadataResponsePartition, put: Put) -> None:
    put(pack_hii(e.error_code, e.partition_index, e.leader_id))
    replica_nodes = e.replica_nodes
    put(pack_i(len(replica_nodes)))
    if replica_nodes:
        put(pack(f">{len(replica_nodes)}i", *replica_nodes))
    isr_nodes = e.isr_nodes
    put(pack_i(len(isr_nodes)))
    if isr_nodes:
        put(pack(f">{len(isr_nodes)}i", *isr_nodes))


def _read_metadata_response_partition_v5(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id = unpack_hii(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.replica_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.replica_nodes", n * 4, end - o)
    replica_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.isr_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.isr_nodes", n * 4, end - o)
    isr_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.offline_replicas")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.offline_replicas", n * 4, end - o)
    offline_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(MetadataResponsePartition)
    e.error_code = error_code
    e.partition_index = partition_index
    e.leader_id = leader_id
    e.leader_epoch = -1
    e.replica_nodes = replica_nodes
    e.isr_nodes = isr_nodes
    e.offline_replicas = offline_replicas
    return e, o


def _write_metadata_response_partition_v5(e: MetadataResponsePartition, put: Put) -> None:
    put(pack_hii(e.error_code, e.partition_index, e.leader_id))
    replica_nodes = e.replica_nodes
    put(pack_i(len(replica_nodes)))
    if replica_nodes:
        put(pack(f">{len(replica_nodes)}i", *replica_nodes))
    isr_nodes = e.isr_nodes
    put(pack_i(len(isr_nodes)))
    if isr_nodes:
        put(pack(f">{len(isr_nodes)}i", *isr_nodes))
    offline_replicas = e.offline_replicas
    put(pack_i(len(offline_replicas)))
    if offline_replicas:
        put(pack(f">{len(offline_replicas)}i", *offline_replicas))


def _read_metadata_response_partition_v7(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch = unpack_hiii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.replica_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.replica_nodes", n * 4, end - o)
    replica_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.isr_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.isr_nodes", n * 4, end - o)
    isr_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponsePartition.offline_replicas")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.offline_replicas", n * 4, end - o)
    offline_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(MetadataResponsePartition)
    e.error_code = error_code
    e.partition_index = partition_index
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.replica_nodes = replica_nodes
    e.isr_nodes = isr_nodes
    e.offline_replicas = offline_replicas
    return e, o


def _write_metadata_response_partition_v7(e: MetadataResponsePartition, put: Put) -> None:
    put(pack_hiii(e.error_code, e.partition_index, e.leader_id, e.leader_epoch))
    replica_nodes = e.replica_nodes
    put(pack_i(len(replica_nodes)))
    if replica_nodes:
        put(pack(f">{len(replica_nodes)}i", *replica_nodes))
    isr_nodes = e.isr_nodes
    put(pack_i(len(isr_nodes)))
    if isr_nodes:
        put(pack(f">{len(isr_nodes)}i", *isr_nodes))
    offline_replicas = e.offline_replicas
    put(pack_i(len(offline_replicas)))
    if offline_replicas:
        put(pack(f">{len(offline_replicas)}i", *offline_replicas))


def _read_metadata_response_partition_v9(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch = unpack_hiii(b, o)
    o += 14
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponsePartition.replica_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.replica_nodes", n * 4, end - o)
    replica_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponsePartition.isr_nodes")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.isr_nodes", n * 4, end - o)
    isr_nodes = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponsePartition.offline_replicas")
    if n * 4 > end - o:
        raise short("MetadataResponsePartition.offline_replicas", n * 4, end - o)
    offline_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "MetadataResponsePartition") if b[o] else o + 1
    e = new(MetadataResponsePartition)
    e.error_code = error_code
    e.partition_index = partition_index
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.replica_nodes = replica_nodes
    e.isr_nodes = isr_nodes
    e.offline_replicas = offline_replicas
    return e, o


def _write_metadata_response_partition_v9(e: MetadataResponsePartition, put: Put) -> None:
    put(pack_hiii(e.error_code, e.partition_index, e.leader_id, e.leader_epoch))
    replica_nodes = e.replica_nodes
    put(put_uvarint(len(replica_nodes) + 1))
    if replica_nodes:
        put(pack(f">{len(replica_nodes)}i", *replica_nodes))
    isr_nodes = e.isr_nodes
    put(put_uvarint(len(isr_nodes) + 1))
    if isr_nodes:
        put(pack(f">{len(isr_nodes)}i", *isr_nodes))
    offline_replicas = e.offline_replicas
    put(put_uvarint(len(offline_replicas) + 1))
    if offline_replicas:
        put(pack(f">{len(offline_replicas)}i", *offline_replicas))
    put(b"\0")


def _read_metadata_response_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 18 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 18, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = False
    e.partitions = partitions
    e.topic_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_topic_v0(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v0(one_partitions, put)


def _read_metadata_response_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (is_internal,) = unpack_t(b, o)
    o += 1
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 18 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 18, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_topic_v1(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_t(e.is_internal))
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v0(one_partitions, put)


def _read_metadata_response_topic_v5(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (is_internal,) = unpack_t(b, o)
    o += 1
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 22 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 22, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v5(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_topic_v5(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_t(e.is_internal))
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v5(one_partitions, put)


def _read_metadata_response_topic_v7(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (is_internal,) = unpack_t(b, o)
    o += 1
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 26 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 26, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v7(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_topic_v7(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_t(e.is_internal))
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v7(one_partitions, put)


def _read_metadata_response_topic_v8(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (is_internal,) = unpack_t(b, o)
    o += 1
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 26 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 26, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v7(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    (topic_authorized_operations,) = unpack_i(b, o)
    o += 4
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = topic_authorized_operations
    return e, o


def _write_metadata_response_topic_v8(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_t(e.is_internal))
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v7(one_partitions, put)
    put(pack_i(e.topic_authorized_operations))


def _read_metadata_response_topic_v9(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (is_internal,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 18 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 18, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v9(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    (topic_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "MetadataResponseTopic") if b[o] else o + 1
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = None
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = topic_authorized_operations
    return e, o


def _write_metadata_response_topic_v9(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_t(e.is_internal))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v9(one_partitions, put)
    put(pack_iB(e.topic_authorized_operations, 0))


def _read_metadata_response_topic_v10(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseTopic.name")
    if n > end - o:
        raise short("MetadataResponseTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    topic_id, is_internal = unpack_ut(b, o)
    o += 17
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 18 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 18, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v9(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    (topic_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "MetadataResponseTopic") if b[o] else o + 1
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = topic_id
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = topic_authorized_operations
    return e, o


def _write_metadata_response_topic_v10(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        raise missing("MetadataResponseTopic.name")
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ut(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.is_internal))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v9(one_partitions, put)
    put(pack_iB(e.topic_authorized_operations, 0))


def _read_metadata_response_topic_v12(
    b: Buffer, o: int, end: int
) -> tuple[MetadataResponseTopic, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
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
            raise short("MetadataResponseTopic.name", n, end - o)
        name = str(b[o : o + n], "utf-8")
        o += n
    topic_id, is_internal = unpack_ut(b, o)
    o += 17
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponseTopic.partitions")
    if n * 18 > end - o:
        raise short("MetadataResponseTopic.partitions", n * 18, end - o)
    all_partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        one_partitions, o = _read_metadata_response_partition_v9(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    (topic_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "MetadataResponseTopic") if b[o] else o + 1
    e = new(MetadataResponseTopic)
    e.error_code = error_code
    e.name = name
    e.topic_id = topic_id
    e.is_internal = is_internal
    e.partitions = partitions
    e.topic_authorized_operations = topic_authorized_operations
    return e, o


def _write_metadata_response_topic_v12(e: MetadataResponseTopic, put: Put) -> None:
    put(pack_h(e.error_code))
    name = e.name
    if name is None:
        put(b"\0")
    else:
        raw = name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_ut(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.is_internal))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_metadata_response_partition_v9(one_partitions, put)
    put(pack_iB(e.topic_authorized_operations, 0))


def _read_metadata_response_v0(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 10 > end - o:
        raise short("MetadataResponse.brokers", n * 10, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v0(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 8 > end - o:
        raise short("MetadataResponse.topics", n * 8, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = 0
    e.brokers = brokers
    e.cluster_id = None
    e.controller_id = -1
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v0(e: MetadataResponse, put: Put) -> None:
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v0(one_brokers, put)
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v0(one_topics, put)


def _read_metadata_response_v1(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 9 > end - o:
        raise short("MetadataResponse.topics", n * 9, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = 0
    e.brokers = brokers
    e.cluster_id = None
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v1(e: MetadataResponse, put: Put) -> None:
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v1(one_topics, put)


def _read_metadata_response_v2(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 9 > end - o:
        raise short("MetadataResponse.topics", n * 9, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = 0
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v2(e: MetadataResponse, put: Put) -> None:
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v1(one_topics, put)


def _read_metadata_response_v3(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 9 > end - o:
        raise short("MetadataResponse.topics", n * 9, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v3(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v1(one_topics, put)


def _read_metadata_response_v5(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 9 > end - o:
        raise short("MetadataResponse.topics", n * 9, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v5(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v5(one_topics, put)


def _read_metadata_response_v7(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 9 > end - o:
        raise short("MetadataResponse.topics", n * 9, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v7(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v7(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v7(one_topics, put)


def _read_metadata_response_v8(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 12 > end - o:
        raise short("MetadataResponse.brokers", n * 12, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v1(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 13 > end - o:
        raise short("MetadataResponse.topics", n * 13, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v8(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_metadata_response_v8(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(pack_i(len(brokers)))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v1(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\xff\xff")
    else:
        raw = cluster_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v8(one_topics, put)
    put(pack_i(e.cluster_authorized_operations))


def _read_metadata_response_v9(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 11 > end - o:
        raise short("MetadataResponse.brokers", n * 11, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v9(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 10 > end - o:
        raise short("MetadataResponse.topics", n * 10, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v9(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "MetadataResponse") if b[o] else o + 1
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_metadata_response_v9(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v9(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v9(one_topics, put)
    put(pack_iB(e.cluster_authorized_operations, 0))


def _read_metadata_response_v10(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 11 > end - o:
        raise short("MetadataResponse.brokers", n * 11, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v9(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 26 > end - o:
        raise short("MetadataResponse.topics", n * 26, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v10(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "MetadataResponse") if b[o] else o + 1
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_metadata_response_v10(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v9(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v10(one_topics, put)
    put(pack_iB(e.cluster_authorized_operations, 0))


def _read_metadata_response_v11(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 11 > end - o:
        raise short("MetadataResponse.brokers", n * 11, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v9(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 26 > end - o:
        raise short("MetadataResponse.topics", n * 26, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v10(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "MetadataResponse") if b[o] else o + 1
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v11(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v9(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v10(one_topics, put)
    put(b"\0")


def _read_metadata_response_v12(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 11 > end - o:
        raise short("MetadataResponse.brokers", n * 11, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v9(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 26 > end - o:
        raise short("MetadataResponse.topics", n * 26, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v12(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "MetadataResponse") if b[o] else o + 1
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = Error.NONE
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v12(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v9(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v12(one_topics, put)
    put(b"\0")


def _read_metadata_response_v13(b: Buffer, o: int, end: int) -> tuple[MetadataResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.brokers")
    if n * 11 > end - o:
        raise short("MetadataResponse.brokers", n * 11, end - o)
    all_brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        one_brokers, o = _read_metadata_response_broker_v9(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("MetadataResponse.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("MetadataResponse.topics")
    if n * 26 > end - o:
        raise short("MetadataResponse.topics", n * 26, end - o)
    all_topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        one_topics, o = _read_metadata_response_topic_v12(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "MetadataResponse") if b[o] else o + 1
    e = new(MetadataResponse)
    e.throttle_time_ms = throttle_time_ms
    e.brokers = brokers
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.topics = topics
    e.error_code = error_code
    e.cluster_authorized_operations = -2147483648
    return e, o


def _write_metadata_response_v13(e: MetadataResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_metadata_response_broker_v9(one_brokers, put)
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.controller_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_metadata_response_topic_v12(one_topics, put)
    put(pack_hB(e.error_code, 0))


MetadataResponse.READERS = {
    0: _read_metadata_response_v0,
    1: _read_metadata_response_v1,
    2: _read_metadata_response_v2,
    3: _read_metadata_response_v3,
    4: _read_metadata_response_v3,
    5: _read_metadata_response_v5,
    6: _read_metadata_response_v5,
    7: _read_metadata_response_v7,
    8: _read_metadata_response_v8,
    9: _read_metadata_response_v9,
    10: _read_metadata_response_v10,
    11: _read_metadata_response_v11,
    12: _read_metadata_response_v12,
    13: _read_metadata_response_v13,
}
MetadataResponseBroker.WRITERS = {
    0: _write_metadata_response_broker_v0,
    1: _write_metadata_response_broker_v1,
    2: _write_metadata_response_broker_v1,
    3: _write_metadata_response_broker_v1,
    4: _write_metadata_response_broker_v1,
    5: _write_metadata_response_broker_v1,
    6: _write_metadata_response_broker_v1,
    7: _write_metadata_response_broker_v1,
    8: _write_metadata_response_broker_v1,
    9: _write_metadata_response_broker_v9,
    10: _write_metadata_response_broker_v9,
    11: _write_metadata_response_broker_v9,
    12: _write_metadata_response_broker_v9,
    13: _write_metadata_response_broker_v9,
}
MetadataResponsePartition.WRITERS = {
    0: _write_metadata_response_partition_v0,
    1: _write_metadata_response_partition_v0,
    2: _write_metadata_response_partition_v0,
    3: _write_metadata_response_partition_v0,
    4: _write_metadata_response_partition_v0,
    5: _write_metadata_response_partition_v5,
    6: _write_metadata_response_partition_v5,
    7: _write_metadata_response_partition_v7,
    8: _write_metadata_response_partition_v7,
    9: _write_metadata_response_partition_v9,
    10: _write_metadata_response_partition_v9,
    11: _write_metadata_response_partition_v9,
    12: _write_metadata_response_partition_v9,
    13: _write_metadata_response_partition_v9,
}
MetadataResponseTopic.WRITERS = {
    0: _write_metadata_response_topic_v0,
    1: _write_metadata_response_topic_v1,
    2: _write_metadata_response_topic_v1,
    3: _write_metadata_response_topic_v1,
    4: _write_metadata_response_topic_v1,
    5: _write_metadata_response_topic_v5,
    6: _write_metadata_response_topic_v5,
    7: _write_metadata_response_topic_v7,
    8: _write_metadata_response_topic_v8,
    9: _write_metadata_response_topic_v9,
    10: _write_metadata_response_topic_v10,
    11: _write_metadata_response_topic_v10,
    12: _write_metadata_response_topic_v12,
    13: _write_metadata_response_topic_v12,
}
MetadataResponse.WRITERS = {
    0: _write_metadata_response_v0,
    1: _write_metadata_response_v1,
    2: _write_metadata_response_v2,
    3: _write_metadata_response_v3,
    4: _write_metadata_response_v3,
    5: _write_metadata_response_v5,
    6: _write_metadata_response_v5,
    7: _write_metadata_response_v7,
    8: _write_metadata_response_v8,
    9: _write_metadata_response_v9,
    10: _write_metadata_response_v10,
    11: _write_metadata_response_v11,
    12: _write_metadata_response_v12,
    13: _write_metadata_response_v13,
}
