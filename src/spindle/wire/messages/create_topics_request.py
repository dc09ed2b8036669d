"""CreateTopicsRequest (key 19), versions 2 to 7. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, read_each, walk_each
from spindle.wire.messages.create_topics_response import CreateTopicsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_it = Struct(">i?").pack
pack_itB = Struct(">i?B").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_it = Struct(">i?").unpack_from


class CreatableReplicaAssignment(Message):
    """A part of CreateTopicsRequest."""

    __slots__ = ("partition_index", "broker_ids")
    partition_index: int
    broker_ids: Sequence[int]

    def __init__(self, *, partition_index: int = 0, broker_ids: Sequence[int] = ()) -> None:
        self.partition_index = partition_index
        self.broker_ids = broker_ids


class CreatableTopicConfig(Message):
    """A part of CreateTopicsRequest."""

    __slots__ = ("name", "value")
    name: str
    value: str | None

    def __init__(self, *, name: str = "", value: str | None = None) -> None:
        self.name = name
        self.value = value


class CreatableTopic(Message):
    """A part of CreateTopicsRequest."""

    __slots__ = ("name", "num_partitions", "replication_factor", "assignments", "configs")
    name: str
    num_partitions: int
    replication_factor: int
    assignments: Sequence[CreatableReplicaAssignment]
    configs: Sequence[CreatableTopicConfig]

    def __init__(
        self,
        *,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: Sequence[CreatableReplicaAssignment] = (),
        configs: Sequence[CreatableTopicConfig] = (),
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = assignments
        self.configs = configs


class CreateTopicsRequest(Request[CreateTopicsResponse]):
    """The request of API 19."""

    KEY: ClassVar = 19
    VERSIONS: ClassVar = range(2, 8)
    FIRST_FLEXIBLE: ClassVar = 5

    __slots__ = ("topics", "timeout_ms", "validate_only")
    topics: Sequence[CreatableTopic]
    timeout_ms: int
    validate_only: bool

    def __init__(
        self,
        *,
        topics: Sequence[CreatableTopic] = (),
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


def _read_creatable_replica_assignment_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatableReplicaAssignment, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableReplicaAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatableReplicaAssignment.broker_ids", n * 4, end - o)
    broker_ids = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(CreatableReplicaAssignment)
    e.partition_index = partition_index
    e.broker_ids = broker_ids
    return e, o


def _write_creatable_replica_assignment_v2(e: CreatableReplicaAssignment, put: Put) -> None:
    put(pack_i(e.partition_index))
    broker_ids = e.broker_ids
    put(pack_i(len(broker_ids)))
    if broker_ids:
        put(pack(f">{len(broker_ids)}i", *broker_ids))


def _walk_creatable_replica_assignment_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatableReplicaAssignment]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableReplicaAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatableReplicaAssignment.broker_ids", n * 4, end - o)
    broker_ids, o = yield from numbers(">i", 4, b, o, n)
    e = new(CreatableReplicaAssignment)
    e.partition_index = partition_index
    e.broker_ids = broker_ids
    return e, o


def _read_creatable_replica_assignment_v5(
    b: Buffer, o: int, end: int
) -> tuple[CreatableReplicaAssignment, int]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableReplicaAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatableReplicaAssignment.broker_ids", n * 4, end - o)
    broker_ids = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "CreatableReplicaAssignment") if b[o] else o + 1
    e = new(CreatableReplicaAssignment)
    e.partition_index = partition_index
    e.broker_ids = broker_ids
    return e, o


def _write_creatable_replica_assignment_v5(e: CreatableReplicaAssignment, put: Put) -> None:
    put(pack_i(e.partition_index))
    broker_ids = e.broker_ids
    put(put_uvarint(len(broker_ids) + 1))
    if broker_ids:
        put(pack(f">{len(broker_ids)}i", *broker_ids))
    put(b"\0")


def _walk_creatable_replica_assignment_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreatableReplicaAssignment]:
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableReplicaAssignment.broker_ids")
    if n * 4 > end - o:
        raise short("CreatableReplicaAssignment.broker_ids", n * 4, end - o)
    broker_ids, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "CreatableReplicaAssignment") if b[o] else o + 1
    e = new(CreatableReplicaAssignment)
    e.partition_index = partition_index
    e.broker_ids = broker_ids
    return e, o


def _read_creatable_topic_config_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicConfig, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableTopicConfig.name")
    if n > end - o:
        raise short("CreatableTopicConfig.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("CreatableTopicConfig.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    e = new(CreatableTopicConfig)
    e.name = name
    e.value = value
    return e, o


def _write_creatable_topic_config_v2(e: CreatableTopicConfig, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    value = e.value
    if value is None:
        put(b"\xff\xff")
    else:
        raw = value.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_creatable_topic_config_v5(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicConfig, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopicConfig.name")
    if n > end - o:
        raise short("CreatableTopicConfig.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("CreatableTopicConfig.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "CreatableTopicConfig") if b[o] else o + 1
    e = new(CreatableTopicConfig)
    e.name = name
    e.value = value
    return e, o


def _write_creatable_topic_config_v5(e: CreatableTopicConfig, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_creatable_topic_v2(b: Buffer, o: int, end: int) -> tuple[CreatableTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableTopic.name")
    if n > end - o:
        raise short("CreatableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableTopic.assignments")
    if n * 8 > end - o:
        raise short("CreatableTopic.assignments", n * 8, end - o)
    all_assignments: list[CreatableReplicaAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_creatable_replica_assignment_v2(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableTopic.configs")
    if n * 4 > end - o:
        raise short("CreatableTopic.configs", n * 4, end - o)
    all_configs: list[CreatableTopicConfig] = []
    for _ in range(n):
        one_configs, o = _read_creatable_topic_config_v2(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    e = new(CreatableTopic)
    e.name = name
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.assignments = assignments
    e.configs = configs
    return e, o


def _write_creatable_topic_v2(e: CreatableTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_ih(e.num_partitions, e.replication_factor))
    assignments = e.assignments
    put(pack_i(len(assignments)))
    for one_assignments in assignments:
        _write_creatable_replica_assignment_v2(one_assignments, put)
    configs = e.configs
    put(pack_i(len(configs)))
    for one_configs in configs:
        _write_creatable_topic_config_v2(one_configs, put)


def _walk_creatable_topic_v2(b: Buffer, o: int, end: int, at: Marks) -> Reading[CreatableTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableTopic.name")
    if n > end - o:
        raise short("CreatableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableTopic.assignments")
    if n * 8 > end - o:
        raise short("CreatableTopic.assignments", n * 8, end - o)
    assignments, o = yield from walk_each(_walk_creatable_replica_assignment_v2, b, o, end, at, n)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreatableTopic.configs")
    if n * 4 > end - o:
        raise short("CreatableTopic.configs", n * 4, end - o)
    configs, o = yield from read_each(_read_creatable_topic_config_v2, b, o, end, at, n)
    e = new(CreatableTopic)
    e.name = name
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.assignments = assignments
    e.configs = configs
    return e, o


def _read_creatable_topic_v5(b: Buffer, o: int, end: int) -> tuple[CreatableTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.name")
    if n > end - o:
        raise short("CreatableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.assignments")
    if n * 6 > end - o:
        raise short("CreatableTopic.assignments", n * 6, end - o)
    all_assignments: list[CreatableReplicaAssignment] = []
    for _ in range(n):
        one_assignments, o = _read_creatable_replica_assignment_v5(b, o, end)
        all_assignments.append(one_assignments)
    assignments = tuple(all_assignments)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.configs")
    if n * 3 > end - o:
        raise short("CreatableTopic.configs", n * 3, end - o)
    all_configs: list[CreatableTopicConfig] = []
    for _ in range(n):
        one_configs, o = _read_creatable_topic_config_v5(b, o, end)
        all_configs.append(one_configs)
    configs = tuple(all_configs)
    o = skip_tags(b, o, end, "CreatableTopic") if b[o] else o + 1
    e = new(CreatableTopic)
    e.name = name
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.assignments = assignments
    e.configs = configs
    return e, o


def _write_creatable_topic_v5(e: CreatableTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ih(e.num_partitions, e.replication_factor))
    assignments = e.assignments
    put(put_uvarint(len(assignments) + 1))
    for one_assignments in assignments:
        _write_creatable_replica_assignment_v5(one_assignments, put)
    configs = e.configs
    put(put_uvarint(len(configs) + 1))
    for one_configs in configs:
        _write_creatable_topic_config_v5(one_configs, put)
    put(b"\0")


def _walk_creatable_topic_v5(b: Buffer, o: int, end: int, at: Marks) -> Reading[CreatableTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.name")
    if n > end - o:
        raise short("CreatableTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.assignments")
    if n * 6 > end - o:
        raise short("CreatableTopic.assignments", n * 6, end - o)
    assignments, o = yield from walk_each(_walk_creatable_replica_assignment_v5, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopic.configs")
    if n * 3 > end - o:
        raise short("CreatableTopic.configs", n * 3, end - o)
    configs, o = yield from read_each(_read_creatable_topic_config_v5, b, o, end, at, n)
    o = skip_tags(b, o, end, "CreatableTopic") if b[o] else o + 1
    e = new(CreatableTopic)
    e.name = name
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.assignments = assignments
    e.configs = configs
    return e, o


def _read_create_topics_request_v2(b: Buffer, o: int, end: int) -> tuple[CreateTopicsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateTopicsRequest.topics")
    if n * 16 > end - o:
        raise short("CreateTopicsRequest.topics", n * 16, end - o)
    all_topics: list[CreatableTopic] = []
    for _ in range(n):
        one_topics, o = _read_creatable_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    e = new(CreateTopicsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _write_create_topics_request_v2(e: CreateTopicsRequest, put: Put) -> None:
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_creatable_topic_v2(one_topics, put)
    put(pack_it(e.timeout_ms, e.validate_only))


def _walk_create_topics_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateTopicsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateTopicsRequest.topics")
    if n * 16 > end - o:
        raise short("CreateTopicsRequest.topics", n * 16, end - o)
    topics, o = yield from walk_each(_walk_creatable_topic_v2, b, o, end, at, n)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    e = new(CreateTopicsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _read_create_topics_request_v5(b: Buffer, o: int, end: int) -> tuple[CreateTopicsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateTopicsRequest.topics")
    if n * 10 > end - o:
        raise short("CreateTopicsRequest.topics", n * 10, end - o)
    all_topics: list[CreatableTopic] = []
    for _ in range(n):
        one_topics, o = _read_creatable_topic_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    o = skip_tags(b, o, end, "CreateTopicsRequest") if b[o] else o + 1
    e = new(CreateTopicsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


def _write_create_topics_request_v5(e: CreateTopicsRequest, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_creatable_topic_v5(one_topics, put)
    put(pack_itB(e.timeout_ms, e.validate_only, 0))


def _walk_create_topics_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateTopicsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateTopicsRequest.topics")
    if n * 10 > end - o:
        raise short("CreateTopicsRequest.topics", n * 10, end - o)
    topics, o = yield from walk_each(_walk_creatable_topic_v5, b, o, end, at, n)
    timeout_ms, validate_only = unpack_it(b, o)
    o += 5
    o = skip_tags(b, o, end, "CreateTopicsRequest") if b[o] else o + 1
    e = new(CreateTopicsRequest)
    e.topics = topics
    e.timeout_ms = timeout_ms
    e.validate_only = validate_only
    return e, o


CreateTopicsRequest.RESPONSE = CreateTopicsResponse
CreateTopicsRequest.WALKERS = {
    2: _walk_create_topics_request_v2,
    3: _walk_create_topics_request_v2,
    4: _walk_create_topics_request_v2,
    5: _walk_create_topics_request_v5,
    6: _walk_create_topics_request_v5,
    7: _walk_create_topics_request_v5,
}
CreateTopicsRequest.READERS = {
    2: _read_create_topics_request_v2,
    3: _read_create_topics_request_v2,
    4: _read_create_topics_request_v2,
    5: _read_create_topics_request_v5,
    6: _read_create_topics_request_v5,
    7: _read_create_topics_request_v5,
}
CreateTopicsRequest.WRITERS = {
    2: _write_create_topics_request_v2,
    3: _write_create_topics_request_v2,
    4: _write_create_topics_request_v2,
    5: _write_create_topics_request_v5,
    6: _write_create_topics_request_v5,
    7: _write_create_topics_request_v5,
}
