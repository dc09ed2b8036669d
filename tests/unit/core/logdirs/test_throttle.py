"""The rate of all moves: kept over every second, without bursts, changeable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.throttle import Throttle

MIB = 1 << 20


def run(throttle: Throttle, start: float, seconds: float, want: int) -> list[tuple[float, int]]:
    """Copy as fast as it lets us; (when, bytes)."""
    now, copied = start, []
    while now < start + seconds:
        granted = throttle.take(now, want)
        if granted:
            copied.append((now, granted))
        else:
            ready = throttle.ready_at(now, want)
            assert ready > now
            now = ready + 1e-9
    return copied


@pytest.mark.spec("K113-07", "B-10")
@given(st.integers(1, 1 << 32), st.sampled_from([1, 1000, MIB, 16 * MIB]))
def test_no_second_sees_more_than_the_rate(rate: int, want: int) -> None:
    copied = run(Throttle(rate, 0.0), 0.0, 3.0, max(want, rate // 50))
    for begin, _ in copied[:20]:
        inside = sum(size for at, size in copied if begin <= at < begin + 1.0)
        assert inside <= rate * 1.06 + 1


@pytest.mark.spec("K113-07")
def test_the_rate_is_reached() -> None:
    copied = run(Throttle(10 * MIB, 0.0), 0.0, 10.0, 16 * MIB)
    assert sum(size for _, size in copied) == pytest.approx(100 * MIB, rel=0.02)


@pytest.mark.spec("K113-07")
def test_idle_time_saves_no_more_than_one_second() -> None:
    throttle = Throttle(1000, 0.0)
    assert throttle.take(3600.0, 1 << 30) == 1000
    assert throttle.take(3600.0, 1 << 30) == 0


@pytest.mark.spec("K113-07")
def test_changed_while_running() -> None:
    throttle = Throttle(1000, 0.0)
    throttle.take(10.0, 1 << 20)
    throttle.set_rate(1 << 20, 10.0)
    assert throttle.take(10.5, 1 << 30) == 1 << 19
    throttle.set_rate(10, 20.0)
    assert throttle.take(20.0, 1 << 30) == 10


def test_what_was_not_used_comes_back_and_what_was_too_much_is_owed() -> None:
    throttle = Throttle(1000, 0.0)
    assert throttle.take(1.0, 1000) == 1000
    throttle.settle(1000, 400)
    assert throttle.take(1.0, 1000) == 600
    throttle.settle(600, 2600)
    assert throttle.take(2.9, 1000) == 0
    assert throttle.ready_at(2.9, 1000) == pytest.approx(3.05)
    assert throttle.take(3.06, 1000) > 0
