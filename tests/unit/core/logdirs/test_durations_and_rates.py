"""Figures of moves: percentiles of durations, bytes per second of late."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.move_figures import LAST, WINDOW, Durations, RateMeter


def test_nothing_has_happened_yet() -> None:
    assert Durations().quantile(0.99) == 0.0
    assert RateMeter().per_second(5.0) == 0.0


@given(st.lists(st.floats(0, 100), min_size=1, max_size=300), st.floats(0.01, 1.0))
def test_a_share_of_the_times_is_not_above_its_quantile(times: list[float], share: float) -> None:
    durations = Durations()
    for seconds in times:
        durations.add(seconds)
    found = durations.quantile(share)
    assert found in times
    assert sum(t <= found for t in times) >= share * len(times) - 1e-6
    assert sum(t < found for t in times) <= share * len(times)
    assert durations.quantile(1.0) == max(times)
    assert durations.count == len(times)


def test_old_times_are_forgotten() -> None:
    durations = Durations()
    durations.add(9.0)
    for _ in range(LAST):
        durations.add(0.5)
    assert durations.quantile(1.0) == 0.5
    assert durations.total == pytest.approx(9.0 + LAST / 2)


def test_bytes_of_the_last_seconds_count() -> None:
    rate = RateMeter()
    for second in range(100):
        rate.add(second + 0.1, 300)
        rate.add(second + 0.6, 700)
    assert rate.per_second(99.9) == pytest.approx(1000)
    assert rate.per_second(99.9 + WINDOW / 2) == pytest.approx(500)
    assert rate.per_second(99.9 + WINDOW) == 0
    assert rate.total == 100_000
