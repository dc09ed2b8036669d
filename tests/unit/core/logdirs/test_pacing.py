"""Moves copy as fast as clients do not feel: paces, and a disk that appends and copies share."""

from __future__ import annotations

import random
from math import ceil, inf
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs import pacing as p
from spindle.core.logdirs.pacing import CopyPacing, Pacer, RestTimes, Yielding, pace_of

MIB = 1 << 20
SPELL = 4
"""Parts between two rests."""
PAIR = ("/d1", "/d2")
OTHERS = ("/d3", "/d4")
QUICK, SLOW = 0.002, 0.02
LEAST = 0.05


class Clients:
    """Appends at even distances; the pacing hears of each that comes back."""

    def __init__(self) -> None:
        self.pacing, self.now = CopyPacing(), 1000.0

    def append(self, count: int, seconds: float, directory: str = "/d1") -> None:
        for _ in range(count):
            self.now += max(0.0025, seconds)
            self.pacing.on_append(directory, self.now - seconds, self.now)

    def beside(
        self, count: int, seconds: float, directory: str = "/d1", pair: tuple[str, str] = PAIR
    ) -> float:
        """Appends beside a copy; the share of the next one."""
        self.pacing.begin(pair, self.now, True)
        self.append(count, seconds, directory)
        self.pacing.end(pair, self.now, True)
        return self.share(pair)

    def share(self, pair: tuple[str, str] = PAIR) -> float:
        return self.pacing.pace(pair, LEAST).share


@pytest.fixture
def clients() -> Clients:
    known = Clients()
    known.append(200, QUICK)
    known.now += 1
    return known


@pytest.mark.spec("B-32")
def test_it_copies_all_the_time_where_no_append_feels_it(clients: Clients) -> None:
    assert clients.share() == p.BEGIN
    for _ in range(4):
        clients.beside(100, QUICK)
    assert clients.share() == 1.0


@pytest.mark.spec("B-32")
def test_it_is_slower_at_once_where_appends_feel_it_and_comes_back_in_small_steps(
    clients: Clients,
) -> None:
    assert clients.beside(100, SLOW) == p.BEGIN * p.MUCH_LESS
    found = clients.beside(100, QUICK)
    assert found == pytest.approx(p.BEGIN * p.MUCH_LESS + p.STEP)
    clients.append(98, QUICK)  # At rest: not judged.
    assert clients.share() == found


@pytest.mark.spec("B-32")
def test_one_append_in_a_window_may_be_slow_by_chance(clients: Clients) -> None:
    clients.pacing.begin(PAIR, clients.now, True)
    clients.append(99, QUICK)
    clients.append(1, SLOW)
    assert clients.share() > p.BEGIN
    clients.append(97, QUICK)
    before = clients.share()
    clients.append(3, SLOW)
    assert clients.share() == pytest.approx(before * p.LESS)


@pytest.mark.spec("B-32")
def test_what_is_usual_at_rest_is_not_felt(clients: Clients) -> None:
    clients.append(p.REST_APPENDS, SLOW)
    clients.now += 1
    well = clients.beside(100, SLOW * 1.4)
    assert well > p.BEGIN
    assert clients.beside(100, SLOW * 1.6) < well


@pytest.mark.spec("B-32")
def test_an_append_is_the_doing_of_the_copies_on_its_disk_and_else_of_all(
    clients: Clients,
) -> None:
    clients.append(200, QUICK, "/d9")
    clients.now += 1
    clients.pacing.begin(PAIR, clients.now, True)
    assert clients.beside(100, SLOW, "/d1", OTHERS) == p.BEGIN
    assert clients.share(PAIR) < p.BEGIN
    clients.beside(100, SLOW, "/d9", OTHERS)
    assert clients.share(OTHERS) < p.BEGIN


@pytest.mark.spec("B-10")
def test_a_copy_that_does_not_give_way_is_not_judged(clients: Clients) -> None:
    clients.pacing.begin(PAIR, clients.now, False)
    clients.append(300, SLOW)
    clients.pacing.end(PAIR, clients.now, False)
    assert clients.share() == p.BEGIN
    assert clients.beside(100, SLOW) < p.BEGIN  # And says nothing about what is usual at rest.


@pytest.mark.spec("B-32")
def test_what_follows_a_copy_closely_is_not_at_rest(clients: Clients) -> None:
    clients.beside(1, QUICK)
    for _ in range(400):  # They were asked for while it was still felt.
        clients.pacing.on_append("/d1", clients.now + p.SETTLE / 2, clients.now + 1)
    clients.now += 2
    assert clients.beside(100, SLOW) < p.BEGIN


@pytest.mark.spec("B-32")
def test_all_copying_rests_now_and_then_to_hear_what_is_usual() -> None:
    clients = Clients()
    began = clients.now
    assert listened(clients) == began + p.LISTEN  # Nothing is known.
    clients.append(100, QUICK)
    clients.now = began + p.LISTEN
    assert clients.pacing.rests_until(clients.now) == clients.now
    for _ in range(4):
        clients.beside(100, QUICK)
    assert clients.pacing.rests_until(clients.now) == clients.now
    clients.now += p.LISTEN_EVERY
    assert listened(clients) == clients.now + p.LISTEN
    clients.now += p.LISTEN
    assert clients.pacing.rests_until(clients.now) == clients.now  # Silence is an answer, too.


def listened(clients: Clients) -> float:
    """When it has listened enough, if no append comes."""
    now = clients.now
    while (ready := clients.pacing.rests_until(now)) > now:
        assert ready <= now + p.LISTEN_LOOK
        now = ready
    return now


@pytest.mark.spec("B-32")
def test_it_listens_soon_where_clients_feel_it_and_learns_that_it_is_something_else(
    clients: Clients,
) -> None:
    """A load that has begun with the move does not make it slow for ever."""
    clients.beside(10, QUICK)
    slow = clients.beside(200, SLOW)
    assert slow < p.BEGIN
    assert clients.pacing.rests_until(clients.now) > clients.now
    clients.now += p.SETTLE * 2
    clients.append(10, SLOW)
    clients.now += p.LISTEN
    assert clients.pacing.rests_until(clients.now) == clients.now
    assert clients.beside(100, SLOW) > slow


@pytest.mark.spec("B-32")
def test_it_listens_no_longer_than_it_must() -> None:
    clients = Clients()
    began = clients.now
    assert clients.pacing.rests_until(clients.now) > began
    clients.append(p.LISTEN_APPENDS - 1, QUICK / 10)
    clients.now = began + p.LISTEN_LOOK
    assert clients.pacing.rests_until(clients.now) > clients.now
    clients.append(1, QUICK)
    assert clients.pacing.rests_until(clients.now) == clients.now < began + p.LISTEN
    assert clients.pacing.rests_until(clients.now + 1) == clients.now + 1


@pytest.mark.spec("B-32")
def test_it_never_stops_and_says_where_it_cannot_be_slower(clients: Clients) -> None:
    assert not clients.pacing.is_slowest(PAIR, LEAST)
    for _ in range(10):
        clients.beside(100, SLOW)
    assert clients.share() == LEAST
    assert clients.pacing.is_slowest(PAIR, LEAST)
    clients.beside(100, QUICK)
    assert not clients.pacing.is_slowest(PAIR, LEAST)


def test_a_pair_that_was_idle_begins_as_if_for_the_first_time(clients: Clients) -> None:
    for _ in range(4):
        clients.beside(100, QUICK)
    clients.now += p.IDLE
    assert clients.share() == 1.0
    assert clients.beside(1, QUICK) == p.BEGIN


def test_a_few_appends_at_rest_make_no_limit() -> None:
    rest = RestTimes()
    for number in range(p.REST_LEAST):
        assert rest.limit(0) == inf
        rest.add(number, 0.1)
    assert rest.limit(p.REST_LEAST) == pytest.approx(0.15)
    assert rest.limit(p.REST_AGE + 5) == inf


def test_the_slower_the_smaller_are_the_parts() -> None:
    shares = [n / 100 for n in range(1, 101)]
    parts = [pace_of(share).part for share in shares]
    assert parts == sorted(parts)
    assert all(part % 4096 == 0 for part in parts)
    assert (parts[0], parts[-1]) == (MIB // 4, MIB)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 3)), max_size=2000))
def test_the_share_stays_within_its_bounds_whatever_comes(
    appends: list[tuple[bool, float]],
) -> None:
    pacer, now = Pacer(), 0.0
    pacer.begin(inf)
    for felt, pause in appends:
        now += pause
        pacer.on_append(now, felt)
        assert p.LOWEST <= pacer.share <= 1.0


# --- a disk that appends and copies share ---------------------------------------------------------


class Shared(NamedTuple):
    """A disk that does one thing at a time, and the appends that come to it."""

    speed: float
    """Bytes that it copies in a second."""
    rate: float
    """Appends in a second; 0: none."""
    service: float
    """Seconds of the disk's that one takes on average."""


class Found(NamedTuple):
    """What became of a move."""

    seconds: float
    times: list[float]
    """What each append beside it took."""


def run(disk: Shared, size: int, seed: int, rest: float = 30.0) -> Found:
    """A move of so many bytes that begins after a while with clients alone."""
    rng, pacing, now = random.Random(seed), CopyPacing(), 0.0
    free, came, times = 0.0, rng.expovariate(disk.rate) if disk.rate else inf, list[float]()

    def appends_until(end: float) -> None:
        """Appends wait for the disk in the order in which they come."""
        nonlocal free, came
        while came < end:
            free = max(free, came) + rng.expovariate(1 / disk.service)
            pacing.on_append("/d1", came, free)
            times.append(free - came)
            came += rng.expovariate(disk.rate)

    appends_until(rest)
    now = max(rest, free)
    times.clear()
    left, began = float(size), now
    while left > 0:
        if disk.rate and (ready := pacing.rests_until(now)) > now:
            appends_until(ready)
            now = ready
        pace = pacing.pace(PAIR, LEAST) if disk.rate else p.pace_of(1.0)
        step = min(left, 64 * MIB * pace.share)
        left -= step
        pacing.begin(PAIR, now, True)
        while step > 0:
            began_spell = now
            for _ in range(SPELL):
                part = min(step, pace.part)
                appends_until(now)
                step -= part
                now = free = max(free, now) + part / disk.speed
            took = now - began_spell
            now += took / pace.share - took
        appends_until(now)
        pacing.end(PAIR, now, True)
    return Found(now - began, times)


def p99(times: list[float]) -> float:
    return sorted(times)[ceil(0.99 * len(times)) - 1]


def at_rest(disk: Shared, seed: int) -> float:
    """The 99th percentile of the same clients without a move."""
    rng, free, now, times = random.Random(seed), 0.0, 0.0, list[float]()
    for _ in range(20_000):
        now += rng.expovariate(disk.rate)
        free = max(free, now) + rng.expovariate(1 / disk.service)
        times.append(free - now)
    return p99(times)


DISKS = {
    "fast": Shared(1000 * MIB, 200, 0.0005),
    "busy": Shared(1000 * MIB, 1000, 0.0005),
    "usual": Shared(400 * MIB, 500, 0.001),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", DISKS)
@pytest.mark.spec("B-32")
def test_appends_keep_their_latency_on_a_disk_that_they_share(name: str, seed: int) -> None:
    disk = DISKS[name]
    found = run(disk, 6000 * MIB, seed)
    assert p99(found.times) <= 1.5 * at_rest(disk, seed + 100) + p.FELT_LEAST


@pytest.mark.spec("B-32")
def test_a_move_has_most_of_a_fast_disk_beside_clients_and_all_of_it_without() -> None:
    disk = DISKS["fast"]
    alone = run(disk._replace(rate=0), 6000 * MIB, 1).seconds
    assert alone == pytest.approx(6.0)
    assert run(disk, 6000 * MIB, 1).seconds < alone * 2  # Half the speed at rest, and more.


@pytest.mark.spec("B-32")
def test_a_move_ends_on_a_slow_disk_whose_clients_feel_each_part() -> None:
    disk = Shared(50 * MIB, 200, 0.0002)
    fastest = 500 * MIB / disk.speed
    assert run(disk, 500 * MIB, 1).seconds < fastest / LEAST * 1.2


# --- moves end, whatever is appended --------------------------------------------------------------


def moved(asked: float, disk: float, appended: float, size: int, limit: float) -> float:
    """Seconds until a move has caught up; `disk` and `appended` in bytes/s."""
    yielding, left, seconds = Yielding(), float(size), 0.0
    while left > 1:
        assert seconds < limit, f"{left} bytes are left"
        share = yielding.least(asked)
        copied = min(left, 64 * MIB * share)
        took = copied / disk / share
        seconds += took
        left += appended * took - copied
        yielding.on_copied(share, int(copied), int(left))
    return seconds


@pytest.mark.spec("B-10")
def test_it_takes_its_least_share_while_that_brings_it_on() -> None:
    assert moved(0.25, 100 * MIB, 0, 1000 * MIB, 60) == pytest.approx(40)


@pytest.mark.spec("B-10")
def test_it_rests_less_while_more_is_appended_than_it_copies() -> None:
    yielding, left = Yielding(), 1000
    shares = []
    for _ in range(4):
        shares.append(yielding.least(0.25))
        yielding.on_copied(shares[-1], 100, left)
        left += 50
    assert shares == [0.25, 0.25, 0.5, 1.0]
    left -= 50 + 40
    yielding.on_copied(1.0, 100, left)
    assert yielding.least(0.25) == 1.0
    for _ in range(2):
        left -= 240
        yielding.on_copied(1.0, 100, left)
    assert yielding.least(0.25) == 0.25


@given(
    st.floats(0.05, 1),
    st.floats(1, 2000).map(lambda mb: mb * MIB),
    st.floats(0, 0.8),
    st.integers(1, 4000).map(lambda mb: mb * MIB),
)
def test_it_ends_wherever_the_disk_is_faster_than_what_comes(
    asked: float, disk: float, appended: float, size: int
) -> None:
    fastest = size / (disk - disk * appended)
    steps = 64 * MIB / disk * 100  # Until it knows how little it may rest.
    moved(asked, disk, disk * appended, size, 40 * fastest / asked + steps)


def test_a_piece_that_brought_nothing_says_nothing() -> None:
    yielding = Yielding()
    yielding.on_copied(1.0, 10, 100)
    yielding.on_copied(1.0, 0, 200)
    assert yielding.least(0.3) == 0.3
