"""Rates and buckets, against Kafka's formulas written down once more, the slow way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.core.quotas.sampled_rate import SampledRate, TokenBucket, Windows

pytestmark = pytest.mark.spec("S-07")
TEN = Windows(11, 1.0)
UNITS = 1024
"""Of a second: a power of two, so that floats hold each time and both see the same bounds."""


def test_a_new_rate_counts_over_all_windows_but_one() -> None:
    rate = SampledRate(TEN)
    rate.record(500.0, 100.0)
    assert rate.window(100.0) == 10.0
    assert rate.measured(100.0) == 50.0
    assert rate.throttle(50.0, 100.0) == 0.0
    assert rate.throttle(25.0, 100.0) == pytest.approx(10.0)


def test_what_is_older_than_all_windows_no_longer_counts() -> None:
    rate = SampledRate(TEN)
    rate.record(500.0, 100.0)
    rate.record(10.0, 105.0)
    assert rate.measured(110.9) == pytest.approx(510 / 10.9)
    assert rate.measured(111.0) == pytest.approx(10 / 10.0)
    assert rate.measured(116.0) == 0.0


def test_what_is_taken_back_does_not_count() -> None:
    rate = SampledRate(TEN)
    rate.record(500.0, 100.0)
    rate.record(-500.0, 100.0)
    assert rate.measured(100.0) == 0.0


class SlowRate:
    """Kafka's SampledStat as it stands there: a ring of samples, in whole units of time."""

    def __init__(self, count: int, size: int) -> None:
        self.count, self.size = count, size
        self.samples: list[list[float]] = []
        self.current = 0

    def record(self, value: float, now: int) -> None:
        if not self.samples:
            self.samples.append([now, now, 0.0])
        if now - self.samples[self.current][0] >= self.size:
            self.current = (self.current + 1) % (self.count + 1)
            if self.current >= len(self.samples):
                self.samples.append([now, now, 0.0])
            else:
                self.samples[self.current] = [now, now, 0.0]
        self.samples[self.current][1] = now
        self.samples[self.current][2] += value

    def measured(self, now: int) -> float:
        for sample in self.samples:
            if now - sample[1] >= self.count * self.size:
                sample[:] = [now, now, 0.0]
        elapsed = now - min(sample[0] for sample in self.samples)
        missing = max(self.count - 1 - int(elapsed // self.size), 0)
        window = max((elapsed + missing * self.size) / UNITS, 0.001)
        return sum(sample[2] for sample in self.samples) / window


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 100_000)), min_size=1, max_size=60),
    st.integers(1, 12),
)
def test_it_is_kafkas_rate(steps: list[tuple[int, int]], count: int) -> None:
    ours, theirs, now = SampledRate(Windows(count, 1.0)), SlowRate(count, UNITS), 10_000
    for wait, value in steps:
        now += wait
        ours.record(value, now / UNITS)
        theirs.record(value, now)
        assert ours.measured(now / UNITS) == pytest.approx(theirs.measured(now), rel=1e-6, abs=1e-6)


@settings(deadline=None)
@given(st.lists(st.integers(1, 3000), min_size=5, max_size=200), st.integers(1, 5000))
def test_a_client_that_waits_as_it_should_keeps_to_its_rate(sizes: list[int], limit: int) -> None:
    """However much it sends at once, in the long run it gets no more than twice its quota."""
    rate, now, sent = SampledRate(TEN), 50.0, 0
    for size in sizes:
        rate.record(size, now)
        sent += size
        now += rate.throttle(limit, now)
    assert sent <= limit * 2 * (now - 50.0 + 10.0) + max(sizes)


def test_a_bucket_lets_bursts_pass_and_leaves_a_debt() -> None:
    bucket = TokenBucket(TEN)
    assert bucket.tokens(2.0, 5.0) == 22.0
    bucket.take(30, 2.0, 5.0)
    assert bucket.throttle(2.0, 5.0) == pytest.approx(4.0)
    assert bucket.throttle(2.0, 7.0) == pytest.approx(2.0)
    assert bucket.throttle(2.0, 9.0) == 0.0
    assert bucket.tokens(2.0, 100.0) == 22.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 50)), max_size=60), st.floats(0.1, 20))
def test_a_bucket_gives_no_more_than_comes(steps: list[tuple[float, int]], rate: float) -> None:
    bucket, now, taken = TokenBucket(TEN), 1.0, 0
    for wait, count in steps:
        now += wait
        if bucket.throttle(rate, now) == 0.0:
            bucket.take(count, rate, now)
            taken += count
    assert taken <= rate * (now - 1.0 + TEN.total) + 50 + 1e-6
