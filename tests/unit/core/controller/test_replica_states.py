"""AlterReplicaState (KIP-589)."""

from __future__ import annotations

import uuid

import pytest
from tests.unit.core.controller.kit import Cluster, directory

from spindle.core.controller import replica_states
from spindle.core.controller.replica_states import Named, ReplicaState
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import ELR_VERSION, METADATA_VERSION
from spindle.model.ids import LOST, NO_LEADER, UNASSIGNED, TopicPartition


def alter(cluster: Cluster, state: int, *topics: str, broker: int = 1) -> list[Error]:
    epoch = cluster.image.brokers[broker].broker_epoch
    names = [Named(TopicPartition(topic, 0)) for topic in topics]
    return cluster.take(replica_states.alter(cluster.state, broker, epoch, state, names))


def test_an_offline_replica_moves_leadership_and_leaves_its_neighbours() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    for name in ("bad", "good"):
        cluster.topic(name, (1, 2))
        cluster.assign(1, directory(1, 0), name)
    cluster.topic("elsewhere", (2,))
    assert alter(cluster, ReplicaState.OFFLINE, "bad", "nothing", "elsewhere") == [
        Error.NONE,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.NOT_LEADER_OR_FOLLOWER,
    ]
    bad, good = cluster.partition("bad"), cluster.partition("good")
    assert (bad.leader, bad.isr, bad.directories[0]) == (2, (2,), LOST)
    assert (good.leader, good.isr, good.directories[0]) == (1, (1, 2), directory(1, 0))
    assert len(cluster.image.brokers[1].log_dirs) == 2
    assert alter(cluster, ReplicaState.OFFLINE, "bad") == [Error.NONE]
    assert cluster.last == ()


def test_a_report_on_a_topic_that_was_made_again_since_is_not_about_this_one() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    epoch = cluster.image.brokers[1].broker_epoch
    for topic_id, error in (
        (uuid.UUID(int=5), Error.UNKNOWN_TOPIC_OR_PARTITION),
        (cluster.id("t").topic_id, Error.NONE),
    ):
        names = [Named(TopicPartition("t", 0), topic_id)]
        asked = replica_states.alter(cluster.state, 1, epoch, ReplicaState.OFFLINE, names)
        assert cluster.take(asked) == [error]
        assert (cluster.partition("t").leader == 2) == (error is Error.NONE)


def test_a_replica_that_is_back_may_lead_where_no_replica_does() -> None:
    cluster = Cluster()
    cluster.start(1)
    cluster.topic("t", (1,))
    cluster.assign(1, directory(1, 0), "t")
    alter(cluster, ReplicaState.OFFLINE, "t")
    assert cluster.partition("t").leader == NO_LEADER
    assert alter(cluster, ReplicaState.ONLINE, "t") == [Error.NONE]
    state = cluster.partition("t")
    assert (state.leader, state.directories) == (1, (UNASSIGNED,))
    cluster.assign(1, directory(1, 1), "t")
    assert alter(cluster, ReplicaState.ONLINE, "t") == [Error.NONE]
    assert cluster.partition("t").directories == (directory(1, 1),)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_damaged_replica_is_no_eligible_leader_unless_it_is_the_last(damaged: bool) -> None:
    cluster = Cluster(levels={METADATA_VERSION: 30, ELR_VERSION: 1})
    cluster.start(1, 2)
    cluster.topic("t", (1, 2), configs={"min.insync.replicas": "2"})
    cluster.assign(1, directory(1, 0), "t")
    cluster.assign(2, directory(2, 0), "t")

    def offline(broker: int) -> None:
        epoch = cluster.image.brokers[broker].broker_epoch
        names = [Named(TopicPartition("t", 0))]
        state = ReplicaState.OFFLINE
        cluster.take(
            replica_states.alter(cluster.state, broker, epoch, state, names, damaged=damaged)
        )

    offline(1)
    state = cluster.partition("t")
    assert (state.leader, state.isr, state.elr) == (2, (2,), () if damaged else (1,))
    offline(2)
    state = cluster.partition("t")
    assert (state.leader, state.isr) == (NO_LEADER, ())
    assert 2 in state.elr


def test_refusals() -> None:
    cluster = Cluster()
    cluster.start(1)
    epoch = cluster.image.brokers[1].broker_epoch
    for asked_epoch, new_state, error in (
        (epoch + 1, 9, Error.STALE_BROKER_EPOCH),
        (epoch, 0, Error.UNKNOWN_EVENT_TYPE),
        (epoch, 3, Error.UNKNOWN_EVENT_TYPE),
    ):
        with pytest.raises(Refusal) as refused:
            replica_states.alter(cluster.state, 1, asked_epoch, new_state, [])
        assert refused.value.error is error
    old = Cluster(levels={METADATA_VERSION: 16})
    old.start(1)
    with pytest.raises(Refusal) as refused:
        alter(old, ReplicaState.OFFLINE)
    assert refused.value.error is Error.UNSUPPORTED_VERSION
