"""Straight lines through what grows: with steps, jumps, gaps."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from spindle.pipeline.growth import fit

HOUR = 3600.0


def hours(count: int) -> list[float]:
    return [HOUR * n for n in range(count)]


def test_even_growth_is_found_exactly() -> None:
    line = fit(hours(50), [7200.0] * 50)
    assert line is not None
    assert line == pytest.approx((2.0, 2.0, 2.0))


def test_nothing_is_told_of_one_moment() -> None:
    assert fit([1.0], [5.0]) is None
    assert fit([], []) is None
    assert fit([1.0, 1.0], [5.0, 5.0]) is None


@pytest.mark.spec("P-12")
def test_retention_in_steps_is_part_of_growth() -> None:
    """Each hour 100 come, each tenth hour 800 go: 20 an hour in the long run."""
    steps = [100.0 - (800.0 if n % 10 == 9 else 0.0) for n in range(168)]
    line = fit(hours(168), steps)
    assert line is not None
    assert line.slope * HOUR == pytest.approx(20.0, rel=0.15)
    assert line.low <= line.slope <= line.high


@pytest.mark.spec("P-12")
@pytest.mark.parametrize("where", [10, 84, 150])
@pytest.mark.parametrize("jump", [50_000.0, -50_000.0])
def test_a_bulk_load_and_a_deleted_topic_are_no_growth(where: int, jump: float) -> None:
    rng = Random(where)
    steps = [100.0 + rng.uniform(-20, 20) for _ in range(168)]
    steps[where] += jump
    line = fit(hours(168), steps)
    assert line is not None
    assert line.slope * HOUR == pytest.approx(100.0, rel=0.05)


def test_a_gap_in_the_samples_changes_nothing() -> None:
    at = [HOUR * n for n in range(100) if not 30 <= n < 60]
    spans = [HOUR, *(b - a for a, b in pairwise(at))]
    line = fit(at, [3.0 * span for span in spans])
    assert line is not None
    assert line.slope == pytest.approx(3.0)


def test_what_shrinks_has_a_slope_below_nothing() -> None:
    line = fit(hours(20), [-10.0] * 20)
    assert line is not None
    assert line.slope * HOUR == pytest.approx(-10.0)
