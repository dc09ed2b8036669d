"""Spindle nodes log in at each other: by PLAIN at the controller, by SCRAM at brokers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, Producer
from tests.support.clients import flushed
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually

from spindle.cli.storage.scram_arguments import scram_records
from spindle.storage.formatting import DEFAULT_LEVELS

pytestmark = [pytest.mark.spec("S-04"), pytest.mark.spec("S-06")]
_KAFKA = "org.apache.kafka.common.security"
SESSION_MS = 2_000
RENEWED = (
    'kafka_server_socket_server_metrics_successful_reauthentication_total{listener="INTERNAL"}'
)


def secured(cluster: Local) -> None:
    """Have the nodes reach each other by SASL alone."""
    for node in cluster.nodes.values():
        node.settings |= {
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,INTERNAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT"
            ),
            "sasl.mechanism.controller.protocol": "PLAIN",
            "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.controller.plain.sasl.jaas.config": (
                f'{_KAFKA}.plain.PlainLoginModule required username="node" '
                'password="node-secret" user_node="node-secret";'
            ),
        }
        if node.is_broker:
            internal = f"INTERNAL://127.0.0.1:{free_port()}"
            node.settings |= {
                "listeners": f"PLAINTEXT://127.0.0.1:{node.port},{internal}",
                "metrics.port": str(free_port()),
                "inter.broker.listener.name": "INTERNAL",
                "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
                "listener.name.internal.sasl.enabled.mechanisms": "SCRAM-SHA-512",
                "listener.name.internal.connections.max.reauth.ms": str(SESSION_MS),
                "listener.name.internal.scram-sha-512.sasl.jaas.config": (
                    f'{_KAFKA}.scram.ScramLoginModule required username="broker" '
                    'password="broker-secret";'
                ),
            }
        cluster.write_config(node)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    users = scram_records(["SCRAM-SHA-512=[name=broker,password=broker-secret]"])
    folder = tmp_path_factory.mktemp("links")
    with Local(folder, brokers=2, first_records=(*DEFAULT_LEVELS, *users)) as found:
        secured(found)
        found.start()
        yield found


def test_replicas_follow_across_renewed_sessions(cluster: Local) -> None:
    cluster.create("followed", [[1, 2], [2, 1]])
    told: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
    written = 0

    def renewed() -> bool:
        nonlocal written
        producer.produce("followed", b"x", on_delivery=lambda error, _: told.append(error))
        producer.poll(0)
        written += 1
        return all(cluster.metrics(broker).get(RENEWED, 0) >= 2 for broker in (1, 2))

    eventually(renewed, "followers log in once more", 60)
    flushed(producer, 20)
    assert told == [None] * written


def test_a_broker_that_comes_back_logs_in(cluster: Local) -> None:
    cluster.create("back", [[1, 2]])
    cluster.restart(2)
    cluster.become("back", {0: (1, {1, 2})})
    for node in cluster.nodes.values():
        assert "-secret" not in node.log.read_text()
