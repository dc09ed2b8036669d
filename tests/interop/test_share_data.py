"""What share groups (KIP-932) leave on disk: a broker's directories go from Apache Kafka 4.3 to us
and back, and no record is delivered again or left out on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support.apache_kafka import CONFIGS, DUMP_LOG, TOPICS, ToolResult
from tests.support.clients import flushed
from tests.support.mixed import Mixed
from tests.support.waiting import TimeIsUp, eventually

from spindle.node.groups import group_records
from spindle.node.share import share_state_records
from spindle.node.topic_creation import OFFSETS_TOPIC, SHARE_STATE_TOPIC
from spindle.wire import batch as batches

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-04"), pytest.mark.timeout(300)]

BROKER = 1
CONSOLE_SHARE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
SHARE_GROUPS = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
SETTINGS = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.snapshot.update.records.per.snapshot": "3",
    "default.replication.factor": "1",
    "group.share.min.heartbeat.interval.ms": "200",
    "group.share.heartbeat.interval.ms": "500",
    "group.share.min.session.timeout.ms": "3000",
    "group.share.session.timeout.ms": "6000",
}


@pytest.fixture
def cluster(kafka_jars: Path, tmp_path: Path) -> Iterator[Mixed]:
    """One broker, which Apache Kafka runs first, under our controller."""
    made = Mixed(tmp_path, kafka_jars, theirs={BROKER}, brokers=1, directories=1, settings=SETTINGS)
    with made as cluster:
        cluster.start()
        yield cluster


def tool(cluster: Mixed, name: str, *arguments: str) -> ToolResult:
    """A tool of Apache Kafka's at the broker."""
    return cluster.run_tool(name, "--bootstrap-server", cluster.bootstrap, *arguments)


def produce(cluster: Mixed, records: range) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap})
    for n in records:
        producer.produce("t", b"%d" % n, partition=n % 2)
    flushed(producer, 30)


def consume(cluster: Mixed, records: int) -> list[int]:
    """What Java's console consumer accepts; what else it has acquired it gives back."""
    told = tool(
        cluster, CONSOLE_SHARE_CONSUMER, "--topic", "t", "--group", "g",
        "--max-messages", str(records), "--timeout-ms", "30000",
    )  # fmt: skip
    found = [int(line) for line in told.stdout.split()]
    if len(found) < records:
        raise TimeIsUp(f"{len(found)} of {records} records came in time: {told}")
    return found


def offsets(cluster: Mixed) -> list[list[str]]:
    """The rows of `--describe --offsets`, once the group is empty."""

    def rows() -> list[list[str]]:
        told = tool(cluster, SHARE_GROUPS, "--describe", "--group", "g", "--offsets")
        return sorted(line.split() for line in told.lines() if line.startswith("g "))

    return eventually(rows, "the group's offsets", 60)


def stored(cluster: Mixed, topic: str) -> list[tuple[bytes, bytes | None]]:
    """The records of a coordinator's partition, as they are on disk."""
    (folder,) = cluster.nodes[BROKER].log_dirs
    found = []
    for segment in sorted((folder / f"{topic}-0").glob("*.log")):
        for batch in batches.split(segment.read_bytes(), partial=True):
            if not batch.is_control:
                found += [(r.key or b"", r.value) for r in batches.records(batch)]
    return found


def check_bytes(cluster: Mixed) -> int:
    """We read every record and would have written the same; how many are share groups' states."""
    states = stored(cluster, SHARE_STATE_TOPIC)
    for key, value in states:
        read = share_state_records.from_bytes(key, value)
        assert read is not None
        assert share_state_records.to_bytes(read) == (key, value)
    for key, value in stored(cluster, OFFSETS_TOPIC):
        record = group_records.from_bytes(key, value, 0)
        assert record is not None
        assert group_records.to_bytes(record) == (key, value)
    return len(states)


def dumped(cluster: Mixed, topic: str, decoder: str) -> list[dict[str, object]]:
    """What Kafka's DumpLogSegments reads in a coordinator's partition."""
    (folder,) = cluster.nodes[BROKER].log_dirs
    files = ",".join(map(str, sorted((folder / f"{topic}-0").glob("*.log"))))
    told = cluster.run_tool(DUMP_LOG, decoder, "--files", files)
    assert told.code == 0, told
    assert "isvalid: false" not in told.stdout
    keys = [
        json.loads(line.split(" key: ")[1].split(" payload: ")[0])
        for line in told.lines()
        if " key: " in line
    ]
    assert len(keys) == len(stored(cluster, topic)), told
    return keys


def change(cluster: Mixed, *, theirs: bool) -> None:
    """The other program runs the broker now."""
    cluster.stop_node(BROKER)
    cluster.theirs = {BROKER} if theirs else set()
    assert check_bytes(cluster)
    cluster.start_node(BROKER)


def test_state_goes_from_apache_kafka_to_us_and_back(cluster: Mixed) -> None:
    made = tool(cluster, TOPICS, "--create", "--topic", "t", "--partitions", "2")
    assert made.code == 0, made
    told = tool(
        cluster, CONFIGS, "--alter", "--entity-type", "groups", "--entity-name", "g",
        "--add-config", "share.auto.offset.reset=earliest",
    )  # fmt: skip
    assert told.code == 0, told
    produce(cluster, range(20))
    seen = consume(cluster, 12)
    assert len(seen) == 12
    before = offsets(cluster)

    change(cluster, theirs=False)
    assert offsets(cluster) == before
    seen += consume(cluster, 8)
    assert sorted(seen) == list(range(20))
    produce(cluster, range(20, 30))
    seen += consume(cluster, 5)
    before = offsets(cluster)

    change(cluster, theirs=True)
    assert offsets(cluster) == before
    seen += consume(cluster, 5)
    assert sorted(seen) == list(range(30))

    change(cluster, theirs=False)
    cluster.stop_node(BROKER)
    types = {
        key["type"] for key in dumped(cluster, SHARE_STATE_TOPIC, "--share-group-state-decoder")
    }
    assert types == {"0", "1"}
    types = {key["type"] for key in dumped(cluster, OFFSETS_TOPIC, "--offsets-decoder")}
    assert types == {"10", "11", "12", "13", "14", "15"}
