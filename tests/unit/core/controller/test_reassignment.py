"""Reassignments: started, replaced, cancelled, completed by a leader."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.core.controller.kit import Cluster, directory

from spindle.core.controller import isr_proposals, reassignment
from spindle.core.controller.reassignment import TargetReplicas
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import UNASSIGNED, TopicPartition

T0 = TopicPartition("t", 0)


def scene(*replicas: int, brokers: tuple[int, ...] = (1, 2, 3, 4, 5)) -> Cluster:
    cluster = Cluster()
    cluster.start(*brokers)
    cluster.topic("t", replicas)
    return cluster


def alter(
    cluster: Cluster, replicas: tuple[int, ...] | None, allow: bool = True, **changes: Any
) -> Error:
    asked = TargetReplicas(partition=T0, replicas=replicas, **changes)
    return cluster.take(reassignment.alter(cluster.state, [asked], allow))[0].error


def shape(cluster: Cluster) -> tuple[tuple[int, ...], ...]:
    state = cluster.partition("t")
    return state.replicas, state.adding_replicas, state.removing_replicas


def join(cluster: Cluster, *members: int) -> isr_proposals.IsrAnswer:
    state = cluster.partition("t")
    proposal = isr_proposals.IsrProposal(
        partition=cluster.id("t"),
        leader_epoch=state.leader_epoch,
        partition_epoch=state.partition_epoch,
        isr=tuple((m, -1) for m in members),
    )
    epoch = cluster.image.brokers[state.leader].broker_epoch
    return cluster.take(
        isr_proposals.alter_partitions(cluster.state, state.leader, epoch, [proposal])
    )[0]


def test_from_start_to_end() -> None:
    cluster = scene(1, 2)
    cluster.assign(1, directory(1, 1), "t")
    assert alter(cluster, (3, 2)) is Error.NONE
    assert shape(cluster) == ((3, 2, 1), (3,), (1,))
    assert cluster.partition("t").directories == (UNASSIGNED, UNASSIGNED, directory(1, 1))
    assert list(reassignment.ongoing(cluster.state)) == [(T0, cluster.partition("t"))]
    assert cluster.partition("t").leader_epoch == 0
    answer = join(cluster, 1, 2, 3)
    assert answer.error is Error.NEW_LEADER_ELECTED
    assert shape(cluster) == ((3, 2), (), ())
    state = cluster.partition("t")
    assert (state.leader, state.isr, state.leader_epoch) == (3, (2, 3), 1)
    assert state.directories == (UNASSIGNED, UNASSIGNED)
    assert list(reassignment.ongoing(cluster.state)) == []


def test_the_leader_stays_where_it_may_and_its_epoch_rises() -> None:
    cluster = scene(1, 2)
    alter(cluster, (1, 3))
    answer = join(cluster, 1, 2, 3)
    assert answer.error is Error.NONE
    state = cluster.partition("t")
    assert (state.replicas, state.leader, state.leader_epoch) == ((1, 3), 1, 1)


def test_another_order_is_one_record() -> None:
    cluster = scene(1, 2)
    assert alter(cluster, (2, 1)) is Error.NONE
    assert shape(cluster) == ((2, 1), (), ())
    assert cluster.partition("t").leader == 1
    assert len(cluster.last) == 1


def test_fewer_replicas_at_once() -> None:
    cluster = scene(1, 2, 3)
    assert alter(cluster, (2,)) is Error.NONE
    assert shape(cluster) == ((2,), (), ())
    state = cluster.partition("t")
    assert (state.leader, state.isr, state.leader_epoch) == (2, (2,), 1)


def test_the_same_replicas_are_no_record() -> None:
    cluster = scene(1, 2)
    assert alter(cluster, (1, 2)) is Error.NONE
    assert cluster.last == ()


def test_a_dead_bystander_does_not_hold_it_up() -> None:
    """As Apache Kafka's PartitionReassignmentReplicas: all newcomers are in the ISR, so it ends."""
    cluster = scene(1, 2)
    cluster.beat(2, want_fence=True)
    alter(cluster, (3, 2))
    assert shape(cluster) == ((3, 2, 1), (3,), (1,))
    join(cluster, 1, 3)
    assert shape(cluster) == ((3, 2), (), ())
    assert cluster.partition("t").isr == (3,)


def test_with_fewer_replicas_all_that_stay_must_be_in_the_isr() -> None:
    cluster = scene(1, 2, 3)
    cluster.beat(3, want_fence=True)
    alter(cluster, (4, 3))
    join(cluster, 1, 2, 4)
    assert shape(cluster) == ((4, 3, 1, 2), (4,), (1, 2)), "two leave, one comes: 3 is awaited"
    cluster.beat(3)
    join(cluster, 1, 2, 3, 4)
    assert shape(cluster) == ((4, 3), (), ())


def test_cancelling_drops_a_newcomer_from_the_isr_beside_a_dead_bystander() -> None:
    cluster = scene(1, 2)
    cluster.beat(2, want_fence=True)
    alter(cluster, (3, 4, 2))
    join(cluster, 1, 3)
    assert shape(cluster) == ((3, 4, 2, 1), (3, 4), (1,))
    assert alter(cluster, None) is Error.NONE
    assert set(shape(cluster)[0]) == {1, 2}
    assert cluster.partition("t").isr == (1,)


def test_cancelling_goes_back() -> None:
    cluster = scene(1, 2)
    alter(cluster, (3, 4))
    assert shape(cluster) == ((3, 4, 1, 2), (3, 4), (1, 2))
    join(cluster, 1, 2, 3)
    assert alter(cluster, None) is Error.NONE
    assert shape(cluster) == ((1, 2), (), ())
    assert cluster.partition("t").isr == (1, 2)
    assert cluster.partition("t").leader_epoch == 1, "the broker that left must notice"


def test_replacing_remembers_where_it_began() -> None:
    cluster = scene(1, 2)
    alter(cluster, (3, 2))
    join(cluster, 1, 2)
    assert alter(cluster, (4, 2)) is Error.NONE
    replicas, adding, removing = shape(cluster)
    assert (replicas, adding, removing) == ((4, 2, 1, 3), (3, 4), (1, 3)), "by their ids"
    assert alter(cluster, None) is Error.NONE
    assert set(shape(cluster)[0]) == {1, 2}


def test_replacing_ends_with_the_new_target() -> None:
    cluster = scene(1, 2)
    alter(cluster, (3, 2))
    alter(cluster, (4, 2))
    join(cluster, 1, 2, 4)
    assert shape(cluster) == ((4, 2), (), ())


@pytest.mark.parametrize(
    ("replicas", "allow", "error"),
    [
        ((), True, Error.INVALID_REPLICA_ASSIGNMENT),
        ((1, 1), True, Error.INVALID_REPLICA_ASSIGNMENT),
        ((1, 99), True, Error.INVALID_REPLICA_ASSIGNMENT),
        ((1, 2, 3), False, Error.INVALID_REPLICATION_FACTOR),
        ((3, 4), False, Error.NONE),
        (None, True, Error.NO_REASSIGNMENT_IN_PROGRESS),
    ],
)
def test_what_is_refused(replicas: tuple[int, ...] | None, allow: bool, error: Error) -> None:
    cluster = scene(1, 2)
    assert alter(cluster, replicas, allow) is error


def test_unknown_partitions() -> None:
    cluster = scene(1, 2)
    asked = [
        TargetReplicas(partition=TopicPartition("t", 1), replicas=(1,)),
        TargetReplicas(partition=TopicPartition("nothing", 0), replicas=None),
    ]
    outcomes = cluster.take(reassignment.alter(cluster.state, asked))
    assert [o.error for o in outcomes] == [Error.UNKNOWN_TOPIC_OR_PARTITION] * 2
    assert list(reassignment.ongoing(cluster.state, {"t": (0, 1), "nothing": (0,)})) == []


def test_the_replication_factor_is_counted_by_the_target_under_way() -> None:
    cluster = scene(1, 2)
    assert alter(cluster, (3, 4, 5)) is Error.NONE
    assert alter(cluster, (3, 4), allow=False) is Error.INVALID_REPLICATION_FACTOR
    assert alter(cluster, (1, 2, 3), allow=False) is Error.NONE


def test_cancelling_must_not_lose_records() -> None:
    cluster = scene(1)
    alter(cluster, (2, 3))
    id = cluster.id("t")
    cluster.change(r.PartitionChange(partition_id=0, topic_id=id.topic_id, isr=(2,), leader=2))
    assert alter(cluster, None) is Error.INVALID_REPLICA_ASSIGNMENT
    assert shape(cluster) == ((2, 3, 1), (2, 3), (1,))


def test_a_new_replica_may_be_given_a_directory() -> None:
    cluster = scene(1, 2)
    place = directory(3, 1)
    assert alter(cluster, (3, 2), directories={3: place, 2: directory(2, 0)}) is Error.NONE
    # What is there already is moved by other means.
    assert cluster.partition("t").directories == (place, UNASSIGNED, UNASSIGNED)
    assert alter(cluster, (4, 2), directories={4: place}) is Error.LOG_DIR_NOT_FOUND


@pytest.mark.spec("N-08")
@pytest.mark.parametrize(
    ("replicas", "allow", "words"),
    [
        ((1,), False, "The replication factor is changed from 2 to 1"),
        ((), True, "The manual partition assignment includes an empty replica list."),
        (
            (1, 77),
            True,
            "The manual partition assignment includes broker 77, but no such broker is registered.",
        ),
        ((1, 1), True, "The manual partition assignment includes the broker 1 more than once."),
    ],
)
def test_a_refusal_has_the_words_that_kafkas_tools_show(
    replicas: tuple[int, ...], allow: bool, words: str
) -> None:
    cluster = scene(1, 2)
    asked = TargetReplicas(partition=T0, replicas=replicas)
    assert reassignment.alter(cluster.state, [asked], allow).answer[0].message == words


def test_directories_are_named_for_each_replica_or_for_none() -> None:
    here = directory(1, 0)
    assert TargetReplicas.of(T0, (1, 2), (here, None)).directories == {1: here}
    assert TargetReplicas.of(T0, (1, 2), ()) == TargetReplicas(partition=T0, replicas=(1, 2))
    assert TargetReplicas.of(T0, None, ()).replicas is None
    for replicas in (None, (1, 2)):
        with pytest.raises(Refusal, match="name one for each, or none") as refused:
            TargetReplicas.of(T0, replicas, (here,))
        assert refused.value.error is Error.INVALID_REQUEST
