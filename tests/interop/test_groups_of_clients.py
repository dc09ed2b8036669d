"""Consumer groups of real clients on a Spindle cluster: all four libraries, Kafka's own tool,
a coordinator that is killed, and offsets whose log moves to another disk meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient as Confluent
from kafka import KafkaConsumer
from tests.interop.test_consumer_groups import partitions, until_committed
from tests.support.apache_kafka import CONSOLE_CONSUMER, run_tool
from tests.support.clients import flushed
from tests.support.deadlines import Deadline
from tests.support.waiting import TimeIsUp, eventually

from spindle.client.admin import AdminClient
from spindle.client.results import Replica
from spindle.runtime.local import LocalCluster

GROUPS_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
SETTINGS = {
    "offsets.topic.num.partitions": "4",
    "num.partitions": "4",
    "broker.session.timeout.ms": "3000",
}


def with_cluster(home: Path, scenario: Callable[[LocalCluster], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario on two brokers with two directories each."""

    async def run() -> None:
        async with LocalCluster(home, brokers=2, dirs=2, settings=SETTINGS) as cluster:
            await scenario(cluster)

    asyncio.run(run())


def produce(cluster: LocalCluster, topic: str, records: int) -> None:
    """Write records, the same number to each partition; the topic is made on the way."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True})
    eventually(lambda: partitions(producer, topic) == 4, "the topic", 60)
    for n in range(records):
        producer.produce(topic, b"%d" % n, partition=n % 4)
    flushed(producer, 60)


def consumer(cluster: LocalCluster, group: str, **settings: Any) -> Consumer:
    """A librdkafka consumer that commits only by an explicit call."""
    return Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 20_000,
        }
        | settings
    )


def read(consumers: list[Consumer], records: int, seconds: float = 40) -> list[bytes]:
    """Poll in turn until so many records have come."""
    found: list[bytes] = []
    deadline = Deadline(seconds)
    while len(found) < records:
        deadline.hold(f"{len(found)} of {records} records came")
        for each in consumers:
            found += [m.value() for m in each.consume(100, 0.05) if m.error() is None]
    return found


def committed(each: Consumer, topic: str) -> list[int]:
    """The group's offset in each of the topic's partitions."""
    asked = [TopicPartition(topic, n) for n in range(4)]
    return [p.offset for p in each.committed(asked, timeout=20)]


@pytest.mark.spec("C-02")
def test_two_members_share_a_topic_and_one_takes_over(tmp_path: Path) -> None:
    def clients(cluster: LocalCluster) -> None:
        produce(cluster, "t", 0)
        first, second = consumer(cluster, "g"), consumer(cluster, "g")
        for each in (first, second):
            each.subscribe(["t"])
        deadline = Deadline(30)
        while (sizes := (len(first.assignment()), len(second.assignment()))) != (2, 2):
            deadline.hold(sizes)
            for each in (first, second):
                each.poll(0.05)
        produce(cluster, "t", 80)
        assert sorted(map(int, read([first, second], 80))) == list(range(80))
        for each in (first, second):
            each.commit(asynchronous=False)
        admin = Confluent({"bootstrap.servers": cluster.bootstrap})
        group = admin.describe_consumer_groups(["g"])["g"].result(20)
        assert (group.state.name, len(group.members)) == ("STABLE", 2)
        second.close()
        deadline = Deadline(60)
        while (size := len(first.assignment())) != 4:
            deadline.hold(size)
            assert first.poll(0.05) is None, "what was committed is not read again"
        produce(cluster, "t", 8)
        read([first], 8)
        first.commit(asynchronous=False)
        assert committed(first, "t") == [22] * 4
        first.close()
        assert admin.delete_consumer_groups(["g"])["g"].result(20) is None
        assert admin.list_consumer_groups().result(20).valid == []

    async def scenario(cluster: LocalCluster) -> None:
        await asyncio.to_thread(clients, cluster)

    with_cluster(tmp_path, scenario)


@pytest.mark.spec("C-02")
def test_the_python_libraries_read_commit_and_come_back(tmp_path: Path) -> None:
    def kafka_python(cluster: LocalCluster) -> None:
        for expected in (40, 4):
            reader = KafkaConsumer(
                "t",
                bootstrap_servers=cluster.bootstrap,
                group_id="kafka-python",
                auto_offset_reset="earliest",
                enable_auto_commit=False,
                consumer_timeout_ms=20_000,
            )
            found = list(islice(reader, expected))
            if len(found) < expected:
                raise TimeIsUp(f"{len(found)} of {expected} records came")
            reader.commit()
            reader.close()
            produce(cluster, "t", 4)

    async def aiokafka(cluster: LocalCluster, expected: int) -> None:
        reader = AIOKafkaConsumer(
            "t",
            bootstrap_servers=cluster.bootstrap,
            group_id="aiokafka",
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        await reader.start()
        for _ in range(expected):
            await asyncio.wait_for(reader.getone(), 20)
        await reader.commit()
        await reader.stop()

    async def scenario(cluster: LocalCluster) -> None:
        await asyncio.to_thread(produce, cluster, "t", 40)
        await asyncio.to_thread(kafka_python, cluster)
        await aiokafka(cluster, 48)
        await asyncio.to_thread(produce, cluster, "t", 8)
        await aiokafka(cluster, 8)

    with_cluster(tmp_path, scenario)


@pytest.mark.kafka
@pytest.mark.spec("C-02")
def test_kafkas_own_consumer_and_group_tool(tmp_path: Path, kafka_jars: Path) -> None:
    def tool(cluster: LocalCluster, *arguments: str) -> str:
        where = ("--bootstrap-server", cluster.bootstrap)
        done = run_tool(kafka_jars, GROUPS_TOOL, *where, *arguments)
        assert done.code == 0, done
        return done.stdout

    def clients(cluster: LocalCluster) -> None:
        produce(cluster, "t", 40)
        done = run_tool(
            kafka_jars, CONSOLE_CONSUMER, "--bootstrap-server", cluster.bootstrap, "--topic", "t",
            "--group", "java", "--from-beginning", "--max-messages", "40", "--timeout-ms", "30000",
        )  # fmt: skip
        assert sorted(map(int, done.lines())) == list(range(40)), done
        assert tool(cluster, "--list").split() == ["java"]
        rows = [
            line.split() for line in tool(cluster, "--describe", "--group", "java").splitlines()
        ]
        told = {row[2]: row[3:6] for row in rows if row[:2] == ["java", "t"]}
        assert told == {str(n): ["10", "10", "0"] for n in range(4)}
        assert "Empty" in tool(cluster, "--describe", "--group", "java", "--state")
        tool(
            cluster, "--reset-offsets", "--group", "java", "--topic", "t:1", "--to-offset", "3",
            "--execute",
        )  # fmt: skip
        tool(cluster, "--delete-offsets", "--group", "java", "--topic", "t:0")
        check = consumer(cluster, "java")
        assert committed(check, "t") == [-1001, 3, 10, 10]
        check.close()
        tool(cluster, "--delete", "--group", "java")
        assert tool(cluster, "--list").split() == []

    async def scenario(cluster: LocalCluster) -> None:
        await asyncio.to_thread(clients, cluster)

    with_cluster(tmp_path, scenario)


@pytest.mark.spec("C-02")
def test_groups_outlive_the_broker_that_coordinated_them(tmp_path: Path) -> None:
    names = [f"g{n}" for n in range(4)]

    async def scenario(cluster: LocalCluster) -> None:
        await asyncio.to_thread(produce, cluster, "t", 40)
        readers = [consumer(cluster, name) for name in names]
        for each in readers:
            each.subscribe(["t"])
            await asyncio.to_thread(read, [each], 40)
            await asyncio.to_thread(each.commit, asynchronous=False)
        await cluster.kill_node(cluster.broker(2))
        await asyncio.to_thread(produce, cluster, "t", 40)
        for each in readers:
            await asyncio.to_thread(read, [each], 40)
            await asyncio.to_thread(until_committed, each, "t", [20] * 4)
            each.close()

    with_cluster(tmp_path, scenario)


@pytest.mark.spec("K113-30", "C-02")
def test_groups_go_on_while_their_offsets_move_to_another_disk(tmp_path: Path) -> None:
    async def scenario(cluster: LocalCluster) -> None:
        await asyncio.to_thread(produce, cluster, "t", 40)
        reader = consumer(cluster, "g")
        reader.subscribe(["t"])
        await asyncio.to_thread(read, [reader], 40)
        moving = [Replica("__consumer_offsets", n, b) for n in range(4) for b in (1, 2)]
        async with AdminClient(cluster.bootstrap) as admin:
            places = await admin.describe_replica_log_dirs(moving).all()
            wanted = {
                replica: next(
                    str(path)
                    for path in cluster.broker(replica.broker).log_dirs
                    if str(path) != place.current
                )
                for replica, place in places.items()
            }
            await admin.alter_replica_log_dirs(wanted).all()
            commits, deadline = 0, Deadline(120)
            while any(place.current != wanted[replica] for replica, place in places.items()):
                deadline.hold(places)
                offsets = [TopicPartition("t", n, 1 + commits % 10) for n in range(4)]
                await asyncio.to_thread(reader.commit, offsets=offsets, asynchronous=False)
                commits += 1
                places = await admin.describe_replica_log_dirs(moving).all()
        last = [TopicPartition("t", n, n + 1) for n in range(4)]
        await asyncio.to_thread(reader.commit, offsets=last, asynchronous=False)
        reader.close()
        for broker in (2, 1):
            # What was moved is what a coordinator loads.
            await cluster.stop_node(cluster.broker(broker))
            await cluster.start_node(cluster.broker(broker))
            await cluster.wait_serving()
        check = consumer(cluster, "g")
        assert await asyncio.to_thread(committed, check, "t") == [1, 2, 3, 4]
        check.close()

    with_cluster(tmp_path, scenario)
