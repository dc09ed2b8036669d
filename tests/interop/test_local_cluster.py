"""A local cluster as users start it: quick, kept across restarts, and never left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import Producer
from confluent_kafka import admin as admins
from prometheus_client.parser import text_string_to_metric_families
from tests.support.clients import flushed
from tests.support.commands import run
from tests.support.processes import tied, words_of
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.errors import Unusable
from spindle.runtime.folder import free_ports
from spindle.runtime.local import LocalCluster
from spindle.runtime.nursery import Nursery


def test_data_are_kept_across_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with LocalCluster(tmp_path, brokers=1, dirs=2) as cluster:
            async with AdminClient(cluster.bootstrap) as admin:
                await admin.create_topics([NewTopic("kept", 3, 1)]).all()
            first = cluster.bootstrap
        async with LocalCluster(tmp_path, brokers=1, dirs=2) as cluster:
            assert cluster.bootstrap == first
            async with AdminClient(cluster.bootstrap) as admin:
                topics = await admin.describe_topics(["kept"]).all()
                assert len(topics["kept"].partitions) == 3

    asyncio.run(scenario())


def test_a_node_that_cannot_start_says_why_and_ends_with_1(tmp_path: Path) -> None:
    async def scenario() -> None:
        nursery = Nursery()
        properties, log = tmp_path / "server.properties", tmp_path / "node.log"
        properties.write_text("process.roles=broker\n")
        node = await nursery.start(properties, log)
        assert await asyncio.wait_for(node.wait(), 30) == 1
        assert "node.id is missing" in log.read_text()
        await nursery.close()

    asyncio.run(scenario())


def test_no_process_is_left_behind_when_the_command_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "1", "--port", "0", "--json"]
    up = subprocess.Popen(tied([*command, "--data", str(tmp_path)]), stdout=subprocess.PIPE)
    assert up.stdout is not None
    assert "bootstrap" in json.loads(up.stdout.readline())
    family = psutil.Process(up.pid).children(recursive=True)
    assert len(family) >= 3  # the forking process, a controller, a broker
    up.kill()
    up.wait(10)
    eventually(lambda: not any(p.is_running() for p in family), "all nodes have stopped", 30)


def test_ctrl_c_stops_the_cluster_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "1", "--port", "0", "--json"]
    up = subprocess.Popen(tied([*command, "--data", str(tmp_path)]), stdout=subprocess.PIPE)
    assert up.stdout is not None
    up.stdout.readline()
    os.kill(up.pid, signal.SIGINT)
    assert up.wait(30) == 0
    assert "node has stopped" in (tmp_path / "broker-1" / "node.log").read_text()


@contextmanager
def _up(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """`spindle up` and what it says when it serves."""
    command = [sys.executable, "-m", "spindle", "up", "--json", "--data", str(home), *options]
    up = subprocess.Popen(tied(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert up.stdout is not None
        yield up, json.loads(up.stdout.readline())
    finally:
        up.terminate()
        up.communicate(timeout=60)


@pytest.mark.spec("N-06")
def test_a_second_start_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with _up(tmp_path, "--brokers", "1", "--port", "0") as (first, _):
        second = run("spindle", "up", "--brokers", "1", "--data", str(tmp_path))
        assert second.code == 1
        assert f"already running here (pid {first.pid})" in second.stderr
        assert first.poll() is None
    with _up(tmp_path, "--brokers", "1") as (_, told):
        assert told["bootstrap"], "the folder is free again"


@pytest.mark.spec("N-06")
def test_it_does_not_serve_by_the_nodes_of_another_cluster(tmp_path: Path) -> None:
    """The second cluster's brokers would have ports that the first one's brokers have."""
    with _up(tmp_path / "one", "--brokers", "2", "--port", "0") as (_, told):
        port = min(int(a.rpartition(":")[2]) for a in told["bootstrap"].split(","))
        for _ in range(3):
            other = run(
                "spindle", "up", "--brokers", "1", "--data", str(tmp_path / "two"),
                "--port", str(port - 1),
            )  # fmt: skip
            assert other.code == 1, other
            assert "serve" not in other.stdout
            assert f"127.0.0.1:{port}" in other.stderr


@pytest.mark.spec("N-06")
def test_a_cluster_with_another_id_is_not_ours(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with LocalCluster(tmp_path / "one", brokers=1, dirs=1) as one:
            two = LocalCluster(tmp_path / "two", brokers=1, dirs=1)
            two.prepare()
            (ours,), (other,) = two.brokers, one.brokers
            ours.port, ours.process = other.port, other.process  # Ours lives; what answers is not.
            with pytest.raises(Unusable, match=rf"another cluster \(id {one.cluster_id}\)"):
                await two.wait_serving()
            ours.process = None
            await two.stop()

    asyncio.run(scenario())


@pytest.mark.spec("N-06")
def test_a_port_is_honoured_or_refused_by_name(tmp_path: Path) -> None:
    first = min(free_ports(1))
    LocalCluster(tmp_path, brokers=1, dirs=1, port=first)
    again = LocalCluster(tmp_path, brokers=1, dirs=1, port=None)
    assert [c.controller_port for c in again.controllers] == [first]
    with pytest.raises(Unusable, match=f"on ports from {first} on, not {first + 1}"):
        LocalCluster(tmp_path, brokers=1, dirs=1, port=first + 1)


@pytest.mark.spec("N-06")
def test_fewer_brokers_or_directories_than_hold_data_are_refused(tmp_path: Path) -> None:
    there = LocalCluster(tmp_path, brokers=3, dirs=2)
    there.prepare()
    there._files.folder.unlock()
    for brokers in (2, 4):
        with pytest.raises(Unusable, match=f"a cluster of 3 brokers, not {brokers}: give that"):
            LocalCluster(tmp_path, brokers=brokers, dirs=2, port=None)
    with pytest.raises(Unusable, match="broker-1 has 2 log directories, not 1: give that"):
        LocalCluster(tmp_path, brokers=3, dirs=1, port=None)
    LocalCluster(tmp_path, brokers=3, dirs=3, port=None)


@pytest.mark.spec("N-06")
def test_a_node_that_dies_is_reported_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "2", "--port", "0", "--json"]
    up = subprocess.Popen(
        tied([*command, "--data", str(tmp_path)]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert up.stdout is not None
    assert up.stderr is not None
    assert "bootstrap" in json.loads(up.stdout.readline())
    family = psutil.Process(up.pid).children(recursive=True)
    (dies,) = [p for p in family if words_of(p)[:1] == [f"spindle broker 2 of {tmp_path.name}"]]
    dies.kill()
    assert json.loads(up.stdout.readline()) == {"ended": 2, "code": -9}
    line = up.stderr.readline()
    assert line.startswith("warning: node 2 was killed by SIGKILL; see ")
    assert str(tmp_path / "broker-2" / "node.log") in line
    assert "2 nodes of 3 still run" in line
    up.terminate()
    up.communicate(timeout=60)
    assert up.returncode == 1


def test_metrics_are_where_it_says_of_controllers_too(tmp_path: Path) -> None:
    with _up(tmp_path, "--brokers", "1", "--port", "0", "--metrics") as (_, told):
        assert set(told["metrics"]) == {"1", "100"}
        for url in told["metrics"].values():
            with urllib.request.urlopen(url, timeout=10) as answer:
                families = list(text_string_to_metric_families(answer.read().decode()))
            assert families
            kinds = {family.name: family.type for family in families}
            assert kinds.get("kafka_server_kafkaserver_connections") == "gauge"
        broker = told["metrics"]["1"]
        with urllib.request.urlopen(broker, timeout=10) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        totals = [f for f in families if any(s.name.endswith("_total") for s in f.samples)]
        assert totals
        assert {f.type for f in totals} == {"counter"}
        assert {f.type for f in families if any("quantile" in s.labels for s in f.samples)} == {
            "summary"
        }
        assert "metrics are served" in (tmp_path / "broker-1" / "node.log").read_text()
    refused = run("spindle", "up", "--setting", "metrics.port=27190", "--data", str(tmp_path))
    assert refused.code == 2
    assert "give --metrics" in refused.stderr


def test_a_folder_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("spindle", "up", "--data", str(tmp_path / "file" / "data"))
    assert done.code == 1
    assert str(tmp_path / "file") in done.stderr
    assert "Not a directory" in done.stderr


def _let_bob_write_after_a_refusal(bootstrap: str, own: Path) -> None:
    """The administrator makes a topic and a user; librdkafka writes as that user once it may."""
    given = dict(line.split("=", 1) for line in own.read_text().splitlines())
    at = {
        "bootstrap.servers": bootstrap,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "ssl.ca.location": given["ssl.truststore.location"],
        "log_level": 0,
    }
    password = given["sasl.jaas.config"].partition('password="')[2].partition('"')[0]
    admin = admins.AdminClient({**at, "sasl.username": "admin", "sasl.password": password})
    admin.create_topics([admins.NewTopic("t", 1, 1)])["t"].result(30)
    info = admins.ScramCredentialInfo(admins.ScramMechanism.SCRAM_SHA_512, 4096)
    made = admins.UserScramCredentialUpsertion("bob", info, b"for-bob")
    admin.alter_user_scram_credentials([made])["bob"].result(30)

    def refusal() -> str | None:
        told: list[Any] = []
        producer = Producer({**at, "sasl.username": "bob", "sasl.password": "for-bob"})
        producer.produce("t", b"x", on_delivery=lambda error, _: told.append(error))
        flushed(producer, 30)
        return None if told[0] is None else str(told[0].name())

    assert refusal() == "TOPIC_AUTHORIZATION_FAILED"
    allowed = admins.AclBinding(
        admins.ResourceType.TOPIC, "t", admins.ResourcePatternType.LITERAL, "User:bob", "*",
        admins.AclOperation.WRITE, admins.AclPermissionType.ALLOW,
    )  # fmt: skip
    admin.create_acls([allowed])[allowed].result(30)
    eventually(lambda: refusal() is None, "the user may write", 20, 0.1)


@pytest.mark.spec("S-04")
@pytest.mark.spec("S-05")
@pytest.mark.spec("S-06")
def test_a_secured_cluster_lets_in_its_own_client_alone(tmp_path: Path) -> None:
    options = ("--secure", "--brokers", "1", "--dirs", "1")
    with _up(tmp_path, *options, "--port", "0") as (_, told):
        own = Path(told["commandConfig"])
        files = [own, own.parent, *own.parent.glob("*.pem")]
        assert all(path.stat().st_mode & 0o077 == 0 for path in files)
        at = ("log-dirs", "-b", told["bootstrap"], "--json")
        assert run("spindle", *at, "--command-config", str(own)).code == 0
        without = run("spindle", *at)
        assert without.code != 0
        assert "this port speaks TLS" in without.stderr
        _let_bob_write_after_a_refusal(told["bootstrap"], own)
        was = own.read_text()
    with _up(tmp_path, *options) as (_, again):
        assert Path(again["commandConfig"]).read_text() == was
