"""A Spindle broker and one of Apache Kafka's replicate each other's partitions, both ways.

Kafka's controller decides. What one leads the other follows; each is killed in turn; in the end
both disks hold the same bytes and a consumer finds every acknowledged record once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka, ApacheNode
from tests.support.clients import flushed, state_of
from tests.support.waiting import eventually

from spindle.core.replica.replica_selector import SELECTOR

pytestmark = pytest.mark.kafka

THEIRS, OURS = 1, 2
BOTH = {THEIRS, OURS}
FAILOVER_S = 40


class Mixed(ApacheKafka):
    """Node 2 is ours, all others are Apache Kafka's."""

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        if node.node_id != OURS:
            return super().command(node)
        return [sys.executable, "-m", "spindle", "broker", "-c", str(node.config)]

    def partitions(self, topic: str) -> dict[int, tuple[int, set[int]]]:
        """Leader and ISR of each partition, as the metadata has them."""
        return state_of(AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0}), topic)

    def become(self, topic: str, wanted: dict[int, tuple[int, set[int]]]) -> None:
        """Wait until a topic's partitions are led and replicated so."""
        eventually(
            lambda: self.partitions(topic) == wanted, f"{topic} is {wanted}", FAILOVER_S, 0.2
        )

    def log_bytes(self, node_id: int, topic: str, partition: int) -> bytes:
        """All that a node has written of a partition."""
        (log,) = (
            file
            for folder in self.nodes[node_id].log_dirs
            for file in (folder / f"{topic}-{partition}").glob("*.log")
        )
        return log.read_bytes()


@pytest.fixture(scope="module")
def mixed(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    """One broker of each kind under Apache Kafka's controller."""
    settings = {
        "broker.session.timeout.ms": "6000",
        "replica.lag.time.max.ms": "10000",
        "replica.selector.class": SELECTOR,
    }
    with Mixed(
        tmp_path_factory.mktemp("mixed"),
        kafka_jars,
        brokers=2,
        separate_controller=True,
        settings=settings,
    ) as cluster:
        for node in cluster.brokers:
            node.settings["broker.rack"] = f"rack{node.node_id}"
            cluster.write_config(node)
        cluster.start()
        yield cluster
        for node_id in (CONTROLLER_ID, THEIRS, OURS):
            print(node_id, cluster.tail(node_id, 1500))


class Sender:
    """Writes numbered records with acks=all, and remembers those that were acknowledged."""

    def __init__(self, mixed: Mixed, topic: str) -> None:
        self.topic = topic
        self.count = 0
        self.acknowledged: set[tuple[int, str]] = set()
        self.failed: list[Any] = []
        self.producer = Producer(
            {
                "bootstrap.servers": mixed.bootstrap,
                "acks": "all",
                "enable.idempotence": True,
                "log_level": 0,
            }
        )

    def send(self, count: int) -> None:
        """Write records to both partitions and wait for all of them."""

        def delivered(error: Any, message: Any) -> None:
            if error is not None:
                self.failed.append(error)
            else:
                self.acknowledged.add((message.partition(), message.value().decode()))

        for _ in range(count):
            for partition in (0, 1):
                self.producer.produce(
                    self.topic, str(self.count), partition=partition, callback=delivered
                )
            self.count += 1
        flushed(self.producer, 60)
        assert not self.failed


def records(consumer: Consumer, seconds: float) -> list[tuple[int, str]]:
    """What comes in so many seconds; what is no record is passed over."""
    found = [m for m in consumer.consume(1000, seconds) if m.error() is None]
    return [(m.partition(), m.value().decode()) for m in found]


def consumed(mixed: Mixed, topic: str, count: int) -> list[tuple[int, str]]:
    """All records of both partitions."""
    consumer = Consumer({"bootstrap.servers": mixed.bootstrap, "group.id": "none", "log_level": 0})
    consumer.assign([TopicPartition(topic, n, 0) for n in (0, 1)])
    found: list[tuple[int, str]] = []

    def all_there() -> bool:
        found.extend(records(consumer, 0.5))
        return len(found) >= count

    eventually(all_there, f"{count} records", 30, 0.0)
    found.extend(records(consumer, 1.0))
    consumer.close()
    return found


@pytest.mark.spec("C-06")
@pytest.mark.parametrize(("leader", "near"), [(THEIRS, OURS), (OURS, THEIRS)])
def test_a_consumer_reads_from_the_replica_in_its_rack(
    mixed: Mixed, leader: int, near: int
) -> None:
    """librdkafka, sent by a leader of one kind to a follower of the other kind."""
    topic = f"near-{near}"
    mixed.create_topic(topic, f"{leader}:{near},{leader}:{near}")
    mixed.become(topic, {0: (leader, BOTH), 1: (leader, BOTH)})
    sender = Sender(mixed, topic)
    sender.send(50)
    served_by: dict[str, int] = {}

    def seen(statistics: str) -> None:
        partitions = json.loads(statistics)["topics"].get(topic, {}).get("partitions", {})
        served_by.update({n: p["broker"] for n, p in partitions.items() if n != "-1"})

    consumer = Consumer(
        {
            "bootstrap.servers": mixed.bootstrap,
            "group.id": "near",
            "client.rack": f"rack{near}",
            "statistics.interval.ms": 100,
            "stats_cb": seen,
            "log_level": 0,
        }
    )
    consumer.assign([TopicPartition(topic, n, 0) for n in (0, 1)])
    found: set[tuple[int, str]] = set()

    def all_read(wanted: Sender) -> bool:
        found.update(records(consumer, 0.2))
        return found == wanted.acknowledged and served_by == {"0": near, "1": near}

    try:
        eventually(lambda: all_read(sender), f"all is read from broker {near}", 30, 0.0)
        sender.send(50)
        eventually(lambda: all_read(sender), f"what is new, too, from broker {near}", 30, 0.0)
    finally:
        consumer.close()


@pytest.mark.spec("B-26")
def test_b26_each_follows_the_other_and_takes_over_when_it_is_killed(mixed: Mixed) -> None:
    topic = "mixed"
    mixed.create_topic(topic, f"{THEIRS}:{OURS},{OURS}:{THEIRS}")
    mixed.become(topic, {0: (THEIRS, BOTH), 1: (OURS, BOTH)})
    sender = Sender(mixed, topic)
    sender.send(500)
    mixed.stop_node(THEIRS, kill=True)
    mixed.become(topic, {0: (OURS, {OURS}), 1: (OURS, {OURS})})
    sender.send(300)
    mixed.start_node(THEIRS)
    mixed.become(topic, {0: (OURS, BOTH), 1: (OURS, BOTH)})
    sender.send(200)
    mixed.stop_node(OURS, kill=True)
    mixed.become(topic, {0: (THEIRS, {THEIRS}), 1: (THEIRS, {THEIRS})})
    sender.send(300)
    mixed.start_node(OURS)
    mixed.become(topic, {0: (THEIRS, BOTH), 1: (THEIRS, BOTH)})
    sender.send(100)
    found = consumed(mixed, topic, 2 * sender.count)
    assert len(found) == len(set(found)), "nothing twice"
    assert set(found) == sender.acknowledged
    for partition in (0, 1):
        eventually(
            lambda partition=partition: (
                mixed.log_bytes(OURS, topic, partition) == mixed.log_bytes(THEIRS, topic, partition)
            ),
            f"both logs of partition {partition} are the same",
            10,
        )
