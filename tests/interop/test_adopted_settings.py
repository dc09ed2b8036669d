"""A node that takes over Apache Kafka's own `server.properties`, and what its operator reads."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.apache_kafka import CONFIGS, ApacheNode
from tests.support.clients import flushed, values
from tests.support.processes import tied
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.model.settings.setting import Status
from spindle.model.settings.table import NODE_SETTINGS

DAY_MS = 24 * 3600 * 1000
DISTRIBUTED = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.voters": "1@localhost:{controller}",
    "listeners": "PLAINTEXT://:{broker},CONTROLLER://:{controller}",
    "inter.broker.listener.name": "PLAINTEXT",
    "advertised.listeners": "PLAINTEXT://localhost:{broker},CONTROLLER://localhost:{controller}",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": (
        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,"
        "SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"
    ),
    "num.network.threads": "3",
    "num.io.threads": "8",
    "socket.send.buffer.bytes": "102400",
    "socket.receive.buffer.bytes": "102400",
    "socket.request.max.bytes": "104857600",
    "num.partitions": "1",
    "num.recovery.threads.per.data.dir": "2",
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "log.retention.hours": "168",
    "log.segment.bytes": "1073741824",
    "log.retention.check.interval.ms": "300000",
}
"""The names, and the values, of the file that Apache Kafka 4.3 is distributed with; the quorum is
named by its voters."""


class Adopted(SpindleCluster):
    """A Spindle node with exactly the settings of a file."""

    def __init__(self, folder: Path, jars: Path, change: Mapping[str, str]) -> None:
        self._change = dict(change)
        super().__init__(folder, jars, brokers=1, directories=1)

    def write_config(self, node: ApacheNode) -> None:
        """The distributed file, with this test's ports, directory and changes."""
        texts = {**DISTRIBUTED, "log.dirs": str(node.log_dirs[0]), **self._change}
        ports = {"broker": node.port, "controller": node.controller_port}
        lines = (f"{name}={text.format(**ports)}\n" for name, text in texts.items())
        node.config.write_text("".join(lines))

    @property
    def printed(self) -> str:
        """What the node has printed."""
        return self.nodes[1].log.read_text()


@pytest.mark.spec("N-01")
def test_the_distributed_file_starts_and_only_names_without_effect_are_reported(
    kafka_jars: Path, tmp_path: Path
) -> None:
    with Adopted(tmp_path / "c", kafka_jars, {}) as cluster:
        cluster.start()
        warned = [line for line in cluster.printed.splitlines() if "no effect here" in line]
    named = {name for line in warned for name in re.findall(r"[a-z]+(?:\.[a-z]+)+(?=,|: no)", line)}
    idle = {n for n in DISTRIBUTED if NODE_SETTINGS[n].status is Status.NO_EFFECT}
    assert named == idle
    assert "unknown settings" not in cluster.printed


@pytest.mark.spec("N-01", "N-02")
def test_retention_in_hours_keeps_what_it_says(kafka_jars: Path, tmp_path: Path) -> None:
    change = {
        "log.retention.hours": "8760",
        "log.retention.check.interval.ms": "200",
        "log.initial.task.delay.ms": "0",
        "log.roll.ms": "1000",
    }
    with Adopted(tmp_path / "c", kafka_jars, change) as cluster:
        cluster.start()
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        week = NewTopic("week", 1, 1, config={"retention.ms": str(7 * DAY_MS)})
        topics = [NewTopic("year", 1, 1), week]
        for done in admin.create_topics(topics).values():
            done.result(30)
        producer = Producer({"bootstrap.servers": cluster.bootstrap})
        now = int(time.time() * 1000)
        for topic in ("year", "week"):
            for age in (30, 20):
                producer.produce(topic, f"{age} days".encode(), timestamp=now - age * DAY_MS)
                flushed(producer, 30)
            producer.produce(topic, b"now")
            flushed(producer, 30)
        # The topic that keeps a week shows that retention has run over both.
        eventually(lambda: values(cluster.bootstrap, "week") == [b"now"], "retention has run")
        assert values(cluster.bootstrap, "year") == [b"30 days", b"20 days", b"now"]


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"ssl.engine.factory.class": "com.example.Engines"},
            "ssl.engine.factory.class=com.example.Engines: Spindle runs no class of Java's.",
        ),
        (
            {"authorizer.class.name": "com.example.Authorizer"},
            "authorizer.class.name",
        ),
        ({"log.retention.hours": "abc"}, "Invalid value abc for configuration log.retention.hours"),
        ({"log.retension.hours": "8760"}, "did you mean log.retention.hours?"),
        ({"num.io.threads": "minus"}, "Invalid value minus for configuration num.io.threads"),
    ],
)
def test_what_must_not_be_ignored_does_not_start(
    kafka_jars: Path, tmp_path: Path, change: dict[str, str], told: str
) -> None:
    cluster = Adopted(tmp_path / "c", kafka_jars, change)
    node = cluster.nodes[1]
    done = subprocess.run(tied(cluster.command(node)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("num.partitons=3", "did you mean num.partitions?"),
        ("log.retention.hours=abc", "Invalid value abc for configuration log.retention.hours"),
    ],
)
def test_up_refuses_settings_that_are_wrong(tmp_path: Path, setting: str, told: str) -> None:
    words = ("up", "--brokers", "1", "--data", str(tmp_path / "u"), "--setting", setting)
    done = subprocess.run(
        tied([sys.executable, "-m", "spindle", *words]), capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert told in " ".join(done.stderr.split())


@pytest.mark.kafka
@pytest.mark.spec("N-03")
def test_kafka_configs_describes_and_alters(kafka_jars: Path, tmp_path: Path) -> None:
    with Adopted(tmp_path / "c", kafka_jars, {"log.retention.hours": "8760"}) as cluster:
        cluster.start()
        entity = ("--entity-type", "brokers", "--entity-name", "1")
        tool = partial(cluster.run_tool, CONFIGS, "--bootstrap-server", cluster.bootstrap)
        tool("--alter", *entity, "--add-config", "log.cleaner.backoff.ms=20000")
        changed = (
            "log.cleaner.backoff.ms=20000 sensitive=false synonyms="
            "{DYNAMIC_BROKER_CONFIG:log.cleaner.backoff.ms=20000, "
            "DEFAULT_CONFIG:log.cleaner.backoff.ms=15000}"
        )
        # The controller has answered; the broker hears of it a moment later.
        eventually(lambda: changed in tool("--describe", "--all", *entity).stdout, "it is changed")
        shown = tool("--describe", "--all", *entity).stdout
        assert "log.retention.hours=8760 sensitive=false" in shown
        assert "follower.replication.throttled.rate" not in shown
        tool("--alter", *entity, "--add-config", "num.io.threads=9")
        eventually(lambda: "num.io.threads: Spindle serves" in cluster.printed, "it is printed")
        refused = tool("--alter", *entity, "--add-config", "num.partitions=4")
        assert refused.code != 0
        text = refused.stdout + refused.stderr
        assert "Cannot update these configs dynamically: [num.partitions]" in text
