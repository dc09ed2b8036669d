"""Proposals: every replica on a broker of its own, racks apart, the load even."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.cli.reassign.placing import check_racks, generate
from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition


def partitions(count: int, factor: int) -> dict[TopicPartition, tuple[int, ...]]:
    return {TopicPartition("t", p): tuple(range(factor)) for p in range(count)}


@given(st.integers(1, 12), st.integers(1, 60), st.integers(1, 4), st.integers(0, 2**32))
def test_replicas_and_leaders_are_spread_evenly(
    brokers: int, count: int, factor: int, seed: int
) -> None:
    factor = min(factor, brokers)
    proposed = generate(partitions(count, factor), dict.fromkeys(range(brokers)), Random(seed))
    assert list(proposed) == sorted(proposed)
    assert all(len(set(replicas)) == factor for replicas in proposed.values())
    leaders = Counter(dict.fromkeys(range(brokers), 0))
    leaders.update(replicas[0] for replicas in proposed.values())
    held = Counter(dict.fromkeys(range(brokers), 0))
    held.update(b for replicas in proposed.values() for b in replicas)
    assert max(leaders.values()) - min(leaders.values()) <= 1
    assert max(held.values()) - min(held.values()) <= 2


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=12),
    st.integers(1, 40),
    st.integers(1, 4),
    st.integers(0, 2**32),
)
def test_replicas_lie_on_as_many_racks_as_they_can(
    racks: list[str], count: int, factor: int, seed: int
) -> None:
    factor = min(factor, len(racks))
    where = dict(enumerate(racks))
    proposed = generate(partitions(count, factor), where, Random(seed))
    for replicas in proposed.values():
        assert len({where[b] for b in replicas}) == min(factor, len(set(racks)))


def test_more_replicas_than_brokers_is_refused() -> None:
    with pytest.raises(Unusable, match="t-0 has 3 replicas, but only 2 brokers"):
        generate(partitions(1, 3), {1: None, 2: None}, Random(0))


def test_racks_of_some_brokers_only_are_refused() -> None:
    check_racks({1: "a", 2: "b"})
    check_racks({1: None, 2: None})
    with pytest.raises(Unusable, match="--disable-rack-aware"):
        check_racks({1: "a", 2: None})
