"""kafka-storage: what we format Apache Kafka accepts, and the other way round."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.support.apache_kafka import DUMP_LOG, STORAGE, ApacheKafka, run_tool
from tests.support.commands import run
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spec("K858-01")]
NOT_SERVED = ("streams.version",)
FEATURE = re.compile(
    r"ApiMessageAndVersion\(FeatureLevelRecord\(name='([^']*)', featureLevel=\d+\) at version 0\)"
)

CLUSTER = "U3BpbmRsZVRlc3RzMDAwMQ"
OTHER = "U3BpbmRsZVRlc3RzMDAwMg"


@pytest.fixture
def planned(kafka_jars: Path, tmp_path: Path) -> ApacheKafka:
    """A node's properties and folders, not formatted and not started."""
    return ApacheKafka(tmp_path, kafka_jars, brokers=1, directories=3)


def properties(kafka: ApacheKafka) -> str:
    return str(kafka.nodes[1].config)


def meta(directory: Path) -> dict[str, str]:
    lines = (directory / "meta.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_apache_kafka_starts_in_directories_that_we_formatted(planned: ApacheKafka) -> None:
    done = run("kafka-storage", "format", "-t", CLUSTER, "-c", properties(planned))
    assert done.code == 0, done
    directories = planned.nodes[1].log_dirs
    assert f"Formatting metadata directory {directories[0]} with metadata.version 4.3-IV0." in (
        done.lines()
    )
    assert f"Formatting data directory {directories[1]} with metadata.version 4.3-IV0." in (
        done.lines()
    )
    ids = {meta(d)["directory.id"] for d in directories}
    assert len(ids) == 3
    kafkas = planned.run_tool(STORAGE, "info", "-c", properties(planned))
    ours = run("kafka-storage", "info", "-c", properties(planned))
    assert ours.stdout == kafkas.stdout
    assert ours.code == kafkas.code == 0
    with planned as kafka:
        kafka.start()
        kafka.create_topic("t", "1,1,1")
        assert {meta(d)["directory.id"] for d in directories} == ids
        eventually(
            lambda: all(list(d.glob("t-*")) for d in directories), "each directory has a replica"
        )
        features = kafka.run_tool(
            "org.apache.kafka.tools.FeatureCommand",
            "--bootstrap-server", kafka.bootstrap, "describe",
        )  # fmt: skip
        assert "FinalizedVersionLevel: 4.3-IV0" in features.stdout


def test_our_node_starts_in_directories_that_apache_kafka_formatted(
    kafka_jars: Path, tmp_path: Path
) -> None:
    with SpindleCluster(tmp_path, kafka_jars, brokers=1, directories=2) as spindle:
        ApacheKafka.format(spindle)
        ids = {meta(d)["directory.id"] for d in spindle.nodes[1].log_dirs}
        spindle.start()
        spindle.create_topic("t", "1,1")
        spindle.produce("t", 10)
        assert {meta(d)["directory.id"] for d in spindle.nodes[1].log_dirs} == ids


def without_what_is_not_served(line: str) -> str:
    """A line of `kafka-storage format` without the features that we do not finalize."""
    kept = [m[0] for m in FEATURE.finditer(line) if m[1] not in NOT_SERVED]
    head, _, tail = line.partition("records=[")
    return f"{head}records=[{', '.join(kept)}]{tail.partition(']')[2]}" if tail else line


@pytest.mark.spec("N-04")
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--release-version", "4.3"),
        ("--release-version", "4.2"),
        ("--release-version", "4.1-IV0"),
        ("--release-version", "4.0"),
        ("--release-version", "4.0-IV1"),
        ("--release-version", "3.7-IV4"),
        ("--release-version", "9.9"),
        ("--feature", "eligible.leader.replicas.version=0"),
        ("--feature", "transaction.version=1", "--release-version", "3.9"),
        ("--feature", "metadata.version=21"),
        ("--feature", "metadata.version=21", "--release-version", "4.0"),
    ],
    ids=" ".join,
)
def test_a_new_cluster_has_the_features_that_kafkas_format_gives_it(
    planned: ApacheKafka, options: tuple[str, ...]
) -> None:
    theirs = planned.run_tool(STORAGE, "format", "-t", CLUSTER, "-c", properties(planned), *options)
    for directory in planned.nodes[1].log_dirs:
        shutil.rmtree(directory, ignore_errors=True)
    ours = run("kafka-storage", "format", "-t", CLUSTER, "-c", properties(planned), *options)
    assert ours.code == theirs.code
    expected = sorted(map(without_what_is_not_served, theirs.lines()))
    assert sorted(ours.lines()) == expected
    if theirs.code:
        assert ours.stderr.partition(" Supported")[0].strip() == (
            theirs.stderr.partition(" Supported")[0].strip()
        )


@pytest.mark.spec("N-04")
def test_a_cluster_formatted_for_an_older_release_serves_at_its_level(
    kafka_jars: Path, tmp_path: Path
) -> None:
    with SpindleCluster(tmp_path, kafka_jars, brokers=1, directories=2) as spindle:
        config = str(spindle.nodes[1].config)
        done = run(
            "kafka-storage", "format", "-t", CLUSTER, "-c", config, "--release-version", "3.5"
        )
        assert done.code == 0, done
        spindle.start()
        spindle.create_topic("t", "1,1")
        spindle.produce("t", 10)
        features = spindle.run_tool(
            "org.apache.kafka.tools.FeatureCommand",
            "--bootstrap-server", spindle.bootstrap, "describe",
        )  # fmt: skip
        assert "FinalizedVersionLevel: 3.5-IV2" in features.stdout


def test_kafkas_own_tool_reads_our_bootstrap_records(
    planned: ApacheKafka, kafka_jars: Path, tmp_path: Path
) -> None:
    assert run("kafka-storage", "format", "-t", CLUSTER, "-c", properties(planned)).code == 0
    copy = tmp_path / "00000000000000000009-0000000000.checkpoint"
    shutil.copy(planned.nodes[1].log_dirs[0] / "bootstrap.checkpoint", copy)
    dumped = run_tool(kafka_jars, DUMP_LOG, "--cluster-metadata-decoder", "--files", str(copy))
    assert dumped.code == 0, dumped
    assert '"name":"metadata.version","featureLevel":30' in dumped.stdout
    assert "SnapshotHeader" in dumped.stdout
    assert "SnapshotFooter" in dumped.stdout


def test_we_take_directories_of_apache_kafka_and_add_what_is_missing(
    planned: ApacheKafka,
) -> None:
    planned.format()
    first, second, third = planned.nodes[1].log_dirs
    before = meta(first)
    again = run("kafka-storage", "format", "-g", "-t", CLUSTER, "-c", properties(planned))
    assert again.code == 0, again
    assert again.lines() == ["All of the log directories are already formatted."]
    shutil.rmtree(third)
    added = run("kafka-storage", "format", "-g", "-t", CLUSTER, "-c", properties(planned))
    assert added.code == 0, added
    assert f"Formatting data directory {third} with metadata.version 4.3-IV0." in added.lines()
    assert meta(first) == before
    assert meta(third)["directory.id"] not in (
        before["directory.id"],
        meta(second)["directory.id"],
    )
    with planned as kafka:
        kafka.start()


def test_what_is_formatted_already_is_refused_in_kafkas_words(planned: ApacheKafka) -> None:
    planned.format()
    ours = run("kafka-storage", "format", "-t", CLUSTER, "-c", properties(planned))
    kafkas = planned.run_tool(STORAGE, "format", "-t", CLUSTER, "-c", properties(planned))
    assert ours.code == kafkas.code == 1
    directories = [str(d) for d in planned.nodes[1].log_dirs]

    def blind(text: str) -> str:
        for directory in directories:
            text = text.replace(directory, "DIR")
        return text.strip()

    assert blind(ours.stderr) == blind(kafkas.stderr)


def test_another_cluster_or_node_is_refused_before_anything_is_written(
    planned: ApacheKafka,
) -> None:
    planned.format()
    first, _, third = planned.nodes[1].log_dirs
    shutil.rmtree(third)
    other = run("kafka-storage", "format", "-g", "-t", OTHER, "-c", properties(planned))
    assert other.code == 1
    assert f"Invalid cluster.id in: {first}/meta.properties." in other.stderr
    assert f"Expected {OTHER}, but read {CLUSTER}" in other.stderr
    assert not third.exists()
    node = planned.nodes[1]
    node.node_id = 7
    planned.write_config(node)
    moved = run("kafka-storage", "format", "-g", "-t", CLUSTER, "-c", properties(planned))
    assert moved.code == 1
    assert "Invalid node.id" in moved.stderr
    assert not third.exists()


@pytest.mark.parametrize("damage", ["missing", "a file", "blank", "other cluster", "other node"])
def test_info_tells_what_is_wrong_as_kafka_tells_it(planned: ApacheKafka, damage: str) -> None:
    planned.format()
    directory = planned.nodes[1].log_dirs[2]
    own = directory / "meta.properties"
    if damage == "other cluster":
        own.write_text(own.read_text().replace(CLUSTER, OTHER))
    elif damage == "other node":
        own.write_text(own.read_text().replace("node.id=1", "node.id=2"))
    else:
        shutil.rmtree(directory)
        if damage == "a file":
            directory.write_text("")
        if damage == "blank":
            directory.mkdir()
    ours = run("kafka-storage", "info", "-c", properties(planned))
    kafkas = planned.run_tool(STORAGE, "info", "-c", properties(planned))
    assert ours.stdout == kafkas.stdout
    assert ours.code == kafkas.code == 1
