"""Plans of small clusters beside an exact solver's: none is missed, and none is much dearer."""

from __future__ import annotations

import random

import pytest
from tests.unit.planning.clusters import after, carry_out
from tests.unit.planning.oracle import judge, plain_rates

from spindle.planning.between.levels import levels
from spindle.planning.cluster import BrokerLoad, Cluster, cluster_of
from spindle.planning.field import Field
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad
from spindle.planning.schedule import Limits
from spindle.planning.whole import plan_cluster


def small(seed: int) -> Cluster:
    """A few brokers with room, a few replicas, some of them giants; often a new broker."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    racks = rng.randint(2, 3) if rng.random() < 0.6 else 0
    brokers = [BrokerLoad(n, f"r{n % racks}" if racks else None) for n in range(count)]
    directories = {
        n: [DirectoryLoad(f"/{d}", 100_000) for d in range(rng.randint(1, 3))] for n in range(count)
    }
    replicas: dict[int, list[ReplicaLoad]] = {n: [] for n in directories}
    old = count - (1 if count > 2 and rng.random() < 0.4 else 0)
    for number in range(rng.choice((6, 10, 14))):
        size = min(6000, int(rng.paretovariate(1.5) * 800))
        for b in rng.sample(range(old), min(old, rng.choice((1, 2, 2)))):
            path = rng.choice(directories[b]).path
            replicas[b].append(ReplicaLoad("t", number, path, size))
    return cluster_of(brokers, directories, replicas)


def even(cluster: Cluster, end: Cluster, band: Band, between: bool) -> bool:
    """Whether the end is in the bands of the start."""
    before, field = Field(cluster, band), Field(end, band)
    if between:
        around = levels(before).directories
    else:
        around = [e for b in range(len(cluster.brokers)) for e in before.around(b)]
    return not any(e.outside(used) for e, used in zip(around, field.used, strict=True))


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("between", [True, False], ids=["between", "within"])
def test_what_a_solver_can_even_out_is_evened_out_for_hardly_more(between: bool) -> None:
    ratios, feasible, missed = [], 0, []
    for seed in range(24):
        cluster, band = small(seed), Band(random.Random(seed).choice((0.05, 0.1, 0.2)), 0.95)
        plan = plan_cluster(cluster, band, between=between)
        end = after(cluster, carry_out(cluster, plan, band, Limits()))
        verdict = judge(cluster, band, between)
        assert verdict.feasible is not None, f"seed {seed}: the solver needs longer"
        reached = even(cluster, end, band, between)
        assert verdict.feasible or not reached, f"seed {seed}: the solver misses what is there"
        if not verdict.feasible:
            assert plan.notes, f"seed {seed}: nothing is said"
            continue
        feasible += 1
        if not reached:
            missed.append(seed)
        elif verdict.cost:
            ratios.append((plan.bytes_moved + plan.bytes_between) / verdict.cost)
    assert feasible >= 8
    assert not missed
    assert sum(ratios) / len(ratios) <= 1.1


def rated(seed: int) -> Cluster:
    """A broker with few replicas: some large, some hot, some nearly a directory's whole part."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    replicas = [
        ReplicaLoad(
            "t", number, f"/{rng.randrange(count)}", min(9000, int(rng.paretovariate(1.2) * 700)),
            rate=float(min(9000, int(rng.paretovariate(1.2) * 700))),
        )
        for number in range(rng.choice((8, 12, 16)))
    ]  # fmt: skip
    directories = {0: [DirectoryLoad(f"/{d}", 100_000) for d in range(count)]}
    return cluster_of([BrokerLoad(0)], directories, {0: replicas})


@pytest.mark.spec("P-04")
def test_bands_of_bytes_and_rates_are_wider_only_where_no_plan_keeps_both() -> None:
    wider, feasible, missed = 0, 0, []
    for seed in range(60):
        cluster, band = rated(seed), Band(0.2, 0.95, rate_tolerance=0.3)
        before = Field(cluster, band)
        edges, rates = before.bands(0, before.around(0))
        assert rates is not None
        verdict = judge(cluster, band, between=False)
        assert verdict.feasible is not None, f"seed {seed}: the solver needs longer"
        plan = plan_cluster(cluster, band)
        if (edges, rates.edges) != (before.around(0), plain_rates(before, 0)):
            wider += 1
            both = judge(cluster, band, between=False, plain=True)
            assert both.feasible is False, f"seed {seed}: a plan keeps both bands"
        if not verdict.feasible:
            assert plan.notes, f"seed {seed}: nothing is said"
            continue
        feasible += 1
        carry_out(cluster, plan, band, Limits())
        shares = plan.shares[0]
        off = [e.outside(s.after) for e, s in zip(edges, shares, strict=True)]
        off += [e.outside(s.rate_after) for e, s in zip(rates.edges, shares, strict=True)]
        if any(off):
            missed.append(seed)
    assert wider >= 5
    assert feasible >= 20
    assert len(missed) <= 1
