"""Nodes of both kinds in one cluster whose links are secured (S-06).

A Spindle controller and then one of Apache Kafka's leads; brokers of both kinds replicate from each
other and forward to either. Every link asks both sides for certificates, or asks for a login.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AdminClient,
    NewTopic,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from tests.support.clients import consumer, produce
from tests.support.mixed import Mixed
from tests.support.quorum import describe
from tests.support.secured_nodes import NodesThatLogIn, SecuredNodes
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-06"), pytest.mark.timeout(300)]

THEIR_BROKER, OUR_BROKER = 1, 2
OURS, THEIRS = (100, 101), 102
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "offsets.topic.replication.factor": "2",
    "default.replication.factor": "2",
}


@pytest.fixture(scope="module", params=[SecuredNodes, NodesThatLogIn], ids=["tls", "logins"])
def nodes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SecuredNodes:
    kind: type[SecuredNodes] = request.param
    return kind(tmp_path_factory.mktemp("stores"))


@pytest.fixture(scope="module")
def mixed(
    kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory, nodes: SecuredNodes
) -> Iterator[Mixed]:
    folder = tmp_path_factory.mktemp("secured")
    with Mixed(
        folder, kafka_jars, theirs={THEIR_BROKER, THEIRS}, controllers=3, settings=SETTINGS
    ) as cluster:
        for voter in (*OURS, THEIRS):
            patience = "1500" if voter == THEIRS else "4000"
            cluster.nodes[voter].settings["controller.quorum.fetch.timeout.ms"] = patience
        nodes.secure(cluster, cluster.nodes.values())
        cluster.start()
        if isinstance(nodes, NodesThatLogIn):
            secret = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
            user = UserScramCredentialUpsertion(nodes.user, secret, nodes.password.encode())
            admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
            admin.alter_user_scram_credentials([user])[nodes.user].result(30)
        yield cluster


def leader(mixed: Mixed) -> int | None:
    """The controller that leads, as a broker says which forwards the question to it."""
    view = describe(mixed.nodes[OUR_BROKER].port)
    return None if view is None else view.leader


def have_lead(mixed: Mixed, wanted: Collection[int]) -> None:
    """Kill leaders until one of these leads."""
    for _ in range(4):
        now = eventually(lambda: leader(mixed), "a controller leads", 60)
        assert now is not None
        if now in wanted:
            return
        mixed.stop_node(now, kill=True)
        eventually(lambda was=now: leader(mixed) not in (None, was), "another one leads", 60)
        mixed.start_node(now, wait=False)
    raise AssertionError(f"none of {wanted} came to lead")


@pytest.mark.parametrize("wanted", [OURS, (THEIRS,)], ids=["ours-leads", "theirs-leads"])
def test_brokers_of_both_kinds_forward_and_replicate(
    mixed: Mixed, nodes: SecuredNodes, wanted: tuple[int, ...]
) -> None:
    have_lead(mixed, wanted)
    own = nodes.librdkafka
    for broker in (THEIR_BROKER, OUR_BROKER):
        other = THEIR_BROKER + OUR_BROKER - broker
        topic = f"by-{broker}-{wanted[0]}"
        admin = AdminClient({"bootstrap.servers": nodes.at(broker), **own})
        future = admin.create_topics([NewTopic(topic, 2, 2)])[topic]
        eventually(lambda future=future: future.done(), "the topic is made", 60)
        future.result()
        values = [b"%d" % n for n in range(50)]
        for partition in (0, 1):
            produce(nodes.at(broker), topic, values, partition, **own)
        assert found(nodes.at(other), topic, 100, own) == sorted(2 * values)
        replicas = {THEIR_BROKER, OUR_BROKER}

        def led_and_in_sync(topic: str = topic, replicas: set[int] = replicas) -> bool:
            state = mixed.state(topic)
            leaders = {leader for leader, _ in state.values()}
            return leaders == replicas and all(isr == replicas for _, isr in state.values())

        mixed.until(led_and_in_sync, f"both lead a part of {topic} and follow the other", 60)


def found(bootstrap: str, topic: str, count: int, own: dict[str, str]) -> list[bytes]:
    """The records of a topic, sorted, once there are so many."""
    reader = consumer(bootstrap, f"of-{topic}", **own)
    reader.subscribe([topic])
    values: list[bytes] = []

    def read() -> bool:
        for message in reader.consume(200, 0.2):
            assert message.error() is None, message.error()
            values.append(message.value())
        return len(values) >= count

    try:
        eventually(read, f"{count} records of {topic} are read", 60)
    finally:
        reader.close()
    return sorted(values)
