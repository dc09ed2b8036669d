"""Consumer groups of KIP-848 with real clients: librdkafka's, Java's, Kafka's own tools; a
coordinator that is killed; and a log directory that Apache Kafka's coordinator takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.apache_kafka import (
    CONSOLE_CONSUMER,
    DUMP_LOG,
    ApacheKafka,
    ApacheNode,
    ToolResult,
    run_tool,
)
from tests.support.clients import flushed, unanswered
from tests.support.deadlines import Deadline
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.runtime.local import LocalCluster

pytestmark = [pytest.mark.spec("C-02", "C-03")]

GROUPS_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
SETTINGS = {
    "offsets.topic.num.partitions": "4",
    "num.partitions": "4",
    "broker.session.timeout.ms": "3000",
    "group.consumer.min.session.timeout.ms": "3000",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "500",
}


def with_cluster(home: Path, clients: Callable[[LocalCluster], None]) -> None:
    """Run clients against two brokers."""

    async def run() -> None:
        async with LocalCluster(home, brokers=2, dirs=1, settings=SETTINGS) as cluster:
            await asyncio.to_thread(clients, cluster)

    asyncio.run(run())


def produce(bootstrap: str, topic: str, records: int) -> None:
    """Write records, the same number to each of four partitions."""
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    eventually(lambda: partitions(producer, topic) == 4, "the topic", 60)
    for n in range(records):
        producer.produce(topic, b"%d" % n, partition=n % 4)
    flushed(producer, 60)


def partitions(producer: Producer, topic: str) -> int | None:
    """How many a topic has, which this makes; None where a broker that has just died was asked."""
    try:
        return len(producer.list_topics(topic, 10).topics[topic].partitions)
    except KafkaException as refused:
        if not unanswered(refused):
            raise
        return None


def consumer(bootstrap: str, group: str, **settings: Any) -> Consumer:
    """A librdkafka consumer of the new protocol that commits by hand."""
    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "reconnect.backoff.max.ms": 500,
        }
        | settings
    )


def read(consumers: list[Consumer], records: int, seconds: float = 40) -> list[int]:
    """Poll in turn until so many records have come."""
    found: list[int] = []
    deadline = Deadline(seconds)
    while len(found) < records:
        deadline.hold(f"{len(found)} of {records} records came")
        for each in consumers:
            found += [int(m.value()) for m in each.consume(100, 0.05) if m.error() is None]
    return found


def until_shared(consumers: list[Consumer], *sizes: int, seconds: float = 40) -> None:
    """Poll until each has so many partitions."""
    deadline = Deadline(seconds)
    while tuple(sorted(len(each.assignment()) for each in consumers)) != tuple(sorted(sizes)):
        deadline.hold([each.assignment() for each in consumers])
        for each in consumers:
            each.poll(0.05)


def committed(each: Consumer, topic: str) -> list[int]:
    """The group's offset in each partition."""
    return [p.offset for p in each.committed([TopicPartition(topic, n) for n in range(4)], 20)]


def commit_at_last(each: Consumer) -> None:
    """Commit; while the coordinator is new, a client may have to do so again."""

    def commits() -> bool:
        try:
            each.commit(asynchronous=False)
        except KafkaException:
            each.poll(0.1)
            return False
        return True

    eventually(commits, "a commit", 40)


def until_committed(each: Consumer, topic: str, ends: list[int]) -> None:
    """Read and commit until the group is there.

    One that found no coordinator for long begins again where it has committed.
    """

    def there() -> bool:
        commit_at_last(each)
        if committed(each, topic) == ends:
            return True
        each.consume(100, 0.2)
        return False

    eventually(there, f"the group has committed {ends}", 40)


def test_members_share_a_topic_by_name_and_pattern_and_take_over(tmp_path: Path) -> None:
    def clients(cluster: LocalCluster) -> None:
        at = cluster.bootstrap
        produce(at, "t", 40)
        first, second = consumer(at, "g"), consumer(at, "g")
        first.subscribe(["t"])
        assert sorted(read([first], 40)) == list(range(40))
        first.commit(asynchronous=False)
        second.subscribe(["^t.*"])
        until_shared([first, second], 2, 2)
        produce(at, "t", 80)
        assert sorted(read([first, second], 80)) == list(range(80))
        for each in (first, second):
            commit_at_last(each)
        admin = AdminClient({"bootstrap.servers": at})

        def described() -> tuple[str, str, int]:
            group = admin.describe_consumer_groups(["g"])["g"].result(20)
            return group.state.name, group.type.name, len(group.members)

        eventually(lambda: described() == ("STABLE", "CONSUMER", 2), "the group is at rest")
        second.close()
        until_shared([first], 4)
        assert committed(first, "t") == [30] * 4
        first.close()
        classic = consumer(at, "g", **{"group.protocol": "classic", "session.timeout.ms": 6000})
        classic.subscribe(["t"])
        until_shared([classic], 4)
        classic.close()
        again = consumer(at, "g")
        again.subscribe(["t"])
        until_shared([again], 4)
        assert committed(again, "t") == [30] * 4
        again.close()
        assert admin.delete_consumer_groups(["g"])["g"].result(20) is None

    with_cluster(tmp_path, clients)


def test_groups_outlive_their_coordinator(tmp_path: Path) -> None:
    names = [f"g{n}" for n in range(4)]

    async def scenario() -> None:
        async with LocalCluster(tmp_path, brokers=2, dirs=1, settings=SETTINGS) as cluster:
            at = cluster.bootstrap
            await asyncio.to_thread(produce, at, "t", 40)
            readers = [consumer(at, name) for name in names]
            for each in readers:
                each.subscribe(["t"])
                await asyncio.to_thread(read, [each], 40)
                await asyncio.to_thread(each.commit, asynchronous=False)
            await cluster.kill_node(cluster.broker(2))
            await asyncio.to_thread(produce, at, "t", 40)
            for each in readers:
                await asyncio.to_thread(read, [each], 40)
                await asyncio.to_thread(until_committed, each, "t", [20] * 4)
                each.close()

    asyncio.run(scenario())


@pytest.mark.kafka
def test_kafkas_own_consumer_and_tools(tmp_path: Path, kafka_jars: Path) -> None:
    def clients(cluster: LocalCluster) -> None:
        at = cluster.bootstrap

        def tool(name: str, *arguments: str) -> ToolResult:
            done = run_tool(kafka_jars, name, "--bootstrap-server", at, *arguments)
            assert done.code == 0, done
            return done

        produce(at, "t", 40)
        done = tool(
            CONSOLE_CONSUMER, "--topic", "t", "--group", "java", "--from-beginning",
            "--max-messages", "40", "--timeout-ms", "30000",
            "--command-property", "group.protocol=consumer",
        )  # fmt: skip
        assert sorted(map(int, done.lines())) == list(range(40)), done
        here = consumer(at, "librdkafka")
        here.subscribe(["t"])
        read([here], 40)
        listed = tool(GROUPS_TOOL, "--list", "--type", "consumer").stdout.split()
        assert sorted(w for w in listed if w in ("java", "librdkafka")) == ["java", "librdkafka"]
        own = ("--describe", "--group", "librdkafka")

        def state() -> str | None:
            shown = tool(GROUPS_TOOL, *own, "--state").stdout
            return shown if "Stable" in shown else None

        assert "uniform" in eventually(state, "the group is at rest")
        shown = tool(GROUPS_TOOL, *own, "--members", "--verbose").stdout
        assert "t:0,1,2,3" in shown.replace(" ", ""), shown
        rows = tool(GROUPS_TOOL, "--describe", "--group", "java").stdout.splitlines()
        told = {r.split()[2]: r.split()[3:6] for r in rows if r.split()[:2] == ["java", "t"]}
        assert told == {str(n): ["10", "10", "0"] for n in range(4)}
        tool(
            GROUPS_TOOL, "--reset-offsets", "--group", "java", "--topic", "t:1",
            "--to-offset", "3", "--execute",
        )  # fmt: skip
        check = consumer(at, "java")
        assert committed(check, "t") == [10, 3, 10, 10]
        check.close()
        tool(GROUPS_TOOL, "--delete", "--group", "java")
        here.close()

    with_cluster(tmp_path, clients)


class Changing(SpindleCluster):
    """One node, which Apache Kafka runs from its next start on where `is_theirs`."""

    is_theirs = False

    def command(self, node: ApacheNode) -> list[str]:
        return ApacheKafka.command(self, node) if self.is_theirs else super().command(node)


@pytest.mark.kafka
def test_apache_kafkas_coordinator_goes_on_with_our_groups_and_we_with_its(
    tmp_path: Path, kafka_jars: Path
) -> None:
    settings = {
        **SETTINGS,
        "offsets.topic.num.partitions": "1",
        "group.consumer.session.timeout.ms": "45000",
    }
    with Changing(tmp_path, kafka_jars, brokers=1, directories=1, settings=settings) as cluster:
        log = cluster.nodes[1].log_dirs[0] / "__consumer_offsets-0" / f"{0:020}.log"
        epochs: list[int] = []
        reader = None
        for spindle in (True, False, True):
            cluster.is_theirs = not spindle
            if not epochs:
                cluster.start()
                produce(cluster.bootstrap, "t", 40)
                reader = consumer(cluster.bootstrap, "g", **{"group.instance.id": "i"})
                reader.subscribe(["t", "^t.*"])
                read([reader], 40)
                assert reader.assignment() != []
            else:
                cluster.start_node(1)
                produce(cluster.bootstrap, "t", 40)
                assert reader is not None
                read([reader], 40)
            commit_at_last(reader)
            epochs.append(_epoch(cluster))
            cluster.stop_node(1)
        assert reader is not None
        assert len(set(epochs)) == 1, "no coordinator found anything to assign again"
        dump = run_tool(kafka_jars, DUMP_LOG, "--offsets-decoder", "--files", str(log))
        assert dump.code == 0, dump
        for kind in (3, 5, 6, 7, 8, 16):
            assert f'key: {{"type":"{kind}"' in dump.stdout, dump.stdout[:2000]


def _epoch(cluster: ApacheKafka) -> int:
    done = cluster.run_tool(
        GROUPS_TOOL, "--bootstrap-server", cluster.bootstrap, "--describe", "--group", "g",
        "--state", "--verbose",
    )  # fmt: skip
    assert done.code == 0, done
    (row,) = [line.split() for line in done.lines() if line.startswith("g ")]
    return int(next(word for word in row if word.isdigit()))
