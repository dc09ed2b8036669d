"""Leaders: as many partitions and as much weight on each broker, by replicas' order alone."""

from __future__ import annotations

import random

import pytest

from spindle.planning.leaders import Leadership, WeightedPartition, even_leaders


def by_seed(seed: int) -> tuple[list[WeightedPartition], list[int]]:
    rng = random.Random(seed)
    brokers = [n * 2 + 1 for n in range(rng.randint(2, 8))]
    copies = min(len(brokers), rng.choice((2, 3)))
    partitions = [
        WeightedPartition(
            f"t{n % 3}", n, tuple(rng.sample(brokers, copies)), float(rng.randint(1, 100))
        )
        for n in range(rng.choice((1, 30, 200)))
    ]
    may = [b for b in brokers if rng.random() > 0.1] or brokers
    return partitions, may


def after(partitions: list[WeightedPartition], plan: Leadership) -> list[WeightedPartition]:
    new = {led[:2]: led for led in plan.orders}
    return [new.get(led[:2], led) for led in partitions]


@pytest.mark.spec("P-04")
def test_only_orders_change_parts_are_named_and_a_result_needs_no_plan() -> None:
    for seed in range(150):
        partitions, may = by_seed(seed)
        plan = even_leaders(partitions, may, 0.1)
        was = {led[:2]: led for led in partitions}
        for led in plan.orders:
            assert sorted(led.replicas) == sorted(was[led[:2]].replicas)
            assert led.replicas[0] != was[led[:2]].replicas[0]
        end = after(partitions, plan)
        for lead in plan.leads:
            first = [led for led in end if led.replicas[0] == lead.broker]
            assert lead.partitions_after == len(first)
            assert lead.weight_after == sum(led.weight for led in first)
        assert even_leaders(partitions[::-1], may, 0.1) == plan, "the order of the input"
        assert not even_leaders(end, may, 0.1).orders, f"seed {seed}: planned again"


@pytest.mark.spec("P-04")
def test_usual_clusters_end_even_in_number_and_in_weight() -> None:
    rng = random.Random(7)
    brokers = list(range(1, 7))
    partitions = [
        WeightedPartition("t", n, tuple(rng.sample(brokers, 3)), rng.lognormvariate(0, 1) * 1e9)
        for n in range(600)
    ]
    partitions = [
        led._replace(replicas=tuple(sorted(led.replicas))) for led in partitions
    ]  # The first brokers lead nearly all.
    plan = even_leaders(partitions, brokers, 0.05)
    assert plan.notes == ()
    assert {lead.partitions_after for lead in plan.leads} <= set(range(95, 106))
    weights = [lead.weight_after for lead in plan.leads]
    mean = sum(weights) / len(weights)
    assert max(weights) <= 1.05 * mean
    assert min(weights) >= 0.95 * mean
    assert max(lead.partitions_before for lead in plan.leads) > 250


@pytest.mark.spec("P-04")
def test_a_long_way_round_is_found() -> None:
    """Broker 1 leads all; 4 has replicas of partitions of 3 only: three changes in a row."""
    partitions = [
        *(WeightedPartition("a", n, (1, 2), 1.0) for n in range(8)),
        *(WeightedPartition("b", n, (2, 3), 1.0) for n in range(4)),
        *(WeightedPartition("c", n, (3, 4), 1.0) for n in range(4)),
    ]
    plan = even_leaders(partitions, [1, 2, 3, 4], 0.0)
    assert [lead.partitions_after for lead in plan.leads] == [4, 4, 4, 4]
    assert plan.notes == ()


@pytest.mark.spec("P-04")
def test_a_broker_that_must_not_lead_leads_nothing_where_there_is_another_replica() -> None:
    partitions = [
        WeightedPartition("t", 0, (1, 2), 5.0),
        WeightedPartition("t", 1, (1,), 5.0),
        WeightedPartition("t", 2, (3, 1), 5.0),
    ]
    plan = even_leaders(partitions, [2, 3], 0.1)
    assert [led.replicas for led in plan.orders] == [(2, 1)]
    assert (
        "broker 1 still leads 1 partition, and no other broker that may lead has a replica: t-1"
    ) in plan.notes


@pytest.mark.spec("P-04")
def test_a_drained_broker_leads_nothing_even_where_that_makes_the_others_less_even() -> None:
    partitions = [WeightedPartition("t", 0, (1, 2), 1.0), WeightedPartition("u", 0, (2,), 1000.0)]
    plan = even_leaders(partitions, [2, 3], 0.05)
    assert [(led.name, led.replicas) for led in plan.orders] == [("t-0", (2, 1))]
    assert {lead.broker: lead.partitions_after for lead in plan.leads} == {1: 0, 2: 2, 3: 0}
    assert "broker 3 leads nothing: it has no replica of any partition" in plan.notes


@pytest.mark.spec("P-04")
def test_no_drained_broker_leads_what_another_may() -> None:
    for seed in range(8):
        rng = random.Random(seed)
        partitions = [
            WeightedPartition(
                "t", n, tuple(rng.sample(range(30), rng.choice((1, 2, 3)))), rng.paretovariate(1)
            )
            for n in range(300)
        ]
        may = sorted(rng.sample(range(30), 24))
        plan = even_leaders(partitions, may, 0.05)
        end = after(partitions, plan)
        for led in end:
            assert led.replicas[0] in may or not set(led.replicas) & set(may), led
        assert not even_leaders(end, may, 0.05).orders, f"seed {seed}: planned again"
        alone = [led for led in end if led.replicas[0] not in may]
        told = [note for note in plan.notes if "still leads" in note]
        assert len(told) == len({led.replicas[0] for led in alone})


@pytest.mark.spec("P-04")
def test_a_mean_that_is_no_whole_number_is_shown_as_it_is() -> None:
    plan = even_leaders([WeightedPartition("t", 0, (1,), 3.0)], [1, 2], 0.05)
    assert any(", the mean is 0.5 with 2 B: " in note for note in plan.notes), plan.notes
    rates = even_leaders([WeightedPartition("t", 0, (1,), 3.0)], [1, 2], 0.05, "/s")
    assert any(" 3 B/s, the mean is 0.5 with 2 B/s: " in note for note in rates.notes), rates.notes


def test_nothing_is_led_where_nothing_is() -> None:
    assert even_leaders([], [], 0.1) == Leadership((), (), ())
    assert even_leaders([], [1], 0.1).orders == ()
