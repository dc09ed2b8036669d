"""A plan between brokers stands on the metadata: copies that no disk shows are not made twice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.unit.planning.clusters import simple

from spindle.planning.assigned_replicas import (
    UNSEEN,
    AssignedReplicas,
    CompletedModel,
    complete,
)
from spindle.planning.cluster_model import BrokerLoad, ClusterModel
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band, Plan
from spindle.planning.selection import is_movable

Names = Mapping[tuple[str, int], tuple[int, ...]]


def loads(*drained: int) -> dict[int, BrokerLoad]:
    return {b: BrokerLoad(b, None, True, b in drained) for b in range(1, 6)}


def completed(
    cluster: ClusterModel, replicas: Names, *drained: int, going: Names | None = None
) -> CompletedModel:
    assigned = AssignedReplicas(replicas=replicas, going=going or {})
    return complete(cluster, assigned, lambda b, _: loads(*drained)[b], True)


def planned(found: CompletedModel) -> Plan:
    return plan_cluster(found.cluster, Band(0.05), between=True)


ON_1: dict[int, dict[str, list[tuple[int, int]]]] = {
    1: {"/a": [(0, 100), (1, 100), (2, 100), (3, 100)]},
    2: {"/a": []},
}


def topic_of(cluster: ClusterModel) -> str:
    return cluster.partitions.topics[0]


@pytest.mark.spec("V-04")
def test_no_second_copy_goes_to_a_broker_whose_dead_disk_has_one() -> None:
    cluster = simple(ON_1)
    topic = topic_of(cluster)
    plain = plan_cluster(cluster, Band(0.05), between=True)
    assert {m.to for m in plain.moves} == {2}, "what disks show alone would double them"
    replicas = {(topic, 0): (1, 2), (topic, 1): (1, 2), (topic, 2): (1, 2), (topic, 3): (1,)}
    found = completed(cluster, replicas)
    plan = planned(found)
    assert [m.partition for m in plan.moves] == [3]
    assert not any(UNSEEN in note for note in plan.notes)
    (note,) = found.notes
    assert note.startswith("broker 2: 3 replicas are on a disk that is offline")
    assert "about 300 B, estimated" in note


@pytest.mark.spec("V-04")
def test_a_dead_broker_is_drained_by_what_the_others_have() -> None:
    cluster = simple({1: {"/a": [(0, 100), (1, 100)]}, 2: {"/a": []}})
    topic = topic_of(cluster)
    found = completed(cluster, {(topic, 0): (1, 3), (topic, 1): (1, 3)}, 3)
    moves = planned(found).moves
    assert [(m.broker, m.source, m.to, m.target, m.size) for m in moves] == [
        (3, UNSEEN, 2, "/a", 100)
    ] * 2
    assert found.notes[0].endswith("other brokers get them")


@pytest.mark.spec("V-04")
def test_a_partition_under_another_reassignment_stays_and_counts_where_it_goes() -> None:
    cluster = simple({1: {"/a": [(0, 100), (1, 100)]}, 2: {"/a": [(0, 10)]}, 3: {"/a": []}})
    topic = topic_of(cluster)
    going = {(topic, 0): (2,)}
    found = completed(cluster, {(topic, 0): (1, 2), (topic, 1): (1,)}, going=going)
    rows = found.cluster.replicas
    assert sorted(rows.size[rows.partition == 0].tolist()) == [0, 100]
    assert rows.pinned.tolist() == [True, True, False]
    assert planned(found).moves == ()
    part = complete(cluster, AssignedReplicas({}, {(topic, 0): (1, 2)}, going), BrokerLoad, False)
    rows = part.cluster.replicas
    assert sorted(rows.size[rows.partition == 0].tolist()) == [0, 10], "others may not be there"
    told = list(AssignedReplicas(replicas={}, going=going).notes())
    assert "1 partition is being reassigned by another party" in told[0]


def test_what_the_metadata_does_not_place_there_stays() -> None:
    cluster = simple(ON_1)
    topic = topic_of(cluster)
    found = completed(cluster, {(topic, 0): (2,), (topic, 1): (1,), (topic, 2): (1,)})
    rows = found.cluster.replicas
    # 0 is a stray on broker 1 and unseen on broker 2; of 3 the metadata knows nothing.
    pinned = {int(p) for p, held in zip(rows.partition, rows.pinned, strict=True) if held}
    assert pinned == {0, 3}


def test_without_metadata_nothing_changes() -> None:
    cluster = simple(ON_1)
    found = complete(cluster, AssignedReplicas(), lambda b, _: loads()[b], True)
    assert found == (cluster, ())


def test_partitions_on_no_disk_are_reported() -> None:
    cluster = simple(ON_1)
    topic = topic_of(cluster)
    replicas: dict[tuple[str, int], tuple[int, ...]] = {(topic, n): (1,) for n in range(4)}
    found = completed(cluster, {**replicas, ("gone", 0): (4,)})
    assert found.notes == ("1 partition has no replica on any disk that is planned with: gone-0",)


@pytest.mark.parametrize(("length", "may"), [(213, True), (214, False)])
def test_names_that_kafka_cannot_move_between_directories(length: int, may: bool) -> None:
    topic = "t" * length
    assert is_movable(topic, 0) is may
    told = list(AssignedReplicas(replicas={(topic, 0): (1,)}).notes())
    assert bool(told) is not may


def test_topics_that_disks_have_and_the_metadata_hides() -> None:
    assigned = AssignedReplicas(replicas={("seen", 0): (1,)})
    assert assigned.hidden({"seen", "secret"}) == ("secret",)
    assert AssignedReplicas().hidden({"secret"}) == ()
