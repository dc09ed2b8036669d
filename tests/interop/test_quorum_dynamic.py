"""A quorum whose voters are in its log (KIP-853), with nodes and tools of Apache Kafka 4.3.

One begins with a Spindle controller alone, in a directory that Apache Kafka formatted; one with
Apache Kafka's controller, in a directory that Spindle formatted. Others join, the leader leaves.
The tests of a cluster run in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import DUMP_LOG
from tests.support.dynamic import FIRST, Dynamic
from tests.support.ports import free_port
from tests.support.quorum import led, quorum_of
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-05"), pytest.mark.timeout(300)]

FEATURES = "org.apache.kafka.tools.FeatureCommand"
THEIR_BROKER = 1
OURS, THEIRS = 101, 102
SETTINGS = {
    "offsets.topic.replication.factor": "1",
    "default.replication.factor": "1",
    "metadata.log.max.record.bytes.between.snapshots": "4000",
}


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
    done = ours.add(THEIRS)
    assert done.code == 0, done
    ours.voters_are(FIRST, OURS, THEIRS)


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
    done = kafkas.add(THEIRS)
    assert done.code == 0, done
    kafkas.voters_are(FIRST, OURS, THEIRS)


def test_apache_kafkas_leader_is_removed_from_a_quorum_that_it_began(kafkas: Dynamic) -> None:
    before = led(kafkas)
    assert before.leader == FIRST
    done = kafkas.remove(FIRST)
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
