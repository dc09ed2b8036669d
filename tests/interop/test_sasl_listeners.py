"""Spindle's listeners with SASL: clients of every kind get in, or learn why they do not.

One broker has all listeners. Users of SCRAM are made, changed and deleted while it runs, by Apache
Kafka's tool and by librdkafka.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from kafka import KafkaConsumer, KafkaProducer
from kafka.errors import KafkaTimeoutError
from tests.support.apache_kafka import CONFIGS, PERF_PRODUCER, TOPICS, ToolResult
from tests.support.client_files import sasl_properties, write_properties
from tests.support.clients import flushed, taken
from tests.support.commands import call
from tests.support.deadlines import within
from tests.support.sasl_cluster import SaslCluster
from tests.support.waiting import TimeIsUp, eventually

from spindle.cli.exits import End
from spindle.client.admin import admin_from_properties

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-04")]
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[SaslCluster]:
    with SaslCluster(tmp_path_factory.mktemp("sasl"), kafka_jars) as found:
        found.start()
        for mechanism in MECHANISMS[1:]:
            found.set_scram("admin", "admin-secret", mechanism)
        yield found
        said = found.nodes[1].log.read_text()
        assert "-secret" not in said, "the node's log shows a password"


def librdkafka(
    cluster: SaslCluster, mechanism: str, user: str = "admin", secret: str = "", at: str = "SASL"
) -> dict[str, str | int]:
    """A configuration of librdkafka."""
    return {
        "bootstrap.servers": cluster.at(at),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": user,
        "sasl.password": secret or f"{user}-secret",
        "log_level": 0,
    }


def login_error(cluster: SaslCluster, mechanism: str, user: str, secret: str) -> str | None:
    """What librdkafka reports of a login; None where it gets in."""
    told: list[KafkaError] = []
    client = Producer(librdkafka(cluster, mechanism, user, secret) | {"error_cb": told.append})

    def heard() -> list[str | None]:
        try:
            client.list_topics(timeout=0.8)
        except KafkaException:
            client.poll(0.1)
            return [e.str() for e in told if e.code() == KafkaError._AUTHENTICATION]
        return [None]

    return eventually(heard, f"{user} gets in, or is refused", pause=0)[0]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_librdkafka_writes_and_reads(mechanism: str, cluster: SaslCluster) -> None:
    topic = f"rd-{mechanism.lower()}"
    cluster.create(topic, [[1]])
    producer = Producer(librdkafka(cluster, mechanism))
    for number in range(20):
        producer.produce(topic, str(number))
    flushed(producer, 20)
    consumer = Consumer(
        librdkafka(cluster, mechanism) | {"group.id": topic, "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    read = taken(consumer, 20)
    consumer.close()
    assert [message.value() for message in read] == [b"%d" % n for n in range(20)]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_kafka_python_writes_and_reads(mechanism: str, cluster: SaslCluster) -> None:
    topic = f"kp-{mechanism.lower()}"
    cluster.create(topic, [[1]])
    login = {
        "bootstrap_servers": cluster.at("SASL"),
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": mechanism,
        "sasl_plain_username": "admin",
        "sasl_plain_password": "admin-secret",
    }
    producer = KafkaProducer(**login)
    producer.send(topic, b"one").get(20)
    producer.close()
    consumer = KafkaConsumer(topic, auto_offset_reset="earliest", **login)
    assert next(consumer).value == b"one"
    consumer.close()
    with pytest.raises(KafkaTimeoutError):  # It tries again, and tells the reason in its log.
        KafkaProducer(**{**login, "sasl_plain_password": "hush", "bootstrap_timeout_ms": 500})


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_our_own_client_gets_in_by_the_same_file(
    mechanism: str, cluster: SaslCluster, tmp_path: Path
) -> None:
    path = write_properties(tmp_path / "c", sasl_properties(mechanism))

    async def directories() -> int:
        async with admin_from_properties(path, cluster.at("SASL")) as admin:
            return len(await admin.describe_log_dirs([1])[1])

    assert asyncio.run(directories()) == 2


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_tls_and_a_login_go_together(mechanism: str, cluster: SaslCluster, tmp_path: Path) -> None:
    tls = {"security.protocol": "SASL_SSL", "ssl.ca.location": str(cluster.trusted)}
    client = Producer(librdkafka(cluster, mechanism, at="BOTH") | tls)
    assert client.list_topics(timeout=20).brokers
    trust = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(cluster.trusted)}
    for secret, code in (("admin-secret", End.DONE), ("hush", End.UNKNOWN)):
        path = write_properties(
            tmp_path / "c",
            sasl_properties(mechanism, secret=secret) | trust | {"security.protocol": "SASL_SSL"},
        )
        done = call("log-dirs", "-b", cluster.at("BOTH"), "--command-config", str(path))
        assert done.code == code, done


WRONG = {
    "password, PLAIN": (
        sasl_properties("PLAIN", secret="hush"),
        r"refuses the user \(PLAIN\): Authentication failed: Invalid username or password",
    ),
    "user, PLAIN": (
        sasl_properties("PLAIN", "stranger"),
        r"refuses the user \(PLAIN\): Authentication failed: Invalid username or password",
    ),
    "password, SCRAM": (
        sasl_properties("SCRAM-SHA-512", secret="hush"),
        r"refuses the user \(SCRAM-SHA-512\): .* invalid credentials with SASL mechanism SCRAM",
    ),
    "user, SCRAM": (
        sasl_properties("SCRAM-SHA-512", "stranger"),
        r"refuses the user \(SCRAM-SHA-512\): .* invalid credentials with SASL mechanism SCRAM",
    ),
    "mechanism": (
        {**sasl_properties("PLAIN"), "sasl.mechanism": "OAUTHBEARER"}
        | {
            "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer."
            'OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="admin";'
        },
        "offers PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
    ),
    "protocol": ({}, r"wants SASL \(PLAIN, .*\): set security\.protocol=SASL_PLAINTEXT"),
}


@pytest.mark.spec("S-02")
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_reported(what: str, cluster: SaslCluster, tmp_path: Path) -> None:
    properties, words = WRONG[what]
    path = write_properties(tmp_path / "c", properties)
    told = call("log-dirs", "-b", cluster.at("SASL"), "--command-config", str(path))
    assert told.code == End.UNKNOWN
    assert re.search(words, told.stderr), told.stderr


def test_no_request_is_served_before_the_login(cluster: SaslCluster) -> None:
    client = Producer({"bootstrap.servers": cluster.at("SASL"), "log_level": 0})
    with pytest.raises(KafkaException):
        client.list_topics(timeout=1)


def test_a_plain_listener_asks_for_no_login(cluster: SaslCluster, tmp_path: Path) -> None:
    path = write_properties(tmp_path / "c", sasl_properties("PLAIN"))
    told = call("log-dirs", "-b", cluster.bootstrap, "--command-config", str(path))
    assert "asks for no SASL: set security.protocol=PLAINTEXT" in told.stderr


# --- Apache Kafka's tools -----------------------------------------------------------------------


def configs(cluster: SaslCluster, path: Path, *words: str) -> ToolResult:
    """`kafka-configs` for users, over the listener with SASL."""
    return cluster.run_tool(
        CONFIGS, "--bootstrap-server", cluster.at("SASL"), "--command-config", str(path),
        "--entity-type", "users", *words,
    )  # fmt: skip


def test_kafkas_tools_make_and_delete_users(cluster: SaslCluster, tmp_path: Path) -> None:
    path = write_properties(tmp_path / "admin", sasl_properties("SCRAM-SHA-512"))
    user = ("--entity-name", "alice")
    for what in (
        "SCRAM-SHA-256=[password=one-secret]",
        "SCRAM-SHA-512=[iterations=8192,password=two-secret]",
    ):
        made = configs(cluster, path, *user, "--alter", "--add-config", what)
        assert "Completed updating config for user alice." in made.stdout, made
    eventually(
        lambda: login_error(cluster, "SCRAM-SHA-256", "alice", "one-secret") is None, "alice is in"
    )
    eventually(
        lambda: login_error(cluster, "SCRAM-SHA-512", "alice", "two-secret") is None, "both ways"
    )
    both = {"SCRAM-SHA-256": 4096, "SCRAM-SHA-512": 8192}
    eventually(lambda: cluster.scram_of("alice") == both, "both are described")
    few = configs(
        cluster, path, *user, "--alter",
        "--add-config", "SCRAM-SHA-256=[iterations=4095,password=x]",
    )  # fmt: skip
    assert "Iterations 4095 is less than the minimum 4096" in few.stdout + few.stderr, few
    gone = configs(cluster, path, *user, "--alter", "--delete-config", "SCRAM-SHA-256")
    assert gone.code == 0, gone
    # The broker that is asked may not have read it yet.
    eventually(lambda: cluster.scram_of("alice") == {"SCRAM-SHA-512": 8192}, "one is left")
    error = eventually(
        lambda: login_error(cluster, "SCRAM-SHA-256", "alice", "one-secret"), "alice is refused"
    )
    assert "invalid credentials" in error
    again = configs(cluster, path, *user, "--alter", "--delete-config", "SCRAM-SHA-256")
    assert "credential that does not exist" in again.stdout + again.stderr, again


def test_kafkas_tool_is_refused_by_a_wrong_password(cluster: SaslCluster, tmp_path: Path) -> None:
    path = write_properties(tmp_path / "wrong", sasl_properties("PLAIN", secret="hush"))
    told = cluster.run_tool(
        TOPICS, "--bootstrap-server", cluster.at("SASL"), "--command-config", str(path), "--list"
    )
    assert told.code != 0
    assert "Authentication failed: Invalid username or password" in told.stdout + told.stderr


# --- users that change --------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS[1:])
def test_users_change_while_the_broker_runs(mechanism: str, cluster: SaslCluster) -> None:
    user = f"carol-{mechanism.lower()}"
    assert login_error(cluster, mechanism, user, "first-secret")
    cluster.set_scram(user, "first-secret", mechanism)
    eventually(
        lambda: login_error(cluster, mechanism, user, "first-secret") is None, "the user is there"
    )
    cluster.set_scram(user, "second-secret", mechanism)
    eventually(lambda: login_error(cluster, mechanism, user, "first-secret"), "it counts")
    assert login_error(cluster, mechanism, user, "second-secret") is None
    cluster.delete_scram(user, mechanism)
    eventually(lambda: login_error(cluster, mechanism, user, "second-secret"), "it is gone")


def test_users_of_plain_change_by_the_dynamic_setting(cluster: SaslCluster) -> None:
    """As in Apache Kafka: the JAAS line of a listener's mechanism can be replaced."""
    setting = "listener.name.sasl.plain.sasl.jaas.config"
    module = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    assert login_error(cluster, "PLAIN", "frank", "frank-secret")
    cluster.configure(1, {setting: f'{module} user_frank="frank-secret";'})
    eventually(
        lambda: login_error(cluster, "PLAIN", "frank", "frank-secret") is None, "frank gets in"
    )
    assert login_error(cluster, "PLAIN", "admin", "admin-secret")
    cluster.configure(1, {setting: None})
    eventually(lambda: login_error(cluster, "PLAIN", "admin", "admin-secret") is None, "as before")


def test_users_are_there_after_a_restart(cluster: SaslCluster) -> None:
    cluster.set_scram("dave", "dave-secret")
    cluster.restart()
    assert login_error(cluster, "SCRAM-SHA-256", "dave", "dave-secret") is None


# --- sessions that end --------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_sessions_are_renewed_under_a_load_that_goes_on(
    mechanism: str, cluster: SaslCluster
) -> None:
    """librdkafka authenticates once more on the same connection, and loses no record."""
    topic = f"renewed-{mechanism.lower()}"
    cluster.create(topic, [[1]])
    before = cluster.logins("successful_reauthentication", "SHORT")
    expired = cluster.logins("expired_connections_killed", "SHORT")
    errors: list[KafkaError | None] = []
    producer = Producer(
        librdkafka(cluster, mechanism, at="SHORT")
        | {"linger.ms": 5, "retries": 0, "error_cb": errors.append}
    )
    written = 0

    def renewed() -> bool:
        nonlocal written
        for _ in range(10):
            producer.produce(topic, b"x" * 100, on_delivery=lambda error, _: errors.append(error))
            written += 1
        producer.poll(0)
        return cluster.logins("successful_reauthentication", "SHORT") >= before + 3

    eventually(renewed, "three sessions are renewed", 60)
    flushed(producer, 20)
    none_was_late(cluster, expired)
    assert errors == [None] * written


def none_was_late(cluster: SaslCluster, expired: float) -> None:
    """No more than `expired` sessions ended before they were renewed.

    Clients begin with it when nine tenths of a session are over, or even a bit less.
    """
    if cluster.logins("expired_connections_killed", "SHORT") != expired:
        raise TimeIsUp("a client did not renew a session of two seconds in time")


def test_java_renews_its_sessions_under_load(cluster: SaslCluster, tmp_path: Path) -> None:
    cluster.create("java", [[1]])
    before = cluster.logins("successful_reauthentication", "SHORT")
    expired = cluster.logins("expired_connections_killed", "SHORT")
    path = write_properties(tmp_path / "c", sasl_properties("SCRAM-SHA-512") | {"acks": "all"})
    done = cluster.run_tool(
        PERF_PRODUCER, "--topic", "java", "--num-records", "4000", "--record-size", "100",
        "--throughput", "1000", "--bootstrap-server", cluster.at("SHORT"),
        "--command-config", str(path),
    )  # fmt: skip
    none_was_late(cluster, expired)
    assert "4000 records sent" in done.stdout, done
    assert "Exception" not in done.stdout + done.stderr, done
    assert cluster.logins("successful_reauthentication", "SHORT") > before


def test_a_deleted_user_works_until_its_session_ends(cluster: SaslCluster) -> None:
    cluster.create("ends", [[1]])
    cluster.set_scram("erin", "erin-secret")
    told: list[KafkaError] = []
    producer = Producer(
        librdkafka(cluster, "SCRAM-SHA-256", "erin", at="SHORT") | {"error_cb": told.append}
    )
    producer.produce("ends", b"x")
    flushed(producer, 20)
    cluster.delete_scram("erin")

    def refused() -> bool:
        producer.poll(0.1)
        return any(error.code() == KafkaError._AUTHENTICATION for error in told)

    eventually(refused, "the session is not renewed")
    assert any("invalid credentials" in error.str() for error in told)


def test_failures_delay_no_other_client(cluster: SaslCluster) -> None:
    """Many clients with a wrong password wait for their refusals; others are served meanwhile."""
    stop = threading.Event()

    def fail() -> None:
        client = Producer(librdkafka(cluster, "SCRAM-SHA-256", "stranger"))
        while not stop.is_set():
            client.poll(0.1)

    threads = [threading.Thread(target=fail) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        before = cluster.logins("failed_authentication", "SASL")
        eventually(lambda: cluster.logins("failed_authentication", "SASL") > before + 20, "fails")
        client = Producer(librdkafka(cluster, "PLAIN"))
        began = time.monotonic()
        client.list_topics(timeout=20)
        within(time.monotonic() - began, 20, "a client that knows its password gets in")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
