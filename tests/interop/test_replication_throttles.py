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
from tests.support.mixed import Mixed

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-07", "K113-22")]

LEADER, TARGET, BYSTANDER = 1, 2, 3
SIZE = 24_000_000
RATE = 2_000_000
SLACK = 4_000_000
"""What may be under way beyond the rate: fetches of a megabyte, and Kafka's windows."""
KINDS = {"ours": set(), "their-leader": {LEADER}, "their-follower": {TARGET}}


@pytest.fixture(params=KINDS)
def cluster(request: pytest.FixtureRequest, tmp_path: Path, kafka_jars: Path) -> Iterator[Mixed]:
    """Three brokers, some of them Apache Kafka's, under a Spindle controller."""
    with Mixed(
        tmp_path / "nodes", kafka_jars, theirs=KINDS[request.param], brokers=3, directories=1
    ) as cluster:
        cluster.start()
        yield cluster


def copied(cluster: Mixed) -> int:
    """Bytes of the partition's log on the broker that it is copied to."""
    (folder,) = cluster.nodes[TARGET].log_dirs
    return sum(file.stat().st_size for file in folder.glob("big-0/*.log"))


def reassign(cluster: Mixed, folder: Path, *options: str) -> str:
    plan = {
        "version": 1,
        "partitions": [{"topic": "big", "partition": 0, "replicas": [TARGET, BYSTANDER]}],
    }
    file = folder / "plan.json"
    file.write_text(json.dumps(plan))
    return cluster.tool(REASSIGN, "--reassignment-json-file", str(file), *options).stdout


def test_a_reassignment_keeps_to_its_throttle_and_replicas_in_sync_are_not_slowed(
    cluster: Mixed, tmp_path: Path
) -> None:
    cluster.create("big", [[LEADER, BYSTANDER]])
    cluster.produce("big", SIZE // 10_000, 10_000)
    said = reassign(cluster, tmp_path, "--execute", "--throttle", str(RATE))
    assert f"The inter-broker throttle limit was set to {RATE} B/s" in said
    began = time.monotonic()
    slowest, sender = 0.0, Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    while time.monotonic() - began < 6:
        found, elapsed = copied(cluster), time.monotonic() - began
        # The clock starts after the copy may have: the tool needs a second or two to end.
        assert found <= RATE * (elapsed + 4) + SLACK
        at = time.monotonic()
        sender.produce("big", bytes(1000))
        assert sender.flush(10) == 0
        slowest = max(slowest, time.monotonic() - at)
    assert RATE < copied(cluster) < SIZE, "slow, but not standing still"
    assert slowest < 3, "the bystander is in the ISR: the throttle is none of its business"
    assert cluster.state("big")[0][1] == {LEADER, BYSTANDER}
    faster = str(RATE * 100)
    said = reassign(cluster, tmp_path, "--execute", "--additional", "--throttle", faster)
    assert f"The inter-broker throttle limit was set to {faster} B/s" in said
    cluster.become("big", {0: (TARGET, {TARGET, BYSTANDER})}, 60)
    verified = reassign(cluster, tmp_path, "--verify")
    assert "Clearing topic-level throttles on topic big" in verified


@pytest.mark.spec("K113-24")
def test_a_reassignment_ends_beside_a_dead_bystander(cluster: Mixed, tmp_path: Path) -> None:
    cluster.create("big", [[LEADER, BYSTANDER]])
    cluster.produce("big", SIZE // 40_000, 10_000)
    reassign(cluster, tmp_path, "--execute", "--throttle", str(RATE // 4))
    cluster.stop_node(BYSTANDER, kill=True)
    cluster.become("big", {0: (TARGET, {TARGET})}, 60)
    cluster.start_node(BYSTANDER)
    cluster.become("big", {0: (TARGET, {TARGET, BYSTANDER})}, 60)
