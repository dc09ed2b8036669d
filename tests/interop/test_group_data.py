"""`__consumer_offsets` written by Apache Kafka's coordinator loads in ours, and ours in its."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from tests.support.apache_kafka import ApacheKafka
from tests.support.cluster_image import add_topic
from tests.support.group_broker import GroupBroker
from tests.support.waiting import eventually

from spindle.core.groups.group_values import Committed, Join, JoinAnswer, MemberIdentity, Sync
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.ids import TopicPartition as Partition
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.wire.batch import split

pytestmark = pytest.mark.kafka

SETTINGS = {"offsets.topic.num.partitions": "1", "group.initial.rebalance.delay.ms": "0"}


def broker_of_one_partition() -> tuple[GroupBroker, PartitionId]:
    """A Spindle broker that leads the only partition of the offsets topic, still empty."""
    broker = GroupBroker(with_topic=False)
    id = PartitionId(add_topic(broker.image, OFFSETS_TOPIC, (1,)), 0)
    return broker, id


def offsets_log(kafka: ApacheKafka) -> Path:
    (log,) = (
        file
        for directory in kafka.nodes[1].log_dirs
        for file in directory.glob(f"{OFFSETS_TOPIC}-0/*.log")
    )
    return log


def reported_by_kafka(kafka: ApacheKafka, group: str) -> dict[int, tuple[int, str]] | None:
    """Partition -> (offset, metadata) of topic "orders"; None while Apache Kafka does not tell."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    asked = ConsumerGroupTopicPartitions(group)
    try:
        found = admin.list_consumer_group_offsets([asked], request_timeout=10)[group].result(15)
    except KafkaException:
        return None
    try:
        return {
            p.partition: (p.offset, p.metadata or "")
            for p in found.topic_partitions
            if p.topic == "orders"
        }
    except UnicodeDecodeError:
        return None  # librdkafka copies metadata without an end: now and then more of it is read.


def described_by_kafka(kafka: ApacheKafka, group: str) -> Any:
    """A group as Apache Kafka describes it; None while it does not."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    try:
        return admin.describe_consumer_groups([group], request_timeout=10)[group].result(15)
    except KafkaException:
        return None


def test_what_apache_kafka_wrote_loads_here(kafka_jars: Path, tmp_path: Path) -> None:
    with ApacheKafka(tmp_path, kafka_jars, brokers=1, settings=SETTINGS) as kafka:
        kafka.start()
        kafka.create_topic("orders", "1,1,1")
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        for n in range(60):
            producer.produce("orders", b"x", partition=n % 3)
        producer.flush(30)
        consumer = Consumer(
            {
                "bootstrap.servers": kafka.bootstrap,
                "group.id": "readers",
                "group.instance.id": "one",
                "client.id": "reader",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe(["orders"])
        seen = 0
        while seen < 60:
            message = consumer.poll(1)
            seen += message is not None and message.error() is None
        consumer.commit(asynchronous=False)
        consumer.commit(offsets=[TopicPartition("orders", 1, 7, "seven")], asynchronous=False)
        commit_simply(kafka)
        told = {
            group: eventually(lambda group=group: reported_by_kafka(kafka, group), "offsets")
            for group in ("readers", "simple")
        }
        data = offsets_log(kafka).read_bytes()
        consumer.close()  # a static member: the group stays as it is

    broker, id = broker_of_one_partition()
    batches = split(data, partial=True)
    broker.replicas.logs[id] = [bytes(batch.data) for batch in batches]
    broker.replicas.ends[id] = batches[-1].next_offset
    broker.lead()
    for group, offsets in told.items():
        known = broker.groups.coordinator(group).fetch(group, None)
        # librdkafka sends the end of its string along, and does not show it.
        assert {
            p.partition: (c.offset, c.metadata.rstrip("\0"))
            for p, c in known.items()
            if c is not None
        } == offsets
    assert told["readers"] == {0: (20, ""), 1: (7, "seven"), 2: (20, "")}
    view = broker.groups.coordinator("readers").describe("readers")
    assert view is not None
    assert (view.state, view.protocol_type, view.protocol) == ("Stable", "consumer", "range")
    (member,) = view.members
    assert (member.instance_id, member.client_id) == ("one", "reader")
    assert b"orders" in member.metadata
    assert b"orders" in member.assignment
    who = MemberIdentity(
        group_id="readers", generation=1, member_id=member.member_id, instance_id="one"
    )
    assert broker.groups.coordinator("readers").heartbeat(who) is Error.NONE


def commit_simply(kafka: ApacheKafka) -> None:
    """Commit for a group that no member has joined; makes the topic of offsets if need be."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "simple"})
    offsets = [TopicPartition("orders", 2, 3, "by hand")]

    def commit() -> bool:
        try:
            return bool(consumer.commit(offsets=offsets, asynchronous=False))
        except KafkaException:
            return False

    eventually(commit, "a commit to Apache Kafka", 60)
    consumer.close()


def test_what_was_written_here_loads_in_apache_kafka(kafka_jars: Path, tmp_path: Path) -> None:
    with ApacheKafka(tmp_path, kafka_jars, brokers=1, settings=SETTINGS) as kafka:
        kafka.start()
        kafka.create_topic("orders", "1,1,1")
        commit_simply(kafka)
        kafka.stop()
        log = offsets_log(kafka)
        for old in log.parent.glob("0*"):
            old.unlink()
        for directory in kafka.nodes[1].log_dirs:
            # What is here was not closed by Apache Kafka: it must look at every batch.
            (directory / ".kafka_cleanshutdown").unlink(missing_ok=True)
            (directory / "recovery-point-offset-checkpoint").unlink(missing_ok=True)
        log.write_bytes(written_here())
        kafka.start_node(1)
        eventually(
            lambda: reported_by_kafka(kafka, "readers") == {0: (8, "m"), 1: (6, "")},
            "Apache Kafka tells our offsets",
            60,
        )
        for group, offsets in (("simple", {2: (4, "")}), ("deleted", {})):
            eventually(
                lambda group=group, offsets=offsets: reported_by_kafka(kafka, group) == offsets,
                group,
            )
        group = eventually(lambda: described_by_kafka(kafka, "readers"), "our group's description")
        assert group.state.name == "STABLE"
        (member,) = group.members
        assert (member.group_instance_id, member.client_id) == ("one", "reader")
        assert [(p.topic, p.partition) for p in member.assignment.topic_partitions] == [
            ("orders", 0),
            ("orders", 1),
        ]


def written_here() -> bytes:
    """A log of our coordinator: a group of one static member, offsets, tombstones."""
    broker, id = broker_of_one_partition()
    broker.out.wall_ms = 4_000_000_000_000  # so that nothing has expired for Apache Kafka
    broker.lead()
    coordinator = broker.groups.coordinator("readers")
    answers: list[JoinAnswer] = []
    coordinator.join(
        Join(
            group_id="readers",
            member_id="",
            instance_id="one",
            client_id="reader",
            client_host="/127.0.0.1",
            session_timeout=1_800_000,
            rebalance_timeout=1_800_000,
            protocol_type="consumer",
            protocols=(("range", b"\0\0\0\0\0\1\0\6orders\xff\xff\xff\xff"),),
        ),
        answers.append,
    )
    member = answers[0].member_id
    assigned = b"\0\0\0\0\0\1\0\6orders\0\0\0\2\0\0\0\0\0\0\0\1\xff\xff\xff\xff"
    coordinator.sync(
        Sync(group_id="readers", generation=1, member_id=member, assignments=((member, assigned),)),
        lambda synced: None,
    )

    def commit(group: str, partition: int, offset: int, metadata: str = "") -> None:
        who = (
            MemberIdentity(group_id=group, generation=1, member_id=member)
            if group == "readers"
            else MemberIdentity(group_id=group)
        )
        value = Committed(
            offset=offset,
            metadata=metadata,
            commit_ms=broker.out.wall_ms,
            topic_id=uuid.UUID(int=7) if partition == 0 else None,
        )
        errors: dict[Partition, Error] = {}
        coordinator.commit(who, {Partition("orders", partition): value}, errors.update)
        assert set(errors.values()) == {Error.NONE}

    commit("readers", 0, 5)
    commit("readers", 1, 6)
    commit("readers", 0, 8, "m")
    commit("simple", 2, 4)
    commit("deleted", 0, 1)
    coordinator.delete_group("deleted", lambda error: None)
    return b"".join(broker.replicas.logs[id])
