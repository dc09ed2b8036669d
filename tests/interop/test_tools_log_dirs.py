"""kafka-log-dirs and spindle log-dirs beside Apache Kafka's own tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import LOG_DIRS, ApacheKafka
from tests.support.commands import run

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def topics(cluster: ApacheKafka) -> ApacheKafka:
    """Two topics with something in them."""
    cluster.create_topic("dirs-a", "1:2,2:1,1:2")
    cluster.create_topic("dirs-b", "2")
    cluster.produce("dirs-a", 300)
    return cluster


def normal(line: str) -> Any:
    """The tool's document without the orders that mean nothing."""
    document = json.loads(line)
    for broker in document["brokers"]:
        broker["logDirs"].sort(key=lambda d: d["logDir"])
        for directory in broker["logDirs"]:
            directory["partitions"].sort(key=lambda p: (p["partition"], p["isFuture"]))
    document["brokers"].sort(key=lambda b: b["broker"])
    return document


@pytest.mark.spec("K113-20", "K113-21")
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--topic-list", "dirs-a"],
        ["--topic-list", "dirs-b,no-such-topic", "--broker-list", "2"],
        ["--broker-list", "2,1"],
        ["--broker-list", "2,2"],
    ],
    ids=" ".join,
)
def test_the_same_lines_as_kafkas_own_tool(topics: ApacheKafka, options: list[str]) -> None:
    arguments = ["--bootstrap-server", topics.bootstrap, "--describe", *options]
    kafkas = topics.run_tool(LOG_DIRS, *arguments)
    ours = run("kafka-log-dirs", *arguments)
    assert (ours.code, kafkas.code) == (0, 0), (ours, kafkas)
    assert ours.lines()[:2] == kafkas.lines()[:2]
    assert normal(ours.lines()[2]) == normal(kafkas.lines()[2])
    assert len(ours.lines()) == 3


@pytest.mark.spec("K113-21")
def test_an_unknown_broker_is_reported_as_kafka_does(topics: ApacheKafka) -> None:
    arguments = ["--bootstrap-server", topics.bootstrap, "--describe", "--broker-list", "2,9"]
    kafkas = topics.run_tool(LOG_DIRS, *arguments)
    ours = run("kafka-log-dirs", *arguments)
    assert ours.code == kafkas.code == 1
    assert ours.stderr.strip() == kafkas.stderr.strip()


@pytest.mark.spec("K113-21")
def test_the_table_shows_every_directory_with_its_space(topics: ApacheKafka) -> None:
    done = run("spindle", "log-dirs", "-b", topics.bootstrap)
    assert done.code == 0, done
    for path in (*topics.log_dirs(1), *topics.log_dirs(2)):
        (row,) = (line for line in done.lines() if path in line)
        assert "online" in row
        assert "iB" in row


@pytest.mark.spec("K113-21")
def test_one_directory_alone_as_json(topics: ApacheKafka) -> None:
    path = topics.log_dirs(1)[0]
    done = run("spindle", "log-dirs", "-b", topics.bootstrap, "--json", "--log-dirs", path)
    assert done.code == 0, done
    document = json.loads(done.stdout)
    found = [d for broker in document["brokers"] for d in broker["logDirs"]]
    assert [d["logDir"] for d in found] == [path]
    assert 0 < found[0]["usableBytes"] <= found[0]["totalBytes"]
    assert document["version"] == 1
    assert document["silentBrokers"] == {}


@pytest.mark.spec("K113-20", "K113-21")
def test_a_dead_directory_and_a_dead_broker(kafka_jars: Path, tmp_path: Path) -> None:
    with ApacheKafka(tmp_path, kafka_jars, brokers=2) as kafka:
        kafka.format()
        dead = kafka.nodes[2].log_dirs[1]
        for file in dead.iterdir():
            file.unlink()
        dead.rmdir()
        dead.write_text("a file where a directory should be")
        for node_id in kafka.nodes:
            kafka.start_node(node_id, wait=False)
        kafka.wait_until_serving()
        kafka.create_topic("t", "1:2,2:1")
        arguments = ["--bootstrap-server", kafka.bootstrap, "--describe"]
        kafkas = kafka.run_tool(LOG_DIRS, *arguments)
        ours = run("kafka-log-dirs", *arguments)
        assert normal(ours.lines()[2]) == normal(kafkas.lines()[2])
        assert "org.apache.kafka.common.errors.KafkaStorageException" in ours.stdout
        table = run("spindle", "log-dirs", "-b", kafka.bootstrap)
        (row,) = (line for line in table.lines() if str(dead) in line)
        assert "offline (KAFKA_STORAGE_ERROR)" in row

        kafka.stop_node(2, kill=True)
        done = run("spindle", "log-dirs", "-b", kafka.bootstrap, "--request-timeout", "2")
        assert done.code in (1, 6), done
        assert str(kafka.nodes[1].log_dirs[0]) in done.stdout
        # The controller may still have believed in it.
        assert "broker 2 was left out: " in done.stderr
