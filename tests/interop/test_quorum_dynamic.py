"""A quorum whose voters are in its log (KIP-853), with nodes and tools of Apache Kafka 4.3.

One begins with a Spindle controller alone, in a directory that Apache Kafka formatted; one with
Apache Kafka's controller, in a directory that Spindle formatted. Others join, the leader leaves.
The tests of a cluster run in order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import DUMP_LOG, METADATA_QUORUM
from tests.support.commands import call_tool
from tests.support.dynamic import FIRST, Dynamic
from tests.support.ports import free_port
from tests.support.quorum import led, quorum_of
from tests.support.waiting import eventually

from spindle.cli.kafka_metadata_quorum import metadata_quorum

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-05"), pytest.mark.timeout(300)]

FEATURES = "org.apache.kafka.tools.FeatureCommand"
THEIR_BROKER = 1
OURS, THEIRS = 101, 102
SETTINGS = {
    "offsets.topic.replication.factor": "1",
    "default.replication.factor": "1",
    "metadata.log.max.record.bytes.between.snapshots": "4000",
    "controller.quorum.fetch.timeout.ms": "6000",
}
"""With more patience than by default: a node that starts beside others changes no leader."""


@pytest.fixture(scope="module")
def ours(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dynamic]:
    """A Spindle controller that begins alone, one more, one of Kafka's, and Kafka's broker."""
    folder = tmp_path_factory.mktemp("dynamic")
    theirs = {THEIR_BROKER, THEIRS}
    with Dynamic(folder, kafka_jars, theirs=theirs, controllers=3, settings=SETTINGS) as cluster:
        cluster.format()
        for node in (FIRST, THEIR_BROKER):
            cluster.start_node(node, wait=False)
        cluster.wait_until_serving()
        yield cluster


def test_a_controller_begins_alone(ours: Dynamic) -> None:
    assert led(ours).voters.keys() == {FIRST}
    told = ours.run_tool(FEATURES, "--bootstrap-server", ours.bootstrap, "describe")
    line = next(line for line in told.lines() if "kraft.version" in line)
    assert "FinalizedVersionLevel: 1" in line, line
    ours.create_topic("first", "1")


def test_a_second_controller_joins(ours: Dynamic) -> None:
    ours.start_node(OURS, wait=False)
    ours.observes(OURS)
    done = ours.add(OURS)
    assert done.code == 0, done
    ours.voters_are(FIRST, OURS)
    again = ours.add(OURS)
    assert again.code == 1
    assert "DuplicateVoterException" in again.stderr, again


def test_a_controller_of_kafkas_joins(ours: Dynamic) -> None:
    ours.start_node(THEIRS, wait=False)
    ours.observes(THEIRS)

    def is_added() -> bool:
        done = ours.add_with_ours(THEIRS, *ours.by_brokers)
        if "Aborted add voter" in done.stderr:
            return False  # On a busy machine Java takes its time to catch up.
        assert (done.code, done.stderr) == (0, ""), done
        return True

    eventually(is_added, "Apache Kafka's controller is a voter", 90)
    ours.voters_are(FIRST, OURS, THEIRS)
    again = ours.add_with_ours(THEIRS, *ours.by_controllers)
    assert again.code == 1
    assert "DuplicateVoterException: The voter id" in again.stderr
    assert "remove-controller" in again.stderr


def test_both_tools_describe_the_quorum_with_the_same_words(ours: Dynamic) -> None:
    the_tools_agree(ours, ours.by_brokers)
    the_tools_agree(ours, ours.by_controllers)
    told = call_tool(metadata_quorum, *ours.by_brokers, "describe", "--status", "--json")
    found = json.loads(told.stdout)
    assert {r["id"]: r["status"] for r in found["replicas"]}.keys() >= {FIRST, OURS, THEIRS}
    assert found["leaderId"] == led(ours).leader


def the_tools_agree(cluster: Dynamic, at: tuple[str, str]) -> None:
    """Of a quorum that grows meanwhile: all but offsets and times."""
    for words in (("--status",), ("--replication",), ("--replication", "--human-readable")):
        lines = []
        for told in (
            cluster.run_tool(METADATA_QUORUM, *at, "describe", *words),
            call_tool(metadata_quorum, *at, "describe", *words),
        ):
            assert told.code == 0, told
            lines.append([timeless(line) for line in told.stdout.splitlines()])
        assert sorted(lines[0]) == sorted(lines[1]), at


def timeless(line: str) -> str:
    """Without offsets, times and the width of columns; members in order."""
    name, colon, value = line.partition(": ")
    if colon and value.strip().startswith("["):
        return f"{name}: {sorted(value.strip(' []').split('}, {'))}"
    words = line.split("\t")
    if len(words) > 1:
        kept = words if words[0].startswith("NodeId") else [words[0], words[1], *words[6:]]
        return "|".join(word.strip() for word in kept)
    return re.sub(r"(Offset|Watermark|Lag|TimeMs): +-?\d+", r"\1", line)


def test_a_leader_that_is_removed_leaves(ours: Dynamic) -> None:
    before = led(ours)
    assert before.leader == FIRST
    done = ours.remove(FIRST)
    assert done.code == 0, done
    after = led(ours, not_by=FIRST, after=before.epoch)
    assert after.voters.keys() == {OURS, THEIRS}
    ours.observes(FIRST)
    ours.create_topic("second", "1")


def test_each_of_the_two_that_are_left_can_lead(ours: Dynamic) -> None:
    for _ in range(2):
        before = led(ours)
        ours.stop_node(before.leader)
        ours.start_node(before.leader, wait=False)
        led(ours, after=before.epoch)
        ours.voters_are(OURS, THEIRS)
    ours.create_topic("third", "1")


def test_one_is_left_by_removing_kafkas(ours: Dynamic) -> None:
    eventually(lambda: ours.remove(THEIRS).code == 0, "it is removed", 60)
    ours.voters_are(OURS)
    last = ours.remove(OURS)
    assert last.code == 1
    assert "VoterNotFoundException" in last.stderr, last
    ours.create_topic("fourth", "1")
    view = quorum_of(ours)
    assert view is not None
    assert view.leader == OURS


@pytest.fixture(scope="module")
def kafkas(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dynamic]:
    """Kafka's controller begins alone; two Spindle controllers, of which 101 joins by itself."""
    folder = tmp_path_factory.mktemp("kafkas")
    with Dynamic(folder, kafka_jars, theirs={FIRST}, controllers=3, settings=SETTINGS) as cluster:
        joins = cluster.nodes[OURS]
        joins.settings["controller.quorum.auto.join.enable"] = "true"
        cluster.write_config(joins)
        cluster.format()
        for node in (FIRST, THEIR_BROKER):
            cluster.start_node(node, wait=False)
        cluster.wait_until_serving()
        yield cluster


def test_apache_kafka_reads_what_spindles_format_wrote(kafkas: Dynamic) -> None:
    folder = kafkas.nodes[FIRST].log_dirs[0] / "__cluster_metadata-0"
    first = folder / "00000000000000000000-0000000000.checkpoint"
    dump = kafkas.run_tool(DUMP_LOG, "--cluster-metadata-decoder", "--files", str(first))
    assert "KRaftVersion" in dump.stdout, dump
    assert kafkas.directory_id(FIRST) in dump.stdout
    assert led(kafkas).leader == FIRST
    kafkas.create_topic("first", "1")


def test_a_controller_joins_apache_kafkas_quorum_by_itself(kafkas: Dynamic) -> None:
    kafkas.start_node(OURS, wait=False)
    kafkas.voters_are(FIRST, OURS)


def test_a_controller_is_added_to_apache_kafkas_quorum(kafkas: Dynamic) -> None:
    kafkas.start_node(THEIRS, wait=False)
    kafkas.observes(THEIRS)
    done = kafkas.add_with_ours(THEIRS, *kafkas.by_controllers)
    assert done.code == 0, done
    kafkas.voters_are(FIRST, OURS, THEIRS)


def test_apache_kafkas_leader_is_removed_from_a_quorum_that_it_began(kafkas: Dynamic) -> None:
    before = led(kafkas)
    assert before.leader == FIRST
    the_tools_agree(kafkas, kafkas.by_controllers)
    done = kafkas.remove_with_ours(FIRST, *kafkas.by_brokers)
    assert done.code == 0, done
    after = led(kafkas, not_by=FIRST, after=before.epoch)
    assert after.voters.keys() == {OURS, THEIRS}
    kafkas.create_topic("second", "1")


def test_a_controller_that_moves_is_found_at_its_new_address(kafkas: Dynamic) -> None:
    node = kafkas.nodes[THEIRS]
    kafkas.stop_node(THEIRS)
    node.controller_port = free_port()
    kafkas.write_config(node)
    kafkas.start_node(THEIRS, wait=False)
    kafkas.voters_are(OURS, THEIRS)
