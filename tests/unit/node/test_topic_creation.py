"""Topics made on demand: what the controller is asked, and how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.broker_context import context
from tests.support.cluster_image import three_brokers
from tools.messages.entities import make, response_types

from spindle.model.errors import Error, PeerFailed
from spindle.node.topic_creation import IN_FLIGHT_MAX, OFFSETS_TOPIC, TopicCreation, is_legal
from spindle.wire.apis import Key


class Broker:
    """A broker whose controller is the test."""

    def __init__(self, **settings: str) -> None:
        self.asked: list[tuple[Any, Callable[[Any], None]]] = []
        ground = context(settings, image=three_brokers(), ask=self._ask)
        self.image, self.out = ground.image, ground.out
        self.creation = TopicCreation(ground)

    def _ask(
        self, channel: str, entity: Any, version: int, then: Callable[[Any], None], timeout: float
    ) -> None:
        assert (channel, version) == ("forwarding", 7)
        self.asked.append((entity, then))

    def want(self, *names: str) -> list[str]:
        """Names that the controller is asked for."""
        before = len(self.asked)
        self.creation.want(names)
        return [t.name for entity, _ in self.asked[before:] for t in entity.topics]

    def said(self) -> list[str]:
        ready = self.out.take()
        return [] if ready is None else [s.event for s in ready.log_lines]


def reply(error: Error, *names: str) -> Any:
    types = response_types(Key.CREATE_TOPICS, 7)
    return make(
        types.CreateTopicsResponse,
        topics=tuple(
            make(types.CreatableTopicResult, name=name, error_code=error) for name in names
        ),
    )


def test_ordinary_topics_are_as_the_broker_is_set() -> None:
    broker = Broker(**{"num.partitions": "6", "default.replication.factor": "2"})
    assert broker.want("a", "b", "a") == ["a", "b"]
    (entity, _) = broker.asked[0]
    assert [(t.num_partitions, t.replication_factor, t.configs) for t in entity.topics] == [
        (6, 2, ())
    ] * 2


def test_a_topic_is_asked_for_once_at_a_time() -> None:
    broker = Broker()
    broker.want("a")
    assert broker.want("a", "b") == ["b"]
    broker.asked[0][1](reply(Error.NONE, "a"))
    assert broker.want("a") == ["a"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(Error.TOPIC_ALREADY_EXISTS, "a"), []),
        (reply(Error.INVALID_REPLICATION_FACTOR, "a"), ["topic not created"]),
        (PeerFailed("gone"), ["topics not created"]),
    ],
)
def test_failures_are_said_and_may_be_tried_again(answer: Any, words: list[str]) -> None:
    broker = Broker()
    broker.want("a")
    broker.asked[0][1](answer)
    assert broker.said() == words
    assert broker.want("a") == ["a"]


@pytest.mark.parametrize(("brokers", "replicas"), [(3, 3), (2, 2), (1, 1)])
def test_the_offsets_topic_is_as_set_but_fits_a_small_cluster(brokers: int, replicas: int) -> None:
    broker = Broker(**{"offsets.topic.num.partitions": "7"})
    for gone in range(brokers + 1, 4):
        del broker.image.brokers[gone]
    broker.want(OFFSETS_TOPIC)
    (topic,) = broker.asked[0][0].topics
    assert (topic.num_partitions, topic.replication_factor) == (7, replicas)
    assert {c.name: c.value for c in topic.configs} == {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": "104857600",
    }
    assert bool(broker.said()) is (replicas < 3)


def test_only_so_many_topics_are_under_way() -> None:
    broker = Broker()
    names = [f"t{n}" for n in range(IN_FLIGHT_MAX + 5)]
    assert len(broker.want(*names)) == IN_FLIGHT_MAX
    assert broker.want("one-more") == []


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("a.b_c-D9", True),
        ("x" * 249, True),
        ("x" * 250, False),
        ("", False),
        (".", False),
        ("..", False),
        ("a b", False),
        ("ä", False),
        ("a\n", False),
    ],
)
def test_legal_names(name: str, legal: bool) -> None:
    assert is_legal(name) is legal
