"""A static quorum becomes a dynamic one (KIP-853): Apache Kafka's tool asks, either party leads.

Voters of both kinds are in each quorum. The tests of a cluster run in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import ToolResult
from tests.support.commands import call_tool
from tests.support.mixed import Mixed
from tests.support.quorum import led
from tests.support.waiting import eventually

from spindle.cli.kafka_metadata_quorum import metadata_quorum

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-05"), pytest.mark.timeout(300)]

FEATURES = "org.apache.kafka.tools.FeatureCommand"
BROKER, FIRST, SECOND = 1, 100, 101
SETTINGS = {"offsets.topic.replication.factor": "1", "default.replication.factor": "1"}
PATIENCE = {
    "controller.quorum.fetch.timeout.ms": "6000",
    "controller.quorum.election.timeout.ms": "20000",
}
"""Of the voter that is not to lead at first. A follower tells where it is once a fetch time-out."""


def started(folder: Path, jars: Path, theirs: set[int], follower: int) -> Mixed:
    cluster = Mixed(
        folder, jars, theirs=theirs, brokers=1, directories=1, controllers=2, settings=SETTINGS
    )
    patient = cluster.nodes[follower]
    patient.settings.update(PATIENCE)
    cluster.write_config(patient)
    cluster.start()
    return cluster


@pytest.fixture(scope="module")
def ours(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    """A Spindle controller leads, one of Apache Kafka's follows; the broker is Apache Kafka's."""
    folder = tmp_path_factory.mktemp("ours")
    with started(folder, kafka_jars, {BROKER, SECOND}, SECOND) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def kafkas(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    """Apache Kafka's controller leads, a Spindle controller follows; the broker is ours."""
    with started(tmp_path_factory.mktemp("kafkas"), kafka_jars, {FIRST}, SECOND) as cluster:
        yield cluster


def raised(cluster: Mixed, *words: str) -> ToolResult:
    return cluster.run_tool(FEATURES, "--bootstrap-server", cluster.bootstrap, *words)


def directories(cluster: Mixed) -> dict[int, str]:
    """The id of each controller's metadata directory."""
    found = {}
    for node in (FIRST, SECOND):
        text = (cluster.nodes[node].log_dirs[0] / "meta.properties").read_text()
        lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        found[node] = lines["directory.id"]
    return found


def becomes_dynamic(cluster: Mixed) -> None:
    up = ("upgrade", "--feature", "kraft.version=1")
    eventually(lambda: raised(cluster, *up).code == 0, "all voters are known to the leader", 60)

    def line() -> str:
        told = raised(cluster, "describe")
        return next(line for line in told.lines() if "kraft.version" in line)

    # A broker tells it: it hears of it a moment later.
    eventually(lambda: "FinalizedVersionLevel: 1" in line(), f"{line()}: it is level 1", 60)
    at = ("--bootstrap-server", cluster.bootstrap)
    shown = call_tool(metadata_quorum, *at, "describe", "--status")
    voters = next(line for line in shown.lines() if line.startswith("CurrentVoters"))
    for directory in directories(cluster).values():
        assert directory in voters, voters


def only_the_leader_is_left(cluster: Mixed) -> None:
    leader = led(cluster).leader
    other = FIRST + SECOND - leader
    at = ("--bootstrap-server", cluster.bootstrap)
    words = ("remove-controller", "-i", str(other), "-d", directories(cluster)[other])
    done = call_tool(metadata_quorum, *at, *words)
    assert done.code == 0, done
    assert led(cluster).voters.keys() == {leader}
    cluster.create_topic("alone", "1")


def test_our_leader_makes_the_quorum_dynamic(ours: Mixed) -> None:
    assert led(ours).leader == FIRST
    becomes_dynamic(ours)


def test_apache_kafkas_leader_makes_the_quorum_dynamic(kafkas: Mixed) -> None:
    assert led(kafkas).leader == FIRST
    becomes_dynamic(kafkas)


def test_there_is_no_way_back(ours: Mixed, kafkas: Mixed) -> None:
    for cluster in (ours, kafkas):
        down = raised(cluster, "downgrade", "--feature", "kraft.version=0")
        assert down.code == 1, down


def test_the_voters_change_from_then_on(ours: Mixed, kafkas: Mixed) -> None:
    only_the_leader_is_left(ours)
    only_the_leader_is_left(kafkas)
