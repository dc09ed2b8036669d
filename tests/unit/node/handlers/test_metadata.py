"""Metadata, over entities of several versions."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import (
    add_broker,
    add_topic,
    lose_directory,
    three_brokers,
    topic_id,
)
from tests.support.desk import Desk, part, request

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings
from spindle.node.handlers import BROKER
from spindle.node.replicas.silent_leaders import LAST, SilentLeaders
from spindle.node.slices import Slices
from spindle.wire.apis import Key


class Broker:
    """As much of a broker as Metadata needs."""

    def __init__(self, **settings: str) -> None:
        self.out = Outbox(random.Random(1))
        self.slices = Slices(self.out, "/d1")
        self.image = three_brokers()
        self.cluster_id, self.node_id = "cluster", 1
        self.settings = Settings({"node.id": "1"} | settings)
        self.wanted: list[str] = []
        self.topic_creation = SimpleNamespace(want=self.wanted.extend)
        self.silent = SilentLeaders(self.out, lambda: self.image)
        self.fetchers = SimpleNamespace(silent=self.silent)


@pytest.fixture
def broker() -> Broker:
    return Broker()


def ask(
    broker: Broker, version: int, *names: str | None, listener: str = "PLAINTEXT", **fields: Any
) -> Any:
    desk = Desk(BROKER, broker, broker.out, listener=listener)
    topics = tuple(part(Key.METADATA, version, "MetadataRequestTopic", name=n) for n in names)
    return desk.ask(Key.METADATA, version, **({"topics": topics} | fields))


@pytest.mark.parametrize("version", range(14))
def test_a_topic_and_the_brokers_on_the_callers_listener(broker: Broker, version: int) -> None:
    id = add_topic(broker.image, "t", (1, 2), (2, 3))
    answer = ask(broker, version, "t", listener="INSIDE")
    assert [(b.node_id, b.host, b.port) for b in answer.brokers] == [
        (1, "inside1", 8001),
        (2, "inside2", 8002),
        (3, "inside3", 8003),
    ]
    (topic,) = answer.topics
    assert (topic.error_code, topic.name) == (Error.NONE, "t")
    assert [(p.partition_index, p.leader_id) for p in topic.partitions] == [(0, 1), (1, 2)]
    assert topic.partitions[0].replica_nodes == topic.partitions[0].isr_nodes == (1, 2)
    if version >= 1:
        assert [b.rack for b in answer.brokers] == ["rack1", "rack2", "rack3"]
        assert answer.controller_id == 1
        assert topic.is_internal is False
    if version >= 2:
        assert answer.cluster_id == "cluster"
    if version >= 7:
        assert topic.partitions[0].leader_epoch == 3
    if version >= 8:
        assert topic.topic_authorized_operations == -(1 << 31)
    if version >= 10:
        assert topic.topic_id == id


def test_no_topics_means_all_in_version_0_and_none_later(broker: Broker) -> None:
    add_topic(broker.image, "a", (1,))
    add_topic(broker.image, "b", (1,))
    assert [t.name for t in ask(broker, 0).topics] == ["a", "b"]
    for version in (1, 9, 13):
        assert ask(broker, version).topics == ()
        assert [t.name for t in ask(broker, version, topics=None).topics] == ["a", "b"]


def test_internal_topics_are_marked(broker: Broker) -> None:
    add_topic(broker.image, "__consumer_offsets", (1,))
    assert ask(broker, 5, "__consumer_offsets").topics[0].is_internal


@pytest.mark.parametrize("version", [0, 5, 13])
def test_without_a_live_leader_it_is_not_available(broker: Broker, version: int) -> None:
    add_topic(broker.image, "t", (3, 2))
    broker.image.apply(r.BrokerRegistrationChange(broker_id=3, broker_epoch=30, fenced=1))
    answer = ask(broker, version, "t")
    assert [b.node_id for b in answer.brokers] == [1, 2]
    (p,) = answer.topics[0].partitions
    assert (p.error_code, p.leader_id) == (Error.LEADER_NOT_AVAILABLE, -1)
    if version >= 5:
        assert (p.replica_nodes, p.offline_replicas) == ((3, 2), (3,))
    else:
        assert p.replica_nodes == (2,)


def test_version_0_leaves_out_replicas_that_are_not_alive(broker: Broker) -> None:
    add_topic(broker.image, "t", (1, 2, 3))
    broker.image.apply(r.BrokerRegistrationChange(broker_id=3, broker_epoch=30, fenced=1))
    (p,) = ask(broker, 0, "t").topics[0].partitions
    assert (p.error_code, p.leader_id) == (Error.REPLICA_NOT_AVAILABLE, 1)
    assert p.replica_nodes == p.isr_nodes == (1, 2)


@pytest.mark.parametrize("version", [5, 8, 13])
def test_a_replica_on_an_offline_directory_of_a_live_broker_is_offline(
    broker: Broker, version: int
) -> None:
    add_topic(broker.image, "t", (1, 2))
    lose_directory(broker.image, 2, 0)
    (p,) = ask(broker, version, "t").topics[0].partitions
    assert (p.error_code, p.leader_id, p.offline_replicas) == (Error.NONE, 1, (2,))
    lose_directory(broker.image, 1, 1)
    assert ask(broker, version, "t").topics[0].partitions[0].offline_replicas == (2,)


def test_a_leader_that_is_not_on_this_listener(broker: Broker) -> None:
    add_topic(broker.image, "t", (1,))
    old = ask(broker, 5, "t", listener="OTHER")
    new = ask(broker, 6, "t", listener="OTHER")
    assert old.brokers == new.brokers == ()
    assert old.topics[0].partitions[0].error_code == Error.LEADER_NOT_AVAILABLE
    assert new.topics[0].partitions[0].error_code == Error.LISTENER_NOT_FOUND


@pytest.mark.parametrize("version", [0, 3, 4, 13])
def test_an_unknown_topic_is_made_on_demand(broker: Broker, version: int) -> None:
    answer = ask(broker, version, "new", "..", "newer", allow_auto_topic_creation=True)
    assert [(t.name, t.error_code) for t in answer.topics] == [
        ("new", Error.UNKNOWN_TOPIC_OR_PARTITION),
        ("..", Error.INVALID_TOPIC_EXCEPTION),
        ("newer", Error.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert broker.wanted == ["new", "newer"]


def test_nothing_is_made_where_client_or_broker_forbid_it() -> None:
    for broker, allowed in (
        (Broker(), False),
        (Broker(**{"auto.create.topics.enable": "false"}), True),
    ):
        answer = ask(broker, 9, "new", allow_auto_topic_creation=allowed)
        assert answer.topics[0].error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
        assert broker.wanted == []


@pytest.mark.parametrize("version", [12, 13])
@pytest.mark.parametrize("name", [None, "", "t", "new"])
def test_topics_by_id(broker: Broker, version: int, name: str | None) -> None:
    """Beside an id a name does not count: Java's AdminClient sends an empty one."""
    id = add_topic(broker.image, "t", (1,))
    topics = tuple(
        part(Key.METADATA, version, "MetadataRequestTopic", name=name, topic_id=i)
        for i in (id, topic_id("other"))
    )
    answer = ask(broker, version, topics=topics)
    assert [(t.error_code, t.name, t.topic_id) for t in answer.topics] == [
        (Error.NONE, "t", id),
        (Error.UNKNOWN_TOPIC_ID, None, topic_id("other")),
    ]
    assert broker.wanted == []


@pytest.mark.parametrize("version", [10, 11])
def test_topics_by_id_are_too_early_before_version_12(broker: Broker, version: int) -> None:
    id = add_topic(broker.image, "t", (1,))
    topic = part(Key.METADATA, version, "MetadataRequestTopic", name=None, topic_id=id)
    answer = ask(broker, version, topics=(topic,))
    assert [t.error_code for t in answer.topics] == [Error.INVALID_REQUEST]


def test_without_brokers_there_is_no_controller(broker: Broker) -> None:
    broker.image.brokers.clear()
    assert ask(broker, 9).controller_id == -1


@pytest.mark.spec("B-29")
def test_the_answer_waits_while_a_leader_has_just_fallen_silent(broker: Broker) -> None:
    add_topic(broker.image, "t", (1, 2))
    broker.silent.on_silent(1)
    desk = Desk(BROKER, broker, broker.out)
    topics = (part(Key.METADATA, 13, "MetadataRequestTopic", name="t"),)
    desk.send(request(Key.METADATA, 13, topics=topics))
    assert desk.answers() == []
    add_topic(broker.image, "t", (2, 1))
    broker.silent.on_brokers([1])
    broker.out.tick()
    (answer,) = desk.answers()
    assert [p.leader_id for p in answer.topics[0].partitions] == [2], "as it is by then"


@pytest.mark.spec("B-29")
def test_a_broker_that_has_just_died_is_named_with_the_next_leaders(broker: Broker) -> None:
    add_topic(broker.image, "t", (2, 1))
    broker.silent.on_silent(1)
    add_broker(broker.image, 1, fenced=True)
    broker.silent.on_brokers([1])
    answer = ask(broker, 13, "t")
    assert [b.node_id for b in answer.brokers] == [1, 2, 3]
    assert [list(p.offline_replicas) for p in answer.topics[0].partitions] == [[1]]
    broker.out.now += LAST
    broker.out.tick()
    assert [b.node_id for b in ask(broker, 13, "t").brokers] == [2, 3]
