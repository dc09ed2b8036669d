"""Who leads: as many partitions and as much weight on each broker, by replicas' order alone."""

from __future__ import annotations

import random

import pytest

from spindle.planning.leaders import Leadership, Led, even_leaders


def by_seed(seed: int) -> tuple[list[Led], list[int]]:
    rng = random.Random(seed)
    brokers = [n * 2 + 1 for n in range(rng.randint(2, 8))]
    copies = min(len(brokers), rng.choice((2, 3)))
    partitions = [
        Led(f"t{n % 3}", n, tuple(rng.sample(brokers, copies)), float(rng.randint(1, 100)))
        for n in range(rng.choice((1, 30, 200)))
    ]
    may = [b for b in brokers if rng.random() > 0.1] or brokers
    return partitions, may


def after(partitions: list[Led], plan: Leadership) -> list[Led]:
    new = {led[:2]: led for led in plan.orders}
    return [new.get(led[:2], led) for led in partitions]


@pytest.mark.spec("P-04")
def test_only_orders_change_parts_are_told_and_a_result_needs_no_plan() -> None:
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
        Led("t", n, tuple(rng.sample(brokers, 3)), rng.lognormvariate(0, 1) * 1e9)
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
        *(Led("a", n, (1, 2), 1.0) for n in range(8)),
        *(Led("b", n, (2, 3), 1.0) for n in range(4)),
        *(Led("c", n, (3, 4), 1.0) for n in range(4)),
    ]
    plan = even_leaders(partitions, [1, 2, 3, 4], 0.0)
    assert [lead.partitions_after for lead in plan.leads] == [4, 4, 4, 4]
    assert plan.notes == ()


@pytest.mark.spec("P-04")
def test_who_shall_not_lead_leads_nothing_where_there_is_another_replica() -> None:
    partitions = [Led("t", 0, (1, 2), 5.0), Led("t", 1, (1,), 5.0), Led("t", 2, (3, 1), 5.0)]
    plan = even_leaders(partitions, [2, 3], 0.1)
    assert [led.replicas for led in plan.orders] == [(2, 1)]
    assert any(note.startswith("broker 1 leads 1 partition with") for note in plan.notes)


def test_nothing_is_led_where_nothing_is() -> None:
    assert even_leaders([], [], 0.1) == Leadership((), (), ())
    assert even_leaders([], [1], 0.1).orders == ()
