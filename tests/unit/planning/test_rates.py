"""Write rates beside bytes: both evened, on one broker and between brokers; reasons where not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.amounts import cases
from tests.unit.planning import many
from tests.unit.planning.brokers import by_seed
from tests.unit.planning.clusters import carry_out, simple

from spindle.planning.broker_planner import plan_broker
from spindle.planning.cluster_model import ClusterModel
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band, DirectoryLoad, DirectoryShare, ReplicaLoad
from spindle.planning.schedule import WaveLimits

BAND = Band(0.02, rate_tolerance=0.05)


def rated(cluster: ClusterModel, of: dict[int, float]) -> ClusterModel:
    """The cluster with the rate of each partition of topic t."""
    replicas = cluster.replicas
    numbers = cluster.partitions.number[replicas.partition]
    rates = replicas.rate.copy()
    for n, number in enumerate(numbers.tolist()):
        rates[n] = of.get(number, 0.0)
    return replace(cluster, replicas=replicas._replace(rate=rates))


def spread(shares: tuple[DirectoryShare, ...]) -> tuple[float, float]:
    """How far the worst directory is from the mean: of bytes, of rates."""
    sizes, rates = [s.after for s in shares], [s.rate_after for s in shares]
    size, rate = sum(sizes) / len(sizes), sum(rates) / len(rates)
    return max(abs(s - size) / size for s in sizes), max(abs(r - rate) / rate for r in rates)


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("between", [True, False], ids=["between", "within"])
def test_no_rule_is_broken_where_rates_count_and_a_result_needs_no_plan(between: bool) -> None:
    for seed in range(cases(15)):
        many.check(seed, between, rates=True)


@pytest.mark.spec("P-04")
def test_hot_and_cold_replicas_are_exchanged_where_bytes_are_even() -> None:
    directories = [DirectoryLoad("/a", 1000), DirectoryLoad("/b", 1000)]
    replicas = [
        ReplicaLoad("t", n, "/a" if n < 10 else "/b", 20, rate=100.0 if n < 10 else 0.0)
        for n in range(20)
    ]
    assert not plan_broker(1, directories, replicas, Band(0.02)).moves
    plan = plan_broker(1, directories, replicas, BAND)
    assert len(plan.moves) == 10
    assert spread(plan.shares) == (0.0, 0.0)
    assert plan.notes == ()


@pytest.mark.spec("P-04")
def test_a_new_disk_gets_its_part_of_bytes_and_of_rates_for_few_bytes_more() -> None:
    ratios = []
    for seed in range(3):
        directories, replicas = by_seed(seed, replicas=700)
        rates = [1000.0 + (n * 7919) % 9000 for n in range(len(replicas))]
        replicas = [r._replace(rate=rate) for r, rate in zip(replicas, rates, strict=True)]
        plan = plan_broker(1, directories, replicas, BAND)
        sizes, flows = spread(plan.shares)
        assert sizes <= 0.02
        assert flows <= 0.05
        assert not plan.notes
        ratios.append(plan.bytes_moved / plan.bound)
    assert sorted(ratios)[len(ratios) // 2] <= 1.10


@pytest.mark.spec("P-04")
def test_a_replica_with_more_than_a_fair_share_of_writes_is_named() -> None:
    directories = [DirectoryLoad("/a", 1000), DirectoryLoad("/b", 1000)]
    replicas = [ReplicaLoad("t", n, ("/a", "/b")[n % 2], 10, rate=1.0) for n in range(20)]
    replicas.append(ReplicaLoad("hot", 0, "/a", 10, rate=9_000_000.0))
    replicas.append(ReplicaLoad("cold", 0, "/b", 10, rate=0.0))
    plan = plan_broker(1, directories, replicas, BAND)
    assert any("hot-0 alone takes 8.6 MiB/s, more than a fair share" in note for note in plan.notes)


@pytest.mark.spec("P-04")
def test_brokers_are_evened_by_rates_too_with_racks_kept() -> None:
    racks = {1: "x", 2: "y", 3: "z"}
    cluster = rated(
        simple({b: {"/a": [(b * 100 + n, 10) for n in range(24)]} for b in (1, 2, 3)}, racks=racks),
        {100 + n: 50.0 for n in range(24)} | {200 + n: 10.0 for n in range(24)},
    )
    assert not plan_cluster(cluster, Band(0.02), between=True).moves
    plan = plan_cluster(cluster, BAND, between=True)
    carry_out(cluster, plan, BAND, WaveLimits())
    flows = [sum(s.rate_after for s in shares) for shares in plan.shares.values()]
    assert max(flows) <= 1.05 * 480
    assert min(flows) >= 0.95 * 480
    assert {s.after for shares in plan.shares.values() for s in shares} == {240}
    assert plan.notes == ()


@pytest.mark.spec("P-04")
def test_a_replica_that_cannot_share_a_disk_evenly_is_named_and_the_rest_is_even() -> None:
    # 980 of the 1010 bytes that a disk may have, hardly written to; what is hot is 50 bytes each.
    directories = [DirectoryLoad(f"/{n}", 2000) for n in range(3)]
    replicas = [ReplicaLoad("large", 0, "/0", 980, rate=10.0)]
    replicas += [ReplicaLoad("t", n, f"/{n % 3}", 50, rate=1000.0) for n in range(40)]
    plan = plan_broker(1, directories, replicas, Band(0.02, rate_tolerance=0.1))
    large, *others = sorted(plan.shares, key=lambda share: -share.after)
    assert large.path == "/0"
    assert large.rate_after >= 0.9 * 40_010 / 3
    assert [share.after for share in others] == [700, 700]
    assert any("/0 stays" in note and "large-0 has 980 B" in note for note in plan.notes)
    assert not [note for note in plan.notes if "/0" not in note]
