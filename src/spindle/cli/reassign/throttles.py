"""Throttles of a reassignment, as settings of topics and brokers, as Kafka's tool sets them.

Between brokers a throttle is two rates on each broker that sends or takes, and two lists of
`partition:broker` on each topic; between directories it is one rate on the broker (K113-07).
Pure. Called by `run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from spindle.client.results import Change, ConfigChange, Reassignment, Resource, ResourceType
from spindle.model.ids import NodeId, TopicPartition

LEADER_RATE: Final = "leader.replication.throttled.rate"
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
MOVE_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
RATES: Final = (LEADER_RATE, FOLLOWER_RATE, MOVE_RATE)
LEADER_REPLICAS: Final = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS: Final = "follower.replication.throttled.replicas"

Changes = dict[Resource, list[ConfigChange]]
Travel = tuple[tuple[NodeId, ...], tuple[NodeId, ...]]
"""The brokers that send a partition, and those that take it."""


def travels(
    active: Mapping[TopicPartition, Reassignment],
    proposed: Mapping[TopicPartition, Sequence[NodeId]],
    current: Mapping[TopicPartition, Sequence[NodeId]],
) -> dict[TopicPartition, Travel]:
    """The brokers that send and receive, of proposed moves and of moves in progress."""
    found: dict[TopicPartition, Travel] = {}
    for name in sorted({*active, *proposed}):
        running = active.get(name)
        senders = (
            tuple(b for b in running.replicas if b not in running.adding)
            if running is not None
            else tuple(current.get(name, ()))
        )
        wanted = [*(running.adding if running else ()), *proposed.get(name, ())]
        takers = tuple(dict.fromkeys(b for b in wanted if b not in senders))
        if takers:
            found[name] = (senders, takers)
    return found


def between_brokers(moving: Mapping[TopicPartition, Travel], rate: int) -> tuple[Changes, Changes]:
    """(changes of topics, changes of brokers) that hold these travels to `rate` bytes/s each."""
    lists: dict[str, tuple[list[str], list[str]]] = {}
    brokers: set[NodeId] = set()
    for name, (senders, takers) in moving.items():
        leaders, followers = lists.setdefault(name.topic, ([], []))
        leaders += [f"{name.partition}:{broker}" for broker in senders]
        followers += [f"{name.partition}:{broker}" for broker in takers]
        brokers.update(senders, takers)
    topics = {
        Resource(ResourceType.TOPIC, topic): [
            ConfigChange(LEADER_REPLICAS, Change.SET, ",".join(leaders)),
            ConfigChange(FOLLOWER_REPLICAS, Change.SET, ",".join(followers)),
        ]
        for topic, (leaders, followers) in lists.items()
    }
    rates = [
        ConfigChange(LEADER_RATE, Change.SET, str(rate)),
        ConfigChange(FOLLOWER_RATE, Change.SET, str(rate)),
    ]
    return topics, {_broker(b): list(rates) for b in sorted(brokers)}


def between_directories(brokers: Iterable[NodeId], rate: int) -> Changes:
    """Changes that hold all moves of these brokers to `rate` bytes/s each."""
    change = ConfigChange(MOVE_RATE, Change.SET, str(rate))
    return {_broker(b): [change] for b in sorted(set(brokers))}


def removed_from_brokers(brokers: Iterable[NodeId]) -> Changes:
    """Changes that take every throttle from these brokers."""
    names = RATES
    return {_broker(b): [ConfigChange(n, Change.DELETE) for n in names] for b in sorted(brokers)}


def removed_from_topics(topics: Iterable[str]) -> Changes:
    """Changes that take the lists of throttled replicas from these topics."""
    names = (LEADER_REPLICAS, FOLLOWER_REPLICAS)
    return {
        Resource(ResourceType.TOPIC, topic): [ConfigChange(n, Change.DELETE) for n in names]
        for topic in sorted(topics)
    }


def _broker(broker: NodeId) -> Resource:
    return Resource(ResourceType.BROKER, str(broker))
