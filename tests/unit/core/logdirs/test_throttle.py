"""The rates of moves: kept over every second, without bursts, for broker and disks, changeable."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.core.logdirs.copy_limits import Throttle, Throttles

MIB = 1 << 20
FREE = 1 << 60
PAIRS = [("/a", "/b"), ("/b", "/a"), ("/a", "/c"), ("/c", "/d")]
Copied = list[tuple[float, int, tuple[str, str]]]


def run(
    throttles: Throttles, start: float, seconds: float, want: int, pairs: list[tuple[str, str]]
) -> Copied:
    """Each pair copies as fast as it may; (when, bytes, pair)."""
    now, copied = start, []
    while now < start + seconds:
        busy = False
        for pair in pairs:
            granted = throttles.take(now, want, pair)
            if granted:
                copied.append((now, granted, pair))
                busy = True
        if not busy:
            ready = min(throttles.ready_at(now, want, pair) for pair in pairs)
            assert ready > now
            now = ready + 1e-9
    return copied


def inside(copied: Copied, begin: float, length: float, disk: str = "") -> int:
    """Bytes that were copied within `length` seconds: all, or those which touch a disk."""
    return sum(
        size for at, size, pair in copied if begin <= at < begin + length and disk in (*pair, "")
    )


@pytest.mark.spec("K113-07", "B-10")
def test_no_more_is_granted_than_was_saved() -> None:
    throttle = Throttle(1000, 0.0)
    assert throttle.available(0.0, 1 << 20) == 50
    throttle.spend(50)
    assert throttle.available(0.0, 1 << 20) == 0
    assert throttle.available(10.0, 1 << 20) == 100


@pytest.mark.spec("K113-07", "B-10")
@settings(max_examples=40)
@given(st.integers(1, 1 << 32), st.integers(1, 1 << 32), st.sampled_from([1, 1000, 16 * MIB]))
def test_no_second_sees_more_than_the_rates(broker: int, disk: int, want: int) -> None:
    throttles = Throttles(broker, disk, 0.0)
    most = max(want, min(broker, disk) // 50)
    copied = run(throttles, 50.0, 2.0, most, PAIRS)  # idle before: nothing comes of that
    for begin, _, _ in copied[:20]:
        assert inside(copied, begin, 1.0) <= broker * 1.1 + len(PAIRS)
        for path in ("/a", "/b", "/c", "/d"):
            assert inside(copied, begin, 1.0, path) <= disk * 1.1 + len(PAIRS)


@pytest.mark.spec("K113-07", "B-10")
@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 5.0),  # seconds that pass before
            st.integers(0, 3),  # which pair
            st.integers(1, 64 * MIB),  # bytes wanted
            st.floats(0.0, 1.0),  # how much of the grant is used
            st.sampled_from([0, 0, 0, 1000, MIB, 1 << 30]),  # a new rate
        ),
        max_size=60,
    )
)
def test_no_way_of_asking_gets_more_than_the_rate_allows(
    asked: list[tuple[float, int, int, float, int]],
) -> None:
    """Over any stretch: what the rates of that stretch gave, and a tenth of a second's worth."""
    now, rate = 0.0, 10_000
    throttles = Throttles(rate, FREE, now)
    earned: list[tuple[float, float]] = []  # when, how much the bucket can have got until then
    spent: list[tuple[float, int]] = []
    total = 0.0
    for pause, which, want, share, new_rate in asked:
        now += pause
        total += pause * rate
        if new_rate:
            throttles.set_rates(new_rate, FREE, now)
            rate = new_rate
        granted = throttles.take(now, want, PAIRS[which])
        assert 0 <= granted <= want
        used = int(granted * share)
        throttles.settle(granted, used, PAIRS[which], now)
        earned.append((now, total))
        spent.append((now, used))
    highest = max((r for *_, r in asked), default=0)
    saved = max(10_000, highest) * 0.1 + 1
    for first in range(len(spent)):
        used = 0
        for last in range(first, len(spent)):
            used += spent[last][1]
            assert used <= earned[last][1] - earned[first][1] + saved + 1


@pytest.mark.spec("K113-07")
@pytest.mark.parametrize(("broker", "disk"), [(10 * MIB, FREE), (FREE, 10 * MIB)])
def test_the_rate_is_reached(broker: int, disk: int) -> None:
    copied = run(Throttles(broker, disk, 0.0), 0.0, 10.0, 16 * MIB, PAIRS[:1])
    assert inside(copied, 0.0, 10.0) == pytest.approx(100 * MIB, rel=0.02)


@pytest.mark.spec("B-10")
def test_a_disk_that_has_its_fill_does_not_hold_up_another() -> None:
    throttles = Throttles(FREE, 1000, 0.0)
    assert throttles.take(1.0, FREE, ("/a", "/b")) == 50
    assert throttles.take(1.0, FREE, ("/b", "/c")) == 0
    assert throttles.take(1.0, FREE, ("/c", "/d")) > 0


@pytest.mark.spec("K113-07")
def test_idle_time_saves_no_more_than_a_tenth_of_a_second() -> None:
    throttle = Throttle(1000, 0.0)
    assert throttle.available(3600.0, 1 << 30) == 100
    throttle.spend(100)
    assert throttle.available(3600.0, 1 << 30) == 0


@pytest.mark.spec("K113-07")
def test_changed_while_running() -> None:
    throttles = Throttles(1000, FREE, 0.0)
    assert throttles.take(10.0, 1 << 20, PAIRS[0]) == 100
    throttles.set_rates(1 << 20, 1 << 10, 10.0)
    assert throttles.rates == (1 << 20, 1 << 10)
    assert throttles.take(10.05, 1 << 30, PAIRS[0]) == 102
    throttles.set_rates(10, FREE, 20.0)
    assert throttles.take(20.2, 1 << 30, PAIRS[0]) == 1


def test_what_was_not_used_comes_back_and_what_was_too_much_is_owed() -> None:
    throttle = Throttle(1000, 0.0)
    throttle.spend(throttle.available(1.0, 1000))
    throttle.settle(100, 40)
    assert throttle.available(1.0, 1000) == 60
    throttle.spend(60)
    throttle.settle(60, 2060)
    assert throttle.available(2.9, 1000) == 0
    assert throttle.ready_at(2.9, 1000) == pytest.approx(3.05)
    assert throttle.available(3.06, 1000) > 0


@pytest.mark.spec("B-10")
def test_the_move_that_waits_longest_goes_first() -> None:
    throttles = Throttles(1_000_000, FREE, 0.0)
    wakes = dict.fromkeys(PAIRS[:2], 0.0)
    got = dict.fromkeys(PAIRS[:2], 0)
    now = 0.0
    while now < 10.0:
        pair = min(wakes, key=lambda p: wakes[p])
        now = max(now, wakes[pair])
        granted = throttles.take(now, 1 << 20, pair)
        got[pair] += granted
        if granted:
            # Copies of the first pair end a little before there are new bytes.
            wakes[pair] = now + (0.0499 if pair == PAIRS[0] else 0.07)
        else:
            wakes[pair] = throttles.ready_at(now, 1 << 20, pair)
    assert sum(got.values()) == pytest.approx(10_000_000, rel=0.1)
    assert min(got.values()) > 4_000_000


def test_a_move_that_does_not_come_back_loses_the_turn() -> None:
    throttles = Throttles(1000, FREE, 0.0)
    assert throttles.take(0.0, 1000, PAIRS[0]) > 0
    assert throttles.take(0.0, 1000, PAIRS[1]) == 0
    assert throttles.take(0.2, 1000, PAIRS[0]) == 0
    assert throttles.take(1.0, 1000, PAIRS[0]) > 0


def test_a_move_that_ended_while_the_rate_was_low_holds_none_up_when_it_is_high() -> None:
    throttles = Throttles(1, FREE, 0.0)
    assert throttles.take(0.0, 1000, PAIRS[1]) == 1
    assert throttles.take(0.0, 1000, PAIRS[1]) == 0
    throttles.set_rates(FREE, FREE, 1.0)
    assert throttles.take(1.1, 1000, PAIRS[0]) == 0
    assert throttles.take(1.7, 1000, PAIRS[0]) == 1000
