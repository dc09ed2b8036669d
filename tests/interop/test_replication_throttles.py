"""`kafka-reassign-partitions --throttle` by Apache Kafka's own tool: the copy keeps to the rate.

Leader and follower are ours, or one of them is Apache Kafka's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support.apache_kafka import REASSIGN
from tests.support.clients import flushed
from tests.support.mixed import Mixed
from tests.support.waiting import TimeIsUp, eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-07", "K113-22")]

LEADER, TARGET, BYSTANDER = 1, 2, 3
SIZE = 24_000_000
RATE = 2_000_000
LOOK_SECONDS, PAUSE = 8, 0.05
SLACK = 4_000_000
"""What may be under way beyond the rate: fetches of a megabyte, and Kafka's windows."""
KINDS = {"ours": set(), "their-leader": {LEADER}, "their-follower": {TARGET}}


@pytest.fixture(scope="module", params=KINDS)
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path
) -> Iterator[Mixed]:
    """Three brokers, some of them Apache Kafka's, under a Spindle controller."""
    folder, theirs = tmp_path_factory.mktemp(request.param), KINDS[request.param]
    with Mixed(folder, kafka_jars, theirs=theirs, brokers=3, directories=1) as cluster:
        cluster.start()
        yield cluster


def copied(cluster: Mixed) -> int:
    """Bytes of the partition's log on the broker that it is copied to."""
    (folder,) = cluster.nodes[TARGET].log_dirs
    return sum(file.stat().st_size for file in folder.glob("big-0/*.log"))


def reassign(cluster: Mixed, topic: str, folder: Path, *options: str) -> str:
    plan = {
        "version": 1,
        "partitions": [{"topic": topic, "partition": 0, "replicas": [TARGET, BYSTANDER]}],
    }
    file = folder / "plan.json"
    file.write_text(json.dumps(plan))
    return cluster.tool(REASSIGN, "--reassignment-json-file", str(file), *options).stdout


def test_a_reassignment_keeps_to_its_throttle_and_replicas_in_sync_are_not_slowed(
    cluster: Mixed, tmp_path: Path
) -> None:
    cluster.create("big", [[LEADER, BYSTANDER]])
    cluster.produce("big", SIZE // 10_000, 10_000)
    began = time.monotonic()
    said = reassign(cluster, "big", tmp_path, "--execute", "--throttle", str(RATE))
    assert f"The inter-broker throttle limit was set to {RATE} B/s" in said
    slowest, sender = 0.0, Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    while time.monotonic() - began < LOOK_SECONDS:
        found, elapsed = copied(cluster), time.monotonic() - began
        assert found <= RATE * elapsed + SLACK
        at = time.monotonic()
        sender.produce("big", bytes(1000))
        flushed(sender, 10)
        slowest = max(slowest, time.monotonic() - at)
        time.sleep(PAUSE)
    eventually(lambda: copied(cluster) > RATE, "slow, but not standing still", 20)
    if slowest >= 3:
        raise TimeIsUp("the bystander is in the ISR: the throttle is none of its business")
    in_sync = cluster.state("big")[0][1]
    assert in_sync == {LEADER, BYSTANDER} or copied(cluster) >= SIZE
    faster = str(RATE * 100)
    said = reassign(cluster, "big", tmp_path, "--execute", "--additional", "--throttle", faster)
    assert f"The inter-broker throttle limit was set to {faster} B/s" in said
    cluster.become("big", {0: (TARGET, {TARGET, BYSTANDER})}, 60)
    verified = reassign(cluster, "big", tmp_path, "--verify")
    assert "Clearing topic-level throttles on topic big" in verified


@pytest.mark.spec("K113-24")
def test_a_reassignment_ends_beside_a_dead_bystander(cluster: Mixed, tmp_path: Path) -> None:
    cluster.create("other", [[LEADER, BYSTANDER]])
    cluster.produce("other", SIZE // 40_000, 10_000)
    reassign(cluster, "other", tmp_path, "--execute", "--throttle", str(RATE))
    cluster.stop_node(BYSTANDER, kill=True)
    cluster.become("other", {0: (TARGET, {TARGET})}, 60)
    cluster.start_node(BYSTANDER)
    cluster.become("other", {0: (TARGET, {TARGET, BYSTANDER})}, 60)
