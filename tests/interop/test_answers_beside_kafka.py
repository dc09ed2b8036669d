"""The same requests to Apache Kafka 4.3 and to a Spindle cluster: the same answers, word for word.

Each question is a function of a cluster that returns what matters of the answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.both_sides import (
    DAY,
    Sides,
    coordinator_of,
    port_of,
    produce,
    record,
    same,
    send,
    send_batch,
)
from tests.support.local import Local
from tests.support.refused_questions import (
    changed,
    committed,
    described,
    listed,
    paged,
    producers,
    synced,
    transactions,
)
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types

from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.wire.apis import Key
from spindle.wire.batch import Compression, build

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-08")]

SETTINGS = {"default.replication.factor": "1", "offsets.topic.replication.factor": "1"}
TOPICS: dict[str, tuple[list[list[int]], dict[str, str]]] = {
    "plain": ([[1]], {}),
    "pair": ([[1, 2]], {}),
    "compact": ([[1]], {"cleanup.policy": "compact"}),
    "stamped": ([[1]], {"message.timestamp.type": "LogAppendTime"}),
    "unpacked": ([[1]], {"compression.type": "uncompressed", "max.message.bytes": "20000"}),
    "bounded": (
        [[1]],
        {"message.timestamp.before.max.ms": "1000", "message.timestamp.after.max.ms": str(9 * DAY)},
    ),
}


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    folder = tmp_path_factory.mktemp("answers")
    with (
        ApacheKafka(
            folder / "apache", kafka_jars, brokers=2, separate_controller=True, settings=SETTINGS
        ) as apache,
        Local(folder / "ours", kafka_jars, brokers=2, settings=SETTINGS) as ours,
    ):
        for cluster in (apache, ours):
            cluster.start()
            admin = AdminClient({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
            new = [
                NewTopic(name, len(replicas), replica_assignment=replicas, config=config)
                for name, (replicas, config) in TOPICS.items()
            ]
            for done in admin.create_topics(new).values():
                done.result(20)
            for node in cluster.brokers:
                eventually(lambda n=node: all_led(n.port), f"broker {node.node_id} knows them", 60)
        yield Sides(apache, ours)


def all_led(port: int) -> bool:
    """Whether a broker has heard of all topics and of their leaders."""
    types = request_types(Key.METADATA, 12)
    asked = tuple(make(types.MetadataRequestTopic, name=name, topic_id=None) for name in TOPICS)
    answer = send(
        port, Key.METADATA, 12, "MetadataRequest", topics=asked, allow_auto_topic_creation=False
    )
    return not any(
        each.error_code for topic in answer.topics for each in (topic, *topic.partitions)
    )


@pytest.mark.parametrize(
    ("topic", "records"),
    [
        ("compact", [(0, b"k"), (1, None), (2, b"k"), (3, None), (4, None), (5, None)]),
        ("compact", [(0, None)]),
        ("compact", [(0, None, 30 * DAY), (1, b"k", 30 * DAY)]),
        ("plain", [(0, b"k"), (1, b"k", 30 * DAY), (2, b"k", 2 * DAY)]),
        ("plain", [(0, None, 0, 0), (1, None, 0, -1)]),
        ("stamped", [(0, b"k", 30 * DAY)]),
        ("bounded", [(0, b"k", 8 * DAY)]),
        ("bounded", [(0, b"k", -30 * DAY), (1, b"k")]),
    ],
)
def test_records_that_are_refused(sides: Sides, topic: str, records: list[Any]) -> None:
    same(sides, produce, topic, *(record(*r) for r in records))


@pytest.mark.spec("N-01")
@pytest.mark.parametrize("size", [10_000, 19_900, 20_000, 30_000])
def test_batches_that_grow_where_the_topic_wants_them_unpacked(sides: Sides, size: int) -> None:
    now = time.time_ns() // 1_000_000
    packed = build([Record(0, now, None, bytes(size))], compression=Compression.ZSTD)
    assert packed.size < 200
    error, *_ = send_batch(sides.ours, "unpacked", packed.data)
    assert error == send_batch(sides.apache, "unpacked", packed.data)[0]
    assert error == (Error.MESSAGE_TOO_LARGE if size >= 20_000 else Error.NONE)


def test_deletions_that_do_not_wait(sides: Sides) -> None:
    def delete(cluster: ApacheKafka, topic: str, offset: int) -> Any:
        types = request_types(Key.DELETE_RECORDS, 2)
        part = make(types.DeleteRecordsPartition, partition_index=0, offset=offset)
        asked = make(types.DeleteRecordsTopic, name=topic, partitions=(part,))
        answer = send(
            port_of(cluster), Key.DELETE_RECORDS, 2, "DeleteRecordsRequest",
            timeout=0, topics=(asked,),
        )  # fmt: skip
        (told,) = answer.topics[0].partitions
        return told.error_code, told.low_watermark

    for topic in ("stamped", "pair"):
        for _ in range(5):
            same(sides, produce, topic, record(0))
    for topic, offset in (("stamped", 3), ("stamped", 3), ("stamped", 300), ("stamped", -5)):
        same(sides, delete, topic, offset)
    assert same(sides, delete, "pair", 2) == (Error.REQUEST_TIMED_OUT, 0)
    assert same(sides, delete, "compact", 1) == (Error.POLICY_VIOLATION, -1)


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("version", [8, 10, 12])
def test_authorized_operations_in_metadata(sides: Sides, version: int, asked: bool) -> None:
    types = request_types(Key.METADATA, version)

    def question(cluster: ApacheKafka) -> Any:
        answer = send(
            port_of(cluster), Key.METADATA, version, "MetadataRequest",
            topics=tuple(
                make(types.MetadataRequestTopic, name=name, topic_id=None)
                for name in ("plain", "missing", "b@d")
            ),
            allow_auto_topic_creation=False, include_topic_authorized_operations=asked,
            include_cluster_authorized_operations=asked,
        )  # fmt: skip
        return (
            getattr(answer, "cluster_authorized_operations", None),
            sorted((t.name, t.error_code, t.topic_authorized_operations) for t in answer.topics),
        )

    same(sides, question)


@pytest.mark.parametrize("asked", [True, False])
def test_authorized_operations_elsewhere(sides: Sides, asked: bool) -> None:
    def cluster_(cluster: ApacheKafka, node: int, kind: int) -> Any:
        answer = send(
            port_of(cluster, node), Key.DESCRIBE_CLUSTER, 1, "DescribeClusterRequest",
            include_cluster_authorized_operations=asked, endpoint_type=kind,
        )  # fmt: skip
        return answer.error_code, answer.cluster_authorized_operations

    def topics(cluster: ApacheKafka) -> Any:
        types = request_types(Key.DESCRIBE_TOPIC_PARTITIONS, 0)
        answer = send(
            port_of(cluster), Key.DESCRIBE_TOPIC_PARTITIONS, 0, "DescribeTopicPartitionsRequest",
            topics=tuple(make(types.TopicRequest, name=name) for name in ("plain", "missing")),
            response_partition_limit=10,
        )  # fmt: skip
        return [(t.name, t.error_code, t.topic_authorized_operations) for t in answer.topics]

    def group(cluster: ApacheKafka) -> Any:
        def coordinator() -> int:
            answer = send(
                port_of(cluster), Key.FIND_COORDINATOR, 4, "FindCoordinatorRequest",
                key_type=0, coordinator_keys=("g",),
            )  # fmt: skip
            return int(answer.coordinators[0].node_id)

        def describe() -> Any:
            node = coordinator()
            if node < 0:
                return None
            answer = send(
                port_of(cluster, node), Key.DESCRIBE_GROUPS, 5, "DescribeGroupsRequest",
                groups=("g",), include_authorized_operations=asked,
            )  # fmt: skip
            (found,) = answer.groups
            told = found.error_code, found.authorized_operations, found.group_state
            return told if found.error_code == Error.NONE else None

        return eventually(describe, "the coordinator serves", 30)

    same(sides, cluster_, 1, 1)
    same(sides, cluster_, CONTROLLER_ID, 2)
    same(sides, topics)
    same(sides, group)


def test_a_topic_that_is_made_on_demand_is_unknown_until_it_is_there(sides: Sides) -> None:
    types = request_types(Key.METADATA, 8)

    def question(cluster: ApacheKafka) -> Any:
        answer = send(
            port_of(cluster), Key.METADATA, 8, "MetadataRequest",
            topics=(make(types.MetadataRequestTopic, name="on-demand"),),
            allow_auto_topic_creation=True,
        )  # fmt: skip
        return answer.topics[0].error_code, len(answer.topics[0].partitions)

    assert same(sides, question) == (Error.UNKNOWN_TOPIC_OR_PARTITION, 0)


@pytest.mark.parametrize("version", [4, 11, 13, 17])
def test_a_consumer_that_looks_for_faults_reads_at_leader_and_follower(
    sides: Sides, version: int
) -> None:
    def question(cluster: ApacheKafka, broker: int, replica: int) -> Any:
        metadata = send(
            port_of(cluster), Key.METADATA, 12, "MetadataRequest",
            topics=(make(request_types(Key.METADATA, 12).MetadataRequestTopic,
                         name="pair", topic_id=None),),
            allow_auto_topic_creation=False,
        )  # fmt: skip
        types = request_types(Key.FETCH, version)
        part = make(
            types.FetchPartition, partition=0, fetch_offset=3, partition_max_bytes=1 << 20,
            current_leader_epoch=-1,
        )  # fmt: skip
        topic = make(
            types.FetchTopic, topic="pair", topic_id=metadata.topics[0].topic_id,
            partitions=(part,),
        )  # fmt: skip
        who: dict[str, Any] = {"replica_id": replica}
        if version >= 15:
            state = make(types.ReplicaState, replica_id=replica, replica_epoch=-1)
            who = {"replica_state": state}
        answer = send(
            port_of(cluster, broker), Key.FETCH, version, "FetchRequest",
            max_wait=100, min_bytes=1, max_bytes=1 << 20, session_epoch=-1, topics=(topic,), **who,
        )  # fmt: skip
        (told,) = answer.responses[0].partitions
        return told.error_code, bool(told.records)

    for _ in range(6):  # The follower then knows that the fourth, which is read, is committed.
        same(sides, produce, "pair", record(0))
    for broker in (1, 2):
        for replica in (-1, -2, -3):
            same(sides, question, broker, replica)


@pytest.mark.parametrize("name", ["__cluster_metadata", ".", "", "x" * 250, "b@d", "plain"])
def test_topics_that_cannot_be_created(sides: Sides, name: str) -> None:
    types = request_types(Key.CREATE_TOPICS, 7)

    def question(cluster: ApacheKafka) -> Any:
        topic = make(
            types.CreatableTopic, name=name, num_partitions=1, replication_factor=1,
            assignments=(), configs=(),
        )  # fmt: skip
        answer = send(
            port_of(cluster), Key.CREATE_TOPICS, 7, "CreateTopicsRequest",
            topics=(topic,), timeout=30_000, validate_only=False,
        )  # fmt: skip
        (told,) = answer.topics
        return told.error_code, told.error_message, told.configs

    same(sides, question)


@pytest.mark.spec("N-01")
@pytest.mark.parametrize("node", [1, CONTROLLER_ID], ids=["broker", "controller"])
@pytest.mark.parametrize("limit", [0, -1, 30_000])
def test_requests_that_leave_the_controller_no_time(sides: Sides, node: int, limit: int) -> None:
    def question(cluster: ApacheKafka) -> Any:
        def asked(key: Key, version: int, name: str, **fields: Any) -> Any:
            return send(port_of(cluster, node), key, version, name, timeout=limit, **fields)

        new = make(
            request_types(Key.CREATE_TOPICS, 7).CreatableTopic,
            name=f"made-{node}-{limit}", num_partitions=1, replication_factor=1,
        )  # fmt: skip
        created = asked(Key.CREATE_TOPICS, 7, "CreateTopicsRequest", topics=(new,))
        more = make(
            request_types(Key.CREATE_PARTITIONS, 3).CreatePartitionsTopic, name="plain", count=1
        )
        grown = asked(Key.CREATE_PARTITIONS, 3, "CreatePartitionsRequest", topics=(more,))
        gone = asked(Key.DELETE_TOPICS, 5, "DeleteTopicsRequest", topic_names=("missing",))
        types = request_types(Key.ELECT_LEADERS, 2)
        led = make(types.TopicPartitions, topic="plain", partitions=(0,))
        elected = asked(Key.ELECT_LEADERS, 2, "ElectLeadersRequest", topic_partitions=(led,))
        types = request_types(Key.ALTER_PARTITION_REASSIGNMENTS, 1)
        part = make(types.ReassignablePartition, partition_index=0, replicas=None)
        moved = make(types.ReassignableTopic, name="plain", partitions=(part,))
        reassigned = asked(
            Key.ALTER_PARTITION_REASSIGNMENTS, 1, "AlterPartitionReassignmentsRequest",
            topics=(moved,),
        )  # fmt: skip
        listed = asked(
            Key.LIST_PARTITION_REASSIGNMENTS, 0, "ListPartitionReassignmentsRequest", topics=None
        )
        return [
            created.topics[0].error_code,
            grown.results[0].error_code,
            gone.responses[0].error_code,
            elected.error_code,
            [p.error_code for r in elected.replica_election_results for p in r.partition_result],
            reassigned.error_code,
            reassigned.responses[0].partitions[0].error_code,
            listed.error_code,
        ]

    told = same(sides, question)
    assert (told[0] == Error.REQUEST_TIMED_OUT) == (limit <= 0)


@pytest.mark.parametrize(("topic", "number"), [("__cluster_metadata", 0), ("x", 0)])
def test_the_quorum_is_described_without_a_message(sides: Sides, topic: str, number: int) -> None:
    types = request_types(Key.DESCRIBE_QUORUM, 2)

    def question(cluster: ApacheKafka) -> Any:
        part = make(types.PartitionData, partition_index=number)
        answer = send(
            port_of(cluster), Key.DESCRIBE_QUORUM, 2, "DescribeQuorumRequest",
            topics=(make(types.TopicData, topic_name=topic, partitions=(part,)),),
        )  # fmt: skip
        parts = [p for t in answer.topics for p in t.partitions]
        told = [(p.error_code, p.error_message) for p in parts]
        voters = [(v.replica_id, v.replica_directory_id) for p in parts for v in p.current_voters]
        return answer.error_code, answer.error_message, told, voters

    same(sides, question)


SET, DELETE, APPEND, SUBTRACT = range(4)
CORDONS = [
    ("1", "/nowhere", SET), ("1", "D1,/nowhere,/no", SET), ("1", "D1", SET), ("1", "D2", APPEND),
    ("1", "/nowhere", APPEND), ("1", "D1", SUBTRACT), ("1", "/nowhere", SUBTRACT),
    ("1", "D1,D2", SET), ("1", "*", SET), ("1", "D1,*", SET), ("1", "D1/", SET), ("1", "", SET),
    ("1", None, DELETE), ("2", "D1", SET),
]  # fmt: skip


@pytest.mark.spec("B-19", "N-02")
@pytest.mark.parametrize("node", [1, CONTROLLER_ID], ids=["broker", "controller"])
def test_cordons_name_what_a_broker_has(sides: Sides, node: int) -> None:
    def alter(cluster: ApacheKafka, name: str, value: str | None, operation: int) -> Any:
        first, second = cluster.log_dirs(1)
        types = request_types(Key.INCREMENTAL_ALTER_CONFIGS, 1)
        if value is not None:
            value = value.replace("D1", first).replace("D2", second)
        config = make(
            types.AlterableConfig, name="cordoned.log.dirs", config_operation=operation, value=value
        )
        resource = make(
            types.AlterConfigsResource, resource_type=4, resource_name=name, configs=(config,)
        )
        answer = send(
            port_of(cluster, node), Key.INCREMENTAL_ALTER_CONFIGS, 1,
            "IncrementalAlterConfigsRequest", validate_only=False, resources=(resource,),
        )  # fmt: skip
        told = answer.responses[0]
        message = told.error_message or ""
        return told.error_code, message.replace(first, "D1").replace(second, "D2")

    for case in CORDONS:
        same(sides, alter, *case)


@pytest.mark.spec("N-01")
def test_batches_that_producers_may_not_send(sides: Sides) -> None:
    whole = changed(16, ">b", 2)
    for batch in (
        whole,
        whole[:3],
        whole[:-3],
        whole + whole[:-3],
        *(changed(16, ">b", magic) for magic in (0, 1, 3)),  # As a byte with a sign.
        *(changed(0, ">q", base) for base in (1, -1)),
        *(changed(21, ">h", flags) for flags in (5, 6, 7, 8, 32)),
        *(changed(23, ">i", last) for last in (0, 2, -1)),
        *(changed(57, ">i", count) for count in (0, 1, 3, -1)),
        *(changed(43, ">q", producer) for producer in (5,)),
    ):
        for topic in ("plain", "stamped"):
            theirs, ours = (send_batch(cluster, topic, batch)[0] for cluster in sides)
            assert ours == theirs, (topic, bytes(batch))
    for each in sides:
        coordinator_of(each, "any")  # There is a topic for the offsets from now on.
    theirs, ours = (send_batch(each, "__consumer_offsets", whole, 9)[0] for each in sides)
    assert ours == theirs == Error.INVALID_TOPIC_EXCEPTION


def test_lookups_that_are_refused(sides: Sides) -> None:
    same(sides, listed, ("plain", -1, -1), ("missing", -1, -1), ("plain", -1, -2))
    same(sides, listed, ("plain", -2, -1))
    same(sides, listed, ("plain", -1, -7), ("missing", -1, -7))
    same(sides, partial(listed, isolation=2), ("plain", -1, -1), ("missing", -1, -1))

    for cursor in (("plain", 0), ("pair", 0), ("plain", -1), ("a", 0), ("z", 0), ("q", 0)):
        same(sides, paged, *cursor)
    for broker in (1, 2):
        for topic in ("plain", "pair", "missing", "b@d"):
            same(sides, producers, broker, topic)


@pytest.mark.parametrize("version", [5, 8, 9, 10])
def test_offsets_of_topics_that_are_not_there(sides: Sides, version: int) -> None:
    same(sides, committed, version, 3)


def test_what_groups_do_not_take(sides: Sides) -> None:
    for pattern in ("x.*", "[", "(?=x)", r"(x)\1"):
        same(sides, transactions, pattern)
    for names in ((None, None), ("consumer", None), (None, "range"), ("consumer", "range")):
        same(sides, synced, *names)
    for version in (5, 6):
        same(sides, described, version)
