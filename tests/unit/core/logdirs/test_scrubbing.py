"""The scrubber's schedule: rounds an interval apart, steps at a rate, progress as text."""

from __future__ import annotations

import pytest

from spindle.core.logdirs.scrub_schedule import OFF_LOOK, REST, SHARE, ScrubProgress, ScrubSchedule
from spindle.model.log_values import LogKey
from spindle.model.scrub_jobs import BadLog, Scrubbed, ScrubPlace

HOUR = 3_600_000
RATE = 1_000_000


def end_round(schedule: ScrubSchedule, wall_ms: int) -> None:
    assert schedule.wait(wall_ms, HOUR, RATE) == 0
    schedule.on_scrubbed(Scrubbed(None, 10), 0.0, RATE, wall_ms)


@pytest.mark.spec("B-28")
def test_the_first_round_begins_at_once_and_the_next_an_interval_after_its_beginning() -> None:
    schedule = ScrubSchedule()
    assert schedule.wait(1000, HOUR, RATE) == 0
    assert schedule.progress.place == ScrubPlace()
    schedule.on_scrubbed(Scrubbed(ScrubPlace("t-0", 0, 50), 50), 0.0, RATE, 2000)
    assert schedule.wait(HOUR * 9, HOUR, RATE) == 0  # A round under way just goes on.
    assert schedule.progress.place == ScrubPlace("t-0", 0, 50)
    schedule.on_scrubbed(Scrubbed(None, 7), 0.0, RATE, 5000)
    assert (schedule.progress.rounds, schedule.progress.seen) == (1, 57)
    assert schedule.progress.ended_ms == 5000
    assert schedule.wait(6000, HOUR, RATE) == OFF_LOOK
    assert schedule.wait(1000 + HOUR - 2000, HOUR, RATE) == 2.0
    assert schedule.wait(1000 + HOUR, HOUR, RATE) == 0
    assert schedule.progress.seen == 0


@pytest.mark.spec("B-28")
def test_a_rest_keeps_the_rate_and_leaves_a_busy_disk_alone() -> None:
    schedule = ScrubSchedule()
    schedule.wait(1000, HOUR, RATE)
    place = ScrubPlace("t-0", 0, 1)
    assert schedule.on_scrubbed(Scrubbed(place, RATE), 0.1, RATE, 0) == pytest.approx(0.9)
    assert schedule.on_scrubbed(Scrubbed(place, 1), 2.0, RATE, 0) == pytest.approx(2.0 * SHARE)
    assert schedule.on_scrubbed(Scrubbed(place, 0), 0.0, RATE, 0) == REST


def test_it_can_be_switched_off_and_on() -> None:
    schedule = ScrubSchedule()
    assert schedule.wait(1000, HOUR, 0) == OFF_LOOK
    assert schedule.progress.place is None
    end_round(schedule, 1000)
    assert schedule.wait(1000 + HOUR, HOUR, 0) == OFF_LOOK
    assert schedule.wait(1000 + HOUR, HOUR, RATE) == 0


def test_a_clock_that_is_set_back_delays_a_round_by_no_more_than_the_interval() -> None:
    schedule = ScrubSchedule()
    end_round(schedule, 100 * HOUR)
    assert schedule.wait(HOUR, 5_000, RATE) == 5.0
    assert schedule.wait(HOUR + 3_000, 5_000, RATE) == 2.0
    assert schedule.wait(HOUR + 5_000, 5_000, RATE) == 0


@pytest.mark.spec("B-28")
def test_progress_outlives_the_process() -> None:
    schedule = ScrubSchedule()
    schedule.wait(1000, HOUR, RATE)
    bad = BadLog(LogKey("t", 0), "why")
    place = ScrubPlace("orders-3", 17, 4096)
    schedule.on_scrubbed(Scrubbed(place, 50, (bad,), ("mended",)), 0.0, RATE, 2000)
    again = ScrubSchedule(ScrubProgress.decode(schedule.progress.encode()))
    assert again.progress == schedule.progress
    assert (again.progress.bad, again.progress.mended) == (1, 1)
    assert again.wait(3000, HOUR, RATE) == 0
    assert again.progress.place == place
    assert ScrubProgress.decode(ScrubProgress().encode()) == ScrubProgress()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"7",
        b'{"version": 2}',
        b'{"version": 1}',
        b'{"version": 1, "place": [1, 2]}',
        b'{"version": 1, "place": null, "rounds": "x"}',
        b'{"version": 1, "place": null, "what": 1}',
        b"\xff\xfe",
    ],
)
def test_progress_that_makes_no_sense_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        ScrubProgress.decode(data)
