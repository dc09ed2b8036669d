"""What is told of the history and of what it foretells."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from spindle.cli.balance import past
from spindle.cli.exits import End
from spindle.pipeline.forecast import Filling

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def filling(path: str, *days: float | None) -> Filling:
    full, earliest, latest = (None if d is None else NOW + timedelta(days=d) for d in days)
    return Filling(1, (path,), 10, 100, 1.0, full, earliest, latest, 48.0, 3)


@pytest.mark.spec("P-12")
def test_when_a_disk_is_full_is_told_as_far_as_it_is_known() -> None:
    told = [
        past._between(filling("/a", 2, 1, 4), NOW),
        past._between(filling("/b", 200, 150, None), NOW),
        past._between(filling("/c", None, None, None), NOW),
    ]
    assert told == ["in 1.0 days and in 4.0 days", "in 150 days and never", "-"]


@pytest.mark.spec("N-06", "P-12")
def test_a_forecast_without_a_history_could_not_find_out_and_has_found_nothing_bad() -> None:
    later, never = filling("/a", 2, 1, 4), filling("/b", None, None, None)
    full = filling("/c", 0, 0, 0)
    assert past._end([], NOW) is End.UNKNOWN
    assert past._end([later, never], NOW) is End.DONE
    assert past._end([later, full], NOW) is End.FAILED
