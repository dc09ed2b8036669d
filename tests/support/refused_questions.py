"""Lookups and batches that brokers refuse, as questions to both (`both_sides`)."""

from __future__ import annotations

import struct
import uuid
from typing import Any

from crc32c import crc32c
from tools.messages.entities import make, request_types

from spindle.model.errors import Error
from spindle.wire.apis import Key
from spindle.wire.batch import build
from tests.support.apache_kafka import ApacheKafka
from tests.support.both_sides import coordinator_of, port_of, record, send
from tests.support.waiting import eventually


def changed(at: int, form: str, value: int) -> bytes:
    """A client's batch with another value in its header, and the right CRC."""
    data = bytearray(build([record(0), record(1)]).data)
    struct.pack_into(form, data, at, value)
    struct.pack_into(">I", data, 17, crc32c(memoryview(data)[21:]))
    return bytes(data)


def listed(cluster: ApacheKafka, *asked: tuple[str, int, int], isolation: int = 0) -> Any:
    """The errors of ListOffsets, by (topic, leader epoch, timestamp)."""
    types = request_types(Key.LIST_OFFSETS, 11)
    topics = [
        make(types.ListOffsetsTopic, name=topic, partitions=(
            make(types.ListOffsetsPartition, partition_index=0, current_leader_epoch=epoch,
                 timestamp=timestamp),
        ))
        for topic, epoch, timestamp in asked
    ]  # fmt: skip
    answer = send(
        port_of(cluster), Key.LIST_OFFSETS, 11, "ListOffsetsRequest",
        replica_id=-1, isolation_level=isolation, topics=topics, timeout=1000,
    )  # fmt: skip
    return sorted((t.name, p.error_code) for t in answer.topics for p in t.partitions)


def producers(cluster: ApacheKafka, broker: int, topic: str) -> Any:
    """The errors of DescribeProducers at a broker."""
    types = request_types(Key.DESCRIBE_PRODUCERS, 0)
    asked = make(types.TopicRequest, name=topic, partition_indexes=(0, 9))
    answer = send(
        port_of(cluster, broker), Key.DESCRIBE_PRODUCERS, 0, "DescribeProducersRequest",
        topics=(asked,),
    )  # fmt: skip
    return [(p.partition_index, p.error_code) for p in answer.topics[0].partitions]


def committed(cluster: ApacheKafka, version: int, generation: int) -> Any:
    """The errors of a commit for partitions that are there and others."""
    metadata = send(
        port_of(cluster), Key.METADATA, 12, "MetadataRequest",
        topics=(make(request_types(Key.METADATA, 12).MetadataRequestTopic,
                     name="plain", topic_id=None),),
        allow_auto_topic_creation=False,
    )  # fmt: skip
    types = request_types(Key.OFFSET_COMMIT, version)
    ids = {"plain": metadata.topics[0].topic_id, "missing": uuid.UUID(int=77)}
    topics = tuple(
        make(types.OffsetCommitRequestTopic, name=name, topic_id=id, partitions=tuple(
            make(types.OffsetCommitRequestPartition, partition_index=n) for n in (0, 9)
        ))
        for name, id in ids.items()
    )  # fmt: skip

    def attempt() -> Any:
        answer = send(
            port_of(cluster, coordinator_of(cluster, "gone")), Key.OFFSET_COMMIT, version,
            "OffsetCommitRequest", group_id="gone", member_id="m", topics=topics,
            generation_id_or_member_epoch=generation,
        )  # fmt: skip
        told = sorted(
            (_is_known(t, ids), p.partition_index, p.error_code)
            for t in answer.topics
            for p in t.partitions
        )
        late = (Error.NOT_COORDINATOR, Error.COORDINATOR_LOAD_IN_PROGRESS)
        return None if any(error in late for *_, error in told) else told

    return eventually(attempt, "the coordinator serves", 30)


def _is_known(topic: Any, ids: dict[str, uuid.UUID]) -> bool:
    named = getattr(topic, "name", None) or getattr(topic, "topic_id", None)
    return named in ("plain", ids["plain"])


def synced(cluster: ApacheKafka, kind: str | None, name: str | None) -> Any:
    """The error of SyncGroup with these names of a protocol."""
    answer = send(
        port_of(cluster, coordinator_of(cluster, "none")), Key.SYNC_GROUP, 5,
        "SyncGroupRequest", group_id="none", member_id="m", generation_id=1,
        protocol_type=kind, protocol_name=name,
    )  # fmt: skip
    return answer.error_code


def described(cluster: ApacheKafka, version: int) -> Any:
    """What is said of a group that is not there."""
    answer = send(
        port_of(cluster, coordinator_of(cluster, "none")), Key.DESCRIBE_GROUPS, version,
        "DescribeGroupsRequest", groups=("none",), include_authorized_operations=True,
    )  # fmt: skip
    return [(g.error_code, g.group_state, g.authorized_operations) for g in answer.groups]


def transactions(cluster: ApacheKafka, pattern: str) -> Any:
    """The error of a list of transactions by a pattern."""
    answer = send(
        port_of(cluster), Key.LIST_TRANSACTIONS, 2, "ListTransactionsRequest",
        duration_filter=-1, transactional_id_pattern=pattern,
    )  # fmt: skip
    return answer.error_code


def paged(cluster: ApacheKafka, topic: str, partition: int) -> Any:
    """The errors of a page of two topics that begins at a cursor."""
    types = request_types(Key.DESCRIBE_TOPIC_PARTITIONS, 0)
    answer = send(
        port_of(cluster), Key.DESCRIBE_TOPIC_PARTITIONS, 0, "DescribeTopicPartitionsRequest",
        topics=tuple(make(types.TopicRequest, name=name) for name in ("pair", "plain")),
        cursor=make(types.Cursor, topic_name=topic, partition_index=partition),
        response_partition_limit=10,
    )  # fmt: skip
    return [(topic.name, topic.error_code) for topic in answer.topics]
