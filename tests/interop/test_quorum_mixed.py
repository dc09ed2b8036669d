"""A quorum of three that Apache Kafka judges: its tools, a broker and a controller of its kind.

Voters 100 to 102 begin as ours, under a broker of each kind. 102 then becomes Apache Kafka's, with
an empty directory; each party leads in turn and each loads the other's snapshot. The tests share a
cluster and run in order, while a client goes on; the last one looks up all that was acknowledged.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import NewTopic
from tests.support.apache_kafka import DUMP_LOG, METADATA_QUORUM
from tests.support.clients import audit
from tests.support.mixed import Mixed
from tests.support.quorum import in_step, led
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad

pytestmark = [pytest.mark.kafka, pytest.mark.spec("B-26"), pytest.mark.timeout(300)]

SHELL = "org.apache.kafka.shell.MetadataShell"
THEIR_BROKER, OUR_BROKER = 1, 2
OURS, THEIRS = (100, 101), 102
VOTERS = (*OURS, THEIRS)
PLACES = [[1, 2], [2, 1]]
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "offsets.topic.replication.factor": "2",
    "default.replication.factor": "2",
    "metadata.log.max.record.bytes.between.snapshots": "2000",
    "metadata.max.idle.interval.ms": "100",
}
TIDY = {"metadata.log.segment.bytes": "2000", "metadata.max.retention.bytes": "5000"}
"""For Spindle nodes: their logs soon begin with a snapshot. Apache Kafka's have larger segments."""


@pytest.fixture(scope="module")
def mixed(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    """Three Spindle controllers, a broker of Kafka's and a Spindle broker."""
    folder = tmp_path_factory.mktemp("mixed")
    with Mixed(
        folder, kafka_jars, theirs={THEIR_BROKER}, controllers=3, settings=SETTINGS
    ) as cluster:
        for voter in VOTERS:
            # The node that becomes Kafka's loses patience first, so that it is the one that stands.
            patience = "2000" if voter == THEIRS else "6000"
            own = {"controller.quorum.fetch.timeout.ms": patience, **TIDY}
            cluster.nodes[voter].settings.update(own)
            cluster.write_config(cluster.nodes[voter])
        cluster.start()
        yield cluster


@pytest.fixture(scope="module")
def load(mixed: Mixed) -> Iterator[DemoLoad]:
    """A producer that goes on through all tests."""
    mixed.create("steady", PLACES)
    load = DemoLoad(mixed.bootstrap, "steady", [1.0, 1.0], 100)
    load.start()
    yield load
    load.finish()


def folder(mixed: Mixed, node: int) -> Path:
    """Where a controller keeps the metadata log."""
    return mixed.nodes[node].log_dirs[0] / "__cluster_metadata-0"


def names(mixed: Mixed, node: int, ending: str) -> list[str]:
    """Files of a controller's metadata log, in order."""
    return sorted(path.name for path in folder(mixed, node).glob(f"*{ending}"))


def taken_aside(source: Path, tmp_path: Path) -> Path:
    """A copy of a metadata log, which may be cleaned meanwhile; the shell locks what it reads."""

    def copy() -> Path | None:
        place = tmp_path / source.name
        shutil.rmtree(place, ignore_errors=True)
        try:
            return Path(shutil.copytree(source, place))
        except (shutil.Error, FileNotFoundError):
            return None

    found = eventually(copy, "it is copied whole", 60)
    assert found is not None
    return found


def come_back_empty(mixed: Mixed, node: int, *, theirs: bool) -> None:
    """A controller that is down comes back on an empty disk, by the program that is given."""
    shutil.rmtree(mixed.nodes[node].log_dirs[0])
    mixed.format()
    if theirs:
        mixed.theirs.add(node)
        for name in TIDY:
            mixed.nodes[node].settings.pop(name, None)
        mixed.write_config(mixed.nodes[node])
    mixed.start_node(node, wait=False)
    in_step(mixed, node)


def go_on(load: DemoLoad) -> None:
    """Some more records are acknowledged."""
    wanted = len(load.acknowledged) + 20
    eventually(lambda: len(load.acknowledged) >= wanted, "records are acknowledged", 60)


def described(mixed: Mixed, by: str, servers: str, what: str) -> dict[str, Any]:
    """What Apache Kafka's tool says of the quorum: the status' fields, or a row for each node."""
    done = mixed.run_tool(METADATA_QUORUM, by, servers, "describe", what)
    assert done.code == 0, done
    if what == "--status":
        pairs = (line.partition(":") for line in done.lines() if line)
        return {name: value.strip() for name, _, value in pairs}
    head, *rows = ([cell.strip() for cell in line.split("\t")] for line in done.lines() if line)
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def test_their_tools_describe_our_quorum(mixed: Mixed, load: DemoLoad) -> None:
    leader = in_step(mixed, *VOTERS, THEIR_BROKER, OUR_BROKER).leader
    for by, servers in (
        ("--bootstrap-controller", mixed.controllers),
        ("--bootstrap-server", mixed.bootstrap),
    ):
        status = described(mixed, by, servers, "--status")
        assert status["LeaderId"] == str(leader)
        assert status["ClusterId"] == mixed.cluster_id
        assert int(status["HighWatermark"]) > 0
        assert 0 <= int(status["MaxFollowerLagTimeMs"]) < 60_000
        voters = json.loads(status["CurrentVoters"])
        assert [voter["id"] for voter in voters] == list(VOTERS)
        assert not any("directoryId" in voter for voter in voters), "no log of this quorum has them"
        port = mixed.nodes[leader].controller_port
        endpoints = next(voter["endpoints"] for voter in voters if voter["id"] == leader)
        assert endpoints == [f"CONTROLLER://127.0.0.1:{port}"]
        assert {o["id"] for o in json.loads(status["CurrentObservers"])} == {1, 2}
    rows = described(mixed, "--bootstrap-server", mixed.bootstrap, "--replication")
    assert set(rows) == {"1", "2", "100", "101", "102"}
    assert rows[str(leader)]["Status"] == "Leader"
    assert rows["1"]["Status"] == rows["2"]["Status"] == "Observer"
    for row in rows.values():
        assert int(row["LogEndOffset"]) > 0
        assert int(row["LastFetchTimestamp"]) > 1_600_000_000_000
        assert int(row["LastCaughtUpTimestamp"]) > 1_600_000_000_000
        unknown = row["DirectoryId"] == "AAAAAAAAAAAAAAAAAAAAAA"
        assert unknown is (row["Status"] != "Observer")


def test_their_tools_read_our_log_and_our_snapshot(
    mixed: Mixed, load: DemoLoad, tmp_path: Path
) -> None:
    leader = led(mixed).leader
    eventually(lambda: len(names(mixed, leader, ".checkpoint")) >= 2, "snapshots are there", 60)
    eventually(lambda: "0" * 20 + ".log" not in names(mixed, leader, ".log"), "it is cleaned", 60)
    # Copied as soon as it is answered: the log is cleaned soon.
    new = NewTopic("in-the-log", num_partitions=1, replica_assignment=[[1]])
    mixed.admin.create_topics([new])["in-the-log"].result(20)
    copied = taken_aside(folder(mixed, leader), tmp_path)
    checkpoint = sorted(copied.glob("*.checkpoint"))[-1]
    logs = ",".join(map(str, sorted(copied.glob("*.log"))))
    dumped = {}
    for what in (str(checkpoint), logs):
        done = mixed.run_tool(DUMP_LOG, "--cluster-metadata-decoder", "--files", what)
        assert done.code == 0, done
        assert "Found" not in done.stdout, done.stdout
        dumped[what] = done.stdout
    assert "SnapshotHeader" in dumped[str(checkpoint)]
    assert "SnapshotFooter" in dumped[str(checkpoint)]
    assert '"name":"steady"' in dumped[str(checkpoint)]
    assert '"name":"in-the-log"' in dumped[logs]
    snapshot = str(checkpoint)

    def shown() -> bool:
        done = mixed.run_tool(SHELL, "-s", snapshot, "ls", "/image/topics/byName")
        assert done.code == 0, done
        return "steady" in done.stdout.split()

    # On a slow machine the shell answers before it has read all of the file.
    eventually(shown, "the shell shows the topic", 60)


def test_a_controller_of_kafka_begins_with_our_snapshot(mixed: Mixed, load: DemoLoad) -> None:
    mixed.stop_node(THEIRS)
    led(mixed, not_by=THEIRS)
    come_back_empty(mixed, THEIRS, theirs=True)

    def begins() -> bool:
        snapshots, logs = names(mixed, THEIRS, ".checkpoint"), names(mixed, THEIRS, ".log")
        first = snapshots[0][:20] if snapshots else "0"
        return int(first) > 0 and f"{first}.log" in logs

    eventually(begins, "its log begins where a snapshot ends", 60)
    # A broker of Kafka's that has lost its metadata does the same.
    mixed.stop_node(THEIR_BROKER)
    shutil.rmtree(mixed.nodes[THEIR_BROKER].settings["metadata.log.dir"])
    mixed.format()
    mixed.start_node(THEIR_BROKER, wait=False)
    mixed.wait_until_serving()
    in_step(mixed, THEIR_BROKER)
    go_on(load)


def test_our_controller_leads_by_the_vote_of_kafkas(mixed: Mixed, load: DemoLoad) -> None:
    if led(mixed).leader == THEIRS:
        mixed.stop_node(THEIRS, kill=True)
        led(mixed, not_by=THEIRS)
        mixed.start_node(THEIRS, wait=False)
        in_step(mixed, THEIRS)
    leader = led(mixed).leader
    (other,) = set(OURS) - {leader}
    mixed.stop_node(other, kill=True)
    mixed.create("by-ours-and-theirs", PLACES)
    in_step(mixed, THEIRS)
    mixed.start_node(other, wait=False)
    in_step(mixed, other)
    go_on(load)


def test_theirs_leads_ours(mixed: Mixed, load: DemoLoad) -> None:
    before = led(mixed)
    # Spindle's misses something, so that it cannot win against Kafka's, however soon it asks.
    mixed.stop_node(OURS[0], kill=True)
    led(mixed, not_by=OURS[0])
    mixed.create("missed", PLACES)
    in_step(mixed, THEIRS)
    mixed.stop_node(OURS[1], kill=True)
    mixed.start_node(OURS[0], wait=False)
    view = led(mixed, by=THEIRS, after=before.epoch)
    mixed.create("by-theirs", PLACES)
    in_step(mixed, OURS[0], OUR_BROKER, THEIR_BROKER)
    rows = described(mixed, "--bootstrap-server", mixed.bootstrap, "--replication")
    assert rows[str(OURS[0])]["Status"] == "Follower"
    eventually(
        lambda: any(int(n[21:31]) >= view.epoch for n in names(mixed, THEIRS, ".checkpoint")),
        "they have written a snapshot in their own epoch",
        60,
    )
    come_back_empty(mixed, OURS[1], theirs=False)
    first = names(mixed, OURS[1], ".checkpoint")[0]
    assert first in names(mixed, THEIRS, ".checkpoint")
    go_on(load)


def test_ours_takes_over_and_nothing_is_lost(mixed: Mixed, load: DemoLoad) -> None:
    before = led(mixed)
    assert before.leader == THEIRS
    mixed.stop_node(THEIRS)
    led(mixed, not_by=THEIRS, after=before.epoch)
    mixed.create("by-ours-again", PLACES)
    mixed.start_node(THEIRS, wait=False)
    in_step(mixed, *VOTERS, THEIR_BROKER, OUR_BROKER)
    go_on(load)
    load.finish()
    assert audit(load, mixed.bootstrap, "steady") == load.sent
    topics = set(mixed.admin.list_topics(timeout=20).topics)
    assert {"in-the-log", "by-ours-and-theirs", "by-theirs", "by-ours-again"} <= topics
