"""Replication throttles: how rates are measured, and whom a list names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.replica.quota import Quota, throttled_replicas

pytestmark = pytest.mark.spec("S-07")


@pytest.mark.parametrize(
    ("named", "broker", "partitions"),
    [
        ((), 1, set()),
        (("*",), 1, {0, 1, 2}),
        (("0:1", "1:2", "2:1"), 1, {0, 2}),
        (("0:1", "1:2", "2:1"), 2, {1}),
        (("0:11",), 1, set()),
    ],
)
def test_a_list_names_partitions_of_a_broker(
    named: tuple[str, ...], broker: int, partitions: set[int]
) -> None:
    found = throttled_replicas(named, broker)
    assert {p for p in range(3) if p in found} == partitions


def test_a_rate_is_the_mean_of_the_windows_and_never_of_less_than_one() -> None:
    quota = Quota(11, 1.0)
    assert quota.rate(5.0) == 0
    quota.record(1000, 10.0)
    assert quota.rate(10.0) == 1000, "of one window, though no time has passed"
    assert quota.rate(12.0) == 500
    quota.record(3000, 14.0)
    assert quota.rate(14.0) == 1000
    assert not quota.is_exceeded(1000, 14.0), "the rate itself is allowed"
    assert quota.is_exceeded(999, 14.0)


def test_what_is_older_than_all_windows_is_forgotten() -> None:
    quota = Quota(3, 1.0)
    quota.record(900, 0.0)
    quota.record(300, 2.0)
    assert quota.rate(2.9) == pytest.approx(1200 / 2.9)
    assert quota.rate(3.0) == pytest.approx(300 / 1.0), "the first window has ended its life"
    assert quota.rate(5.0) == 0


@given(
    st.integers(1, 20),
    st.integers(1000, 1_000_000),
    st.lists(st.tuples(st.floats(0.001, 3.0), st.integers(1, 500_000)), min_size=1, max_size=60),
)
def test_a_sender_that_waits_while_it_is_exceeded_keeps_to_the_rate(
    windows: int, limit: int, pieces: list[tuple[float, int]]
) -> None:
    """Over any stretch of time: the rate, and what was under way when it was reached."""
    quota, now, sent = Quota(windows, 1.0), 0.0, []
    largest = max(size for _, size in pieces)
    for pause, size in pieces:
        now += pause
        if not quota.is_exceeded(limit, now):
            quota.record(size, now)
            sent.append((now, size))
    kept = windows * 1.0
    for began, _ in sent:
        stretch = [(at, size) for at, size in sent if began <= at < began + kept]
        assert sum(size for _, size in stretch) <= limit * (kept + 1) + largest


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(0, 1000)), max_size=40))
def test_no_pause_is_for_ever(events: list[tuple[float, int]]) -> None:
    quota, now = Quota(11, 1.0), 0.0
    for pause, size in events:
        now += pause
        quota.record(size, now)
    assert not quota.is_exceeded(0, now + 11.1)
