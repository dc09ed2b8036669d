"""The level that is fair, and the bytes that no plan can do without."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.planning.bands.bound import Edges, edges, lower_bound
from spindle.planning.load import Band, DirectoryLoad

EVEN = Band(0.0, 0.9)


def means(directories: list[DirectoryLoad], sizes: dict[str, int]) -> dict[str, Any]:
    around = edges(directories, [sizes[d.path] for d in directories], EVEN)
    return {d.path: pytest.approx(e.mean) for d, e in zip(directories, around, strict=True)}


def test_all_are_equally_full_by_their_capacity() -> None:
    disks = [DirectoryLoad("/a", 1000), DirectoryLoad("/b", 3000)]
    assert means(disks, {"/a": 400, "/b": 0}) == {"/a": 100, "/b": 300}


def test_closed_disks_keep_at_most_what_they_have() -> None:
    disks = [DirectoryLoad("/a", 1000), DirectoryLoad("/b", 1000, open=False)]
    assert means(disks, {"/a": 400, "/b": 100}) == {"/a": 400, "/b": 100}
    assert means(disks, {"/a": 100, "/b": 400}) == {"/a": 250, "/b": 250}


def test_disks_to_drain_keep_only_what_cannot_leave() -> None:
    disks = [DirectoryLoad("/a", 1000), DirectoryLoad("/b", 1000, drain=True)]
    around = edges(disks, [100, 300], EVEN, [0, 50])
    assert around[1] == Edges(0, 0, 50, 50)
    assert around[0].mean == pytest.approx(350)


def test_no_band_reaches_above_the_high_mark() -> None:
    disks = [DirectoryLoad("/a", 100), DirectoryLoad("/b", 100)]
    around = edges(disks, [100, 90], Band(0.05, 0.9))
    assert around[0].high == 90
    assert around[0].low <= around[0].high


def test_the_free_floor_is_a_mark_of_its_own() -> None:
    assert Band(0.0, 0.9, free_floor=200).mark(1000) == 800
    assert Band(0.0, 0.9, free_floor=50).mark(1000) == 900
    assert Band(0.0, 0.9, free_floor=2000).mark(1000) == 0


def test_a_replica_larger_than_any_share_stays_and_the_others_share_the_rest() -> None:
    disks = [DirectoryLoad(f"/{n}", 1000) for n in range(3)]
    sizes = [700, 100, 0]
    around = edges(disks, sizes, EVEN, None, [600, 100, 0])
    assert [round(e.high) for e in around] == [600, 100, 100]
    assert round(around[0].fair) == 100
    above_its_mark = edges(
        [d._replace(capacity=650) for d in disks], sizes, EVEN, None, [600, 0, 0]
    )
    assert round(above_its_mark[0].high) == 267


def test_the_bound_is_the_larger_of_what_is_too_much_and_what_is_missing() -> None:
    around = [Edges(90, 100, 110)] * 3
    assert lower_bound(around, [160, 70, 70]) == 50
    assert lower_bound(around, [120, 120, 60]) == 30


@settings(max_examples=cases(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 30)), min_size=1, max_size=6),
    st.sampled_from((0.0, 0.1, 0.3)),
)
def test_no_arrangement_at_all_is_cheaper_than_the_bound(
    replicas: list[tuple[int, int]], tolerance: float
) -> None:
    disks = [DirectoryLoad(f"/{n}", 1000) for n in range(3)]
    sizes = [sum(size for at, size in replicas if at == n) for n in range(3)]
    around = edges(disks, sizes, Band(tolerance, 1.0))
    bound = lower_bound(around, sizes)
    for places in itertools.product(range(3), repeat=len(replicas)):
        ends = [0, 0, 0]
        for place, (_, size) in zip(places, replicas, strict=True):
            ends[place] += size
        if all(e.outside(end) == 0 for e, end in zip(around, ends, strict=True)):
            moved = sum(s for at, (n, s) in zip(places, replicas, strict=True) if at != n)
            assert moved >= bound
