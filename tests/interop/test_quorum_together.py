"""Controllers of Spindle and of Apache Kafka 4.3 begin a quorum together, and move (KIP-853).

100 is ours, 101 and 102 are Apache Kafka's; a broker of each kind. The tests share a cluster and
run in order. Where a voter moves, only its own properties change: others read it in the log.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import METADATA_QUORUM
from tests.support.commands import call_tool
from tests.support.quorum import led
from tests.support.together import VOTERS, Together
from tests.support.waiting import eventually

from spindle.cli.kafka_metadata_quorum import metadata_quorum
from spindle.client.admin import AdminClient

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-05"), pytest.mark.timeout(400)]

THEIR_BROKER = 1
OURS, THEIRS, ASKED = VOTERS


@pytest.fixture(scope="module")
def cluster(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    """A Spindle controller, two of Apache Kafka's, a broker of each."""
    theirs = {THEIR_BROKER, THEIRS, ASKED}
    with Together(tmp_path_factory.mktemp("together"), kafka_jars, theirs=theirs) as cluster:
        cluster.start()
        yield cluster


def test_controllers_of_both_kinds_begin_together(cluster: Together) -> None:
    cluster.voters_are(*VOTERS)
    assert {id: cluster.directory_id(id) for id in VOTERS} == cluster.directories
    told = cluster.run_tool(METADATA_QUORUM, *cluster.by_controllers, "describe", "--status")
    line = next(line for line in told.lines() if line.startswith("CurrentVoters:"))
    voters = json.loads(line.partition(":")[2])
    assert {v["id"]: v["directoryId"] for v in voters} == cluster.directories
    cluster.create_topic("first", "1:2,2:1")


def test_a_leader_of_each_kind_is_killed_and_the_other_kind_takes_over(cluster: Together) -> None:
    for voter in (OURS, THEIRS, OURS):
        cluster.have_lead(voter)
        cluster.create_topic(f"by-{voter}-{led(cluster).epoch}", "1:2,2:1")
    cluster.voters_are(*VOTERS)


def test_a_controller_of_apache_kafkas_that_moves_is_followed(cluster: Together) -> None:
    """Our leader hears of it; then our controller and both brokers follow it."""
    cluster.have_lead(OURS)
    moves_and_leads(cluster, THEIRS)


def test_a_spindle_controller_that_moves_is_followed(cluster: Together) -> None:
    """Apache Kafka's leader hears of it; then its controllers and both brokers follow ours."""
    cluster.have_lead(THEIRS)
    moves_and_leads(cluster, OURS)


def moves_and_leads(cluster: Together, voter: int) -> None:
    """A voter has another port; it leads, and nodes and clients find it by what the log says."""
    port = cluster.move(voter)
    eventually(lambda: port_of(cluster, voter) == port, "the log has the new port", 60, 0.1)
    cluster.have_lead(voter)
    cluster.create_topic(f"java-{port}", "1:2,2:1")
    cluster.create(f"librdkafka-{port}", [[1, 2], [2, 1]])
    unmoved = ("--bootstrap-controller", f"127.0.0.1:{cluster.nodes[ASKED].controller_port}")
    for told in (
        cluster.run_tool(METADATA_QUORUM, *unmoved, "describe", "--status"),
        call_tool(metadata_quorum, *unmoved, "describe", "--status"),
    ):
        assert told.code == 0, told
        assert f"LeaderId:{voter}" in told.stdout.replace(" ", "")
        assert f"127.0.0.1:{port}" in told.stdout.replace("localhost", "127.0.0.1"), told
    cluster.voters_are(*VOTERS)


def port_of(cluster: Together, voter: int) -> int:
    """Where a controller listens, as the leader of the quorum says through a broker."""

    async def ask() -> int:
        async with AdminClient(cluster.bootstrap) as admin:
            found = await admin.describe_metadata_quorum()
            return found.endpoints[voter][0].port

    return asyncio.run(ask())
