"""Transactions in a cluster of both programs that has not been raised to 4.3-IV0 yet.

A transaction of a new client begins before all markers of its last one are written (KIP-890). So
our coordinator says to Apache Kafka's broker which of the two a marker ends, whatever the level is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.support.clients import values
from tests.support.mixed import Mixed
from tests.support.waiting import eventually

from spindle.core.groups.subscription import partition_for
from spindle.model.feature_rules import finalized_at
from spindle.model.metadata_records import FeatureLevel
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import format_blank

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

BEFORE = 29
"""4.2-IV1."""
PARTITIONS, RECORDS = 12, 2_000
PERFORMANCE_TOOL = "org.apache.kafka.tools.ProducerPerformance"
OURS, THEIRS = 1, 2
SETTINGS = {
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.min.isr": "1",
}


@pytest.fixture
def mixed(kafka_jars: Path, tmp_path: Path) -> Iterator[Mixed]:
    """A broker of each kind under our controller."""
    levels = [FeatureLevel(name=name, level=at) for name, at in finalized_at(BEFORE).items()]
    with Mixed(tmp_path, kafka_jars, theirs={THEIRS}, brokers=2, settings=SETTINGS) as cluster:
        for node in cluster.nodes.values():
            paths = [str(path) for path in node.log_dirs]
            if node.is_broker:
                paths.append(node.settings["metadata.log.dir"])
            now_ms = time.time_ns() // 1_000_000
            format_blank(OsDisk(), paths, cluster.cluster_id, node.node_id, now_ms, levels)
        cluster.start()
        yield cluster


@pytest.mark.spec("C-01", "K858-19")
def test_transactions_follow_each_other_at_once_in_partitions_of_both(mixed: Mixed) -> None:
    both, topic = [[OURS, THEIRS], [THEIRS, OURS]], "many"
    mixed.create("__transaction_state", both)
    mixed.create(topic, both * (PARTITIONS // 2))
    names = (f"id-{n}" for n in count())
    name = next(n for n in names if both[partition_for(n, len(both))][0] == OURS)
    properties = mixed.folder / "producer.properties"
    properties.write_text(
        f"bootstrap.servers={mixed.bootstrap}\ntransactional.id={name}\nlinger.ms=0\n"
        "partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner\n"
    )
    done = mixed.run_tool(
        PERFORMANCE_TOOL,
        *("--topic", topic, "--num-records", str(RECORDS), "--record-size", "20"),
        *("--command-config", str(properties), "--transaction-duration-ms", "5"),
        *("--throughput", "1000"),
        seconds=120,
    )
    assert done.code == 0, done
    assert "Exception" not in done.stdout + done.stderr, done
    eventually(
        lambda: len(values(mixed.bootstrap, topic)) == RECORDS,
        "the last transaction is committed",
        60,
    )
