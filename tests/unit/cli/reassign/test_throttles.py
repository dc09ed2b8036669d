"""Throttles as settings."""

from __future__ import annotations

from spindle.cli.reassign import throttles
from spindle.client.results import Change, Reassignment, Resource, ResourceType
from spindle.model.ids import TopicPartition

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)


def test_only_brokers_that_send_or_take_are_throttled() -> None:
    moving = throttles.travels(
        active={}, proposed={A0: (2, 3), A1: (1, 2), B0: (4,)}, current={A0: (1, 2), A1: (1, 2)}
    )
    assert moving == {A0: ((1, 2), (3,)), B0: ((), (4,))}


def test_a_reassignment_under_way_counts_with_its_own_senders() -> None:
    running = Reassignment(replicas=(1, 2, 3), adding=(3,), removing=(1,))
    moving = throttles.travels(active={A0: running}, proposed={A0: (2, 4)}, current={A0: (1, 2, 3)})
    assert moving == {A0: ((1, 2), (3, 4))}
    assert throttles.travels({A0: running}, {}, {}) == {A0: ((1, 2), (3,))}


def test_rates_and_lists_are_set_as_kafka_sets_them() -> None:
    topics, brokers = throttles.between_brokers({A0: ((1, 2), (3,)), A1: ((2,), (1,))}, 500)
    (changes,) = topics.values()
    assert [(c.name, c.change, c.value) for c in changes] == [
        ("leader.replication.throttled.replicas", Change.SET, "0:1,0:2,1:2"),
        ("follower.replication.throttled.replicas", Change.SET, "0:3,1:1"),
    ]
    assert [r.name for r in brokers] == ["1", "2", "3"]
    assert {c.value for changes in brokers.values() for c in changes} == {"500"}


def test_moves_are_throttled_on_their_brokers_alone() -> None:
    changes = throttles.between_directories([2, 1, 2], 700)
    assert list(changes) == [Resource(ResourceType.BROKER, "1"), Resource(ResourceType.BROKER, "2")]


def test_all_are_removed() -> None:
    brokers = throttles.removed_from_brokers([1])
    assert {c.name for c in brokers[Resource(ResourceType.BROKER, "1")]} == {
        throttles.LEADER_RATE,
        throttles.FOLLOWER_RATE,
        throttles.MOVE_RATE,
    }
    topics = throttles.removed_from_topics(["b", "a"])
    assert [r.name for r in topics] == ["a", "b"]
    assert {c.change for changes in topics.values() for c in changes} == {Change.DELETE}
