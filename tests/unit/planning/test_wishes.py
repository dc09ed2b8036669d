"""Topics that stay as they are, racks that are to be mended, and rates that cannot be met."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from tests.support.amounts import cases
from tests.unit.planning.clusters import after, carry_out, simple

from spindle.planning.broker_planner import plan_broker
from spindle.planning.cluster_model import BrokerLoad, cluster_of
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import Selection
from spindle.planning.within import search, trade

KEPT = Selection(exclude_topics=("kept",))
DISKS = [DirectoryLoad(f"/{n}", 1000) for n in range(2)]


@pytest.mark.spec("P-04")
def test_an_excluded_topic_stays_and_the_others_share_what_is_left() -> None:
    replicas = [
        ReplicaLoad("kept", 0, "/0", 90),
        *(ReplicaLoad("t", n, "/0", 30) for n in range(9)),
    ]
    plan = plan_broker(1, DISKS, replicas, Band(0.05), selection=KEPT)
    assert {move.topic for move in plan.moves} == {"t"}
    assert [share.after for share in plan.shares] == [180, 180]


@pytest.mark.spec("P-04", "V-04")
def test_of_a_topic_only_the_partitions_that_are_named_move() -> None:
    replicas = [ReplicaLoad("t", n, "/0", 30) for n in range(10)]
    named = Selection(partitions=("t:4-8",), exclude_partitions=("t:5",))
    plan = plan_broker(1, DISKS, replicas, Band(0.0), selection=named)
    assert {move.partition for move in plan.moves} == {4, 6, 7}


@pytest.mark.spec("P-04")
def test_a_directory_that_holds_an_excluded_topic_is_not_emptied_and_the_topic_is_named() -> None:
    replicas = [ReplicaLoad("kept", n, "/0", 90) for n in range(2)] + [ReplicaLoad("t", 0, "/0", 5)]
    disks = [DISKS[0]._replace(drain=True), DISKS[1]]
    plan = plan_broker(1, disks, replicas, Band(0.05), selection=KEPT)
    assert [move.topic for move in plan.moves] == ["t"]
    told = "2 replicas are excluded: kept-0, kept-1"
    assert plan.notes == (f"/0 cannot be emptied: {told}",)
    cluster = cluster_of(
        [BrokerLoad(1, drain=True), BrokerLoad(2)],
        {1: DISKS, 2: DISKS},
        {1: replicas, 2: []},
        KEPT,
    )
    wide = plan_cluster(cluster, Band(0.05), between=True)
    assert wide.notes[0] == f"broker 1 cannot be emptied: {told}"
    assert {move.topic for move in wide.moves} == {"t"}


@pytest.mark.spec("P-04")
def test_replicas_that_share_a_rack_without_need_are_named_and_parted_where_asked() -> None:
    both = [(n, 10) for n in range(6)]
    cluster = simple(
        {1: {"/a": both}, 2: {"/a": both}, 3: {"/a": []}}, racks={1: "x", 2: "x", 3: "y"}
    )
    plan = plan_cluster(cluster, Band(0.5), between=True)
    assert "share a rack while brokers of another have none: t-" in plan.notes[0]
    mended = plan_cluster(cluster, Band(0.5), between=True, mend_racks=True)
    end = after(cluster, carry_out(cluster, mended, Band(0.5), WaveLimits()))
    assert {m.to for m in mended.moves} == {3}
    assert sum(s.after for s in mended.shares[3]) == 60
    assert not [note for note in mended.notes if "rack while" in note]
    assert plan_cluster(end, Band(0.5), between=True, mend_racks=True).moves == ()


@pytest.mark.spec("P-04")
def test_racks_are_mended_on_random_clusters_and_a_result_needs_no_plan() -> None:
    for seed in range(cases(12)):
        rng = random.Random(seed)
        brokers = [BrokerLoad(n, f"r{n % 3}") for n in range(6)]
        replicas: dict[int, list[ReplicaLoad]] = {n: [] for n in range(6)}
        for number in range(30):
            size = rng.randint(1, 30)
            for b in rng.sample(range(6), 3):
                replicas[b].append(ReplicaLoad("t", number, f"/{rng.randrange(2)}", size))
        cluster = cluster_of(brokers, dict.fromkeys(range(6), DISKS), replicas)
        band = Band(0.1, 0.9)
        plan = plan_cluster(cluster, band, WaveLimits(), True, True)
        end = after(cluster, carry_out(cluster, plan, band, WaveLimits()))
        assert not [note for note in plan.notes if "share a rack" in note], f"seed {seed}"
        assert plan_cluster(end, band, WaveLimits(), True, True).moves == (), f"seed {seed}"


@pytest.mark.spec("P-04")
def test_rates_that_cannot_be_met_cost_a_bounded_number_of_looks() -> None:
    rng = random.Random(6)
    disks = [DirectoryLoad(f"/{n}", rng.choice((500, 1000, 2000)) * 1000) for n in range(12)]
    replicas = [
        ReplicaLoad("t", n, f"/{rng.randrange(12)}", rng.randint(1, 200_000),
                    rate=rng.paretovariate(0.7) * 100)
        for n in range(25)
    ]  # fmt: skip
    looks = 0
    plain = trade.moves

    def counted(*sides: trade.Side) -> object:
        nonlocal looks
        looks += 1
        return plain(*sides)

    with patch.object(trade, "moves", counted):
        plan = plan_broker(1, disks, replicas, Band(0.05, rate_tolerance=0.2))
    assert plan.notes
    assert looks <= 24 * 4 * search.EFFORT
