"""`--add-scram`: users that one format makes get in at the other's node from the start."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from tests.support.apache_kafka import ApacheKafka
from tests.support.commands import run
from tests.support.ports import free_port
from tests.support.secured_kafka import plain_users
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-04")]
USERS = (
    "SCRAM-SHA-256=[name=alice,password=alice-secret]",
    'SCRAM-SHA-512=[name="bob",iterations=8192,password="bob-secret"]',
)


def with_scram(kafka: ApacheKafka) -> str:
    """Give the only node a listener for SCRAM; its address."""
    node, port = kafka.nodes[1], free_port()
    node.settings |= {
        "listeners": (
            f"PLAINTEXT://127.0.0.1:{node.port},SASL://localhost:{port},"
            f"CONTROLLER://127.0.0.1:{node.controller_port}"
        ),
        "listener.security.protocol.map": (
            "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT"
        ),
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{node.port},SASL://localhost:{port}",
        "inter.broker.listener.name": "PLAINTEXT",
        **plain_users("sasl", "SCRAM-SHA-256", "SCRAM-SHA-512"),
    }
    kafka.write_config(node)
    return f"localhost:{port}"


def lets_in(address: str, mechanism: str, user: str, password: str, seconds: float = 20) -> bool:
    """Whether a user gets in."""
    client = AdminClient(
        {
            "bootstrap.servers": address,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "sasl.username": user,
            "sasl.password": password,
            "log_level": 0,
        }
    )
    try:
        return bool(client.list_topics(timeout=seconds).brokers)
    except KafkaException:
        return False


def check(address: str) -> None:
    """Both users get in, by their own mechanisms and passwords."""
    eventually(lambda: lets_in(address, "SCRAM-SHA-256", "alice", "alice-secret"), "alice is in")
    assert lets_in(address, "SCRAM-SHA-512", "bob", "bob-secret")
    assert not lets_in(address, "SCRAM-SHA-512", "bob", "alice-secret", 0.5)
    assert not lets_in(address, "SCRAM-SHA-512", "alice", "alice-secret", 0.5)


def test_our_node_knows_the_users_of_apache_kafkas_format(kafka_jars: Path, tmp_path: Path) -> None:
    with SpindleCluster(tmp_path, kafka_jars, brokers=1, directories=1) as spindle:
        address = with_scram(spindle)
        options = [word for user in USERS for word in ("-S", user)]
        spindle.format_with_kafka(spindle.nodes[1], *options)
        spindle.start()
        check(address)


def test_apache_kafka_knows_the_users_of_our_format(kafka_jars: Path, tmp_path: Path) -> None:
    with ApacheKafka(tmp_path, kafka_jars, brokers=1, directories=1) as kafka:
        address = with_scram(kafka)
        users = tmp_path / "users"
        users.write_text("\n".join(USERS))
        words = ("-t", kafka.cluster_id, "-c", str(kafka.nodes[1].config), "-S", f"@{users}")
        done = run("kafka-storage", "format", *words)
        assert done.code == 0, done
        assert "storedKey=[hidden]" in done.stdout
        kafka.start_node(1)
        check(address)
