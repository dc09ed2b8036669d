"""Apache Kafka 4.3's own tools administer a Spindle cluster (moves: `test_kip_113`).

The tests share one cluster of three brokers with two log directories each, and leave it whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import LOG_DIRS, METADATA_QUORUM, run_tool
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local

pytestmark = pytest.mark.kafka

ELECT = "org.apache.kafka.tools.LeaderElectionCommand"
OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
DELETE_RECORDS = "org.apache.kafka.tools.DeleteRecordsCommand"
API_VERSIONS = "org.apache.kafka.tools.BrokerApiVersionsCommand"


@pytest.fixture(scope="module")
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Local]:
    """Three brokers with two directories each."""
    jars: Path = request.getfixturevalue("kafka_jars")
    with Local(tmp_path_factory.mktemp("tools"), jars) as cluster:
        cluster.start()
        yield cluster


@pytest.mark.spec("K113-20", "K113-21")
def test_kafka_log_dirs_says_what_ours_says(cluster: Local) -> None:
    cluster.create("described", [[1, 2], [2, 3]])
    produce(cluster.bootstrap, "described", [b"x"] * 10)
    for number, brokers in enumerate(([1, 2], [2, 3])):
        for broker in brokers:
            cluster.disk_of("described", number, broker)  # Waits for it: no record may go there.
    arguments = ("--describe", "--topic-list", "described", "--broker-list", "1,2,3")
    theirs = cluster.tool(LOG_DIRS, *arguments).lines()
    ours = run("kafka-log-dirs", "--bootstrap-server", cluster.bootstrap, *arguments).lines()
    assert theirs[:2] == ours[:2]
    told = normal(json.loads(theirs[2]))
    assert told == normal(json.loads(ours[2]))
    replicas = [p for b in told for d in b["logDirs"] for p in d["partitions"]]
    assert sorted(p["partition"] for p in replicas) == [
        "described-0", "described-0", "described-1", "described-1",
    ]  # fmt: skip
    assert all(p["offsetLag"] == 0 for p in replicas)
    assert {d["logDir"] for b in told for d in b["logDirs"]} == {
        path for broker in (1, 2, 3) for path in cluster.log_dirs(broker)
    }


def normal(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The brokers of a document of kafka-log-dirs, without the orders that mean nothing."""
    for broker in document["brokers"]:
        broker["logDirs"].sort(key=lambda d: d["logDir"])
        for directory in broker["logDirs"]:
            directory["partitions"].sort(key=lambda p: p["partition"])
    return sorted(document["brokers"], key=lambda b: int(b["broker"]))


def test_the_quorum_is_described(cluster: Local) -> None:
    status = cluster.tool(METADATA_QUORUM, "describe", "--status").stdout
    told = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    assert told["ClusterId"].strip() == cluster.cluster_id
    assert told["LeaderId"].strip() == "100"
    done = run_tool(
        cluster.jars, METADATA_QUORUM, "--bootstrap-controller", cluster.controllers, "describe",
        "--replication",
    )  # fmt: skip
    assert done.code == 0, done
    rows = [line.split() for line in done.lines()]
    state = {row[0]: row[-1] for row in rows if row and row[0].isdigit()}
    assert state == {"100": "Leader", "1": "Observer", "2": "Observer", "3": "Observer"}


def test_leaders_offsets_deleted_records_and_versions(cluster: Local, tmp_path: Path) -> None:
    cluster.create("tended", [[1, 2], [2, 1]])
    for number in (0, 1):
        produce(cluster.bootstrap, "tended", [b"%d" % n for n in range(10)], number)
    cluster.restart(1)
    cluster.become("tended", {0: (2, {1, 2}), 1: (2, {1, 2})})
    cluster.tool(ELECT, "--election-type", "PREFERRED", "--all-topic-partitions")
    cluster.become("tended", {0: (1, {1, 2}), 1: (2, {1, 2})})
    offsets = tmp_path / "offsets.json"
    asked = [{"topic": "tended", "partition": 0, "offset": 4}]
    offsets.write_text(json.dumps({"partitions": asked, "version": 1}))
    cluster.tool(DELETE_RECORDS, "--offset-json-file", str(offsets))
    found = cluster.tool(OFFSETS, "--topic", "tended", "--time", "earliest").lines()
    assert sorted(found) == ["tended:0:4", "tended:1:0"]
    assert values(cluster.bootstrap, "tended")[:6] == [b"%d" % n for n in range(4, 10)]
    versions = cluster.tool(API_VERSIONS).stdout
    assert versions.count("isFenced: false) -> (") == 3
    assert "AlterReplicaLogDirs(34): 1 to 2 [usable: 2]" in versions
