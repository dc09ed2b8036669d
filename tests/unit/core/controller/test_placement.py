"""Placement: racks, even leaders, fenced and cordoned brokers."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.controller.kit import directory, incarnation

from spindle.core.controller.replica_placement import place
from spindle.model.errors import Error, Refusal
from spindle.model.metadata_records import RegisterBroker


def broker(
    number: int, rack: str | None = None, fenced: bool = False, cordoned: tuple[int, ...] = ()
) -> RegisterBroker:
    return RegisterBroker(
        broker_id=number,
        incarnation_id=incarnation(number),
        broker_epoch=number,
        rack=rack,
        fenced=fenced,
        log_dirs=(directory(number, 0), directory(number, 1)),
        cordoned_log_dirs=tuple(directory(number, n) for n in cordoned),
    )


@given(
    up=st.integers(1, 7),
    down=st.integers(0, 3),
    racks=st.integers(0, 3),
    count=st.integers(1, 40),
    seed=st.integers(0, 10_000),
    data=st.data(),
)
def test_every_placement_is_legal(
    up: int, down: int, racks: int, count: int, seed: int, data: st.DataObject
) -> None:
    brokers = [
        broker(n, f"r{n % racks}" if racks else None, fenced=n >= up) for n in range(up + down)
    ]
    replication = data.draw(st.integers(1, up + down))
    placed = place(brokers, count, replication, random.Random(seed))
    assert len(placed) == count
    for replicas in placed:
        assert len(set(replicas)) == replication
        assert replicas[0] < up, "a broker that is up leads"
        fenced = [n >= up for n in replicas]
        assert all(not (a and not b) for a, b in pairwise(fenced)), "fenced ones come last"


def test_replicas_spread_over_racks_and_leaders_over_brokers() -> None:
    brokers = [broker(n, f"r{n % 3}") for n in range(6)]
    placed = place(brokers, 600, 3, random.Random(3))
    assert all({n % 3 for n in replicas} == {0, 1, 2} for replicas in placed)
    assert Counter(replicas[0] for replicas in placed) == dict.fromkeys(range(6), 100)
    everywhere = Counter(n for replicas in placed for n in replicas)
    assert max(everywhere.values()) - min(everywhere.values()) <= 12


def test_the_followers_of_a_leader_vary() -> None:
    placed = place([broker(n) for n in range(5)], 100, 2, random.Random(1))
    followers = {leader: {f for first, f in placed if first == leader} for leader in range(5)}
    assert all(len(found) == 4 for found in followers.values())


@pytest.mark.parametrize(
    ("brokers", "replication"),
    [
        ([broker(1), broker(2)], 3),
        ([broker(1, fenced=True)], 1),
        ([], 1),
        ([broker(1), broker(2, cordoned=(0, 1))], 2),
    ],
)
def test_too_few_brokers(brokers: list[RegisterBroker], replication: int) -> None:
    with pytest.raises(Refusal) as refused:
        place(brokers, 1, replication, random.Random(0))
    assert refused.value.error is Error.INVALID_REPLICATION_FACTOR


def test_cordoned_brokers_get_nothing_and_half_cordoned_ones_do() -> None:
    brokers = [broker(1), broker(2, cordoned=(0, 1)), broker(3, cordoned=(1,))]
    placed = place(brokers, 20, 2, random.Random(0))
    assert {n for replicas in placed for n in replicas} == {1, 3}
