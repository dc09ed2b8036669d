"""`kafka-features` beside Apache Kafka 4.3's tool, line by line, on a cluster of each kind.

A change that was made once can be asked for again: ours makes it, Kafka's finds it made, and both
say the same. The tests of a cluster run in order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import ApacheKafka, ToolResult
from tests.support.commands import call_tool, run
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.cli.kafka_features import features

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-04"), pytest.mark.timeout(300)]

FEATURES = "org.apache.kafka.tools.FeatureCommand"
RELEASE = ("--release-version", "4.0")
SETTINGS = {"offsets.topic.replication.factor": "1", "default.replication.factor": "1"}


@pytest.fixture(scope="module")
def apache(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    """A node of Apache Kafka with the features of 4.0."""
    folder = tmp_path_factory.mktemp("apache")
    with ApacheKafka(folder, kafka_jars, directories=1, settings=SETTINGS) as cluster:
        cluster.format_with_kafka(cluster.nodes[1], *RELEASE)
        cluster.start()
        yield cluster


@pytest.fixture(scope="module")
def spindle(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpindleCluster]:
    """A node of Spindle with the same features."""
    folder = tmp_path_factory.mktemp("spindle")
    with SpindleCluster(folder, kafka_jars, directories=1, settings=SETTINGS) as cluster:
        config = str(cluster.nodes[1].config)
        done = run("kafka-storage", "format", "-t", cluster.cluster_id, "-c", config, *RELEASE)
        assert done.code == 0, done
        cluster.start()
        yield cluster


@pytest.fixture(params=["spindle", "apache"])
def cluster(request: pytest.FixtureRequest) -> ApacheKafka:
    """One of each kind."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, ApacheKafka)
    return found


def ours(cluster: ApacheKafka, *words: str) -> ToolResult:
    return call_tool(features, "--bootstrap-server", cluster.bootstrap, *words)


def theirs(cluster: ApacheKafka, *words: str) -> ToolResult:
    return cluster.run_tool(FEATURES, "--bootstrap-server", cluster.bootstrap, *words)


def said(told: ToolResult) -> tuple[int, list[str], str]:
    """All of it but the epoch, which goes up with each record of the metadata."""
    lines = [re.sub(r"Epoch: \d+$", "Epoch: N", line) for line in told.stdout.splitlines()]
    return told.code, lines, told.stderr.strip()


def same(cluster: ApacheKafka, *words: str) -> ToolResult:
    mine, other = ours(cluster, *words), theirs(cluster, *words)
    assert said(mine) == said(other), words
    return mine


def named(*wishes: str) -> tuple[str, ...]:
    return tuple(word for wish in wishes for word in ("--feature", wish))


def finalized(cluster: ApacheKafka) -> dict[str, int]:
    told = json.loads(ours(cluster, "describe", "--json").stdout)
    return {one["feature"]: one["finalizedVersionLevel"] for one in told["features"]}


def test_the_levels_are_described_alike(cluster: ApacheKafka) -> None:
    told = same(cluster, "describe")
    assert "FinalizedVersionLevel: 4.0-IV3" in told.stdout
    same(cluster, "describe", "--node-id", "1")
    controllers = ("--bootstrap-controller", cluster.controllers)
    for line in (("describe",), ("describe", "--node-id", "1")):
        mine = call_tool(features, *controllers, *line)
        assert said(mine) == said(cluster.run_tool(FEATURES, *controllers, *line))
        assert mine.code == 0, mine


def test_a_node_that_is_not_there_has_no_features(cluster: ApacheKafka) -> None:
    told = ours(cluster, "describe", "--node-id", "77")
    assert (told.code, told.stdout) == (1, "")
    assert "there is no broker 77" in told.stderr


CHECKED = [
    ("upgrade", *named("group.version=1")),
    ("upgrade", "--metadata", "4.0", "--dry-run"),
    ("upgrade", *named("metadata.version=26", "share.version=1"), "--dry-run"),
    ("upgrade", *named("metadata.version=22")),
    ("upgrade", *named("group.version=9")),
    ("upgrade", *named("nonsense=1")),
    ("upgrade", *named("nonsense=1", "group.version=1"), "--dry-run"),
    ("upgrade", *named("eligible.leader.replicas.version=1"), "--dry-run"),
    ("downgrade", *named("group.version=0"), "--dry-run"),
    ("downgrade", *named("group.version=2")),
    ("downgrade", *named("metadata.version=24"), "--dry-run"),
    ("downgrade", *named("metadata.version=22")),
    ("downgrade", *named("metadata.version=22"), "--unsafe"),
    ("downgrade", "--metadata", "3.9", "--unsafe", "--dry-run"),
    ("downgrade", *named("metadata.version=1")),
    ("downgrade", "--release-version", "4.0", "--dry-run"),
    ("downgrade", "--release-version", "3.9"),
    ("disable", *named("group.version"), "--dry-run"),
    ("disable", *named("nonsense")),
    ("disable", *named("metadata.version")),
    ("disable", *named("group.version", "transaction.version"), "--unsafe", "--dry-run"),
]
"""What changes nothing."""


@pytest.mark.parametrize("words", CHECKED, ids=" ".join)
def test_what_can_be_changed_is_said_alike(cluster: ApacheKafka, words: tuple[str, ...]) -> None:
    before = finalized(cluster)
    same(cluster, *words)
    assert finalized(cluster) == before


CHANGES = [
    (("upgrade", *named("share.version=1")), {"share.version": 1}),
    (("disable", *named("share.version")), {"share.version": 0}),
    (("upgrade", "--metadata", "4.1"), {"metadata.version": 27}),
    (("downgrade", *named("metadata.version=26")), {"metadata.version": 26}),
    (("upgrade", *named("kraft.version=1")), {"kraft.version": 1}),
    (("downgrade", *named("group.version=0", "metadata.version=25")), {"group.version": 0}),
]


@pytest.mark.parametrize(("words", "levels"), CHANGES, ids=lambda v: str(v))
def test_what_is_changed_is_said_alike(
    cluster: ApacheKafka, words: tuple[str, ...], levels: dict[str, int]
) -> None:
    if "kraft.version=1" in words:  # The leader must have heard of its voters.
        eventually(lambda: ours(cluster, *words, "--dry-run").code == 0, "the quorum is known")
    told = same(cluster, *words)
    assert told.code == 0, told
    eventually(lambda: levels.items() <= finalized(cluster).items(), f"{levels}")


def test_controllers_are_asked_themselves(cluster: ApacheKafka) -> None:
    line = ("--bootstrap-controller", cluster.controllers, "upgrade", *named("group.version=1"))
    mine = call_tool(features, *line)
    assert said(mine) == said(cluster.run_tool(FEATURES, *line))
    assert said(mine) == (0, ["group.version was upgraded to 1."], "")


RAISED = ("upgrade", "--release-version", "4.3")
LOWERED = ("downgrade", "--release-version", "4.2")


def test_a_release_is_reached_alike(apache: ApacheKafka) -> None:
    same(apache, *RAISED, "--dry-run")
    assert same(apache, *RAISED).code == 0
    eventually(lambda: finalized(apache)["streams.version"] == 1, "the cluster is at 4.3")
    same(apache, *LOWERED, "--dry-run")
    same(apache, *LOWERED)
    same(apache, "downgrade", "--release-version", "4.1", "--dry-run")


def test_our_cluster_reaches_a_release_without_what_it_does_not_serve(
    spindle: SpindleCluster,
) -> None:
    refused = theirs(spindle, *RAISED, "--dry-run")
    assert refused.code == 1, refused
    assert "feature streams.version. Local controller 1 does not support" in refused.stdout
    done = ours(spindle, *RAISED)
    assert (done.code, done.stderr) == (
        0, "streams.version is left out: this cluster does not support level 1\n"
    )  # fmt: skip
    assert "metadata.version was upgraded to 30." in done.lines()
    eventually(lambda: finalized(spindle)["metadata.version"] == 30, "the cluster is at 4.3")
    assert finalized(spindle)["eligible.leader.replicas.version"] == 1
    same(spindle, "downgrade", "--release-version", "4.1", "--dry-run")
    same(spindle, "describe")
