"""How long a plan takes at least, and amounts of time in words."""

from __future__ import annotations

import pytest

from spindle.planning.amounts import lasting
from spindle.planning.duration import CopyRates, Longest, longest
from spindle.planning.load import PlannedMove

MOVES = (
    PlannedMove(1, "t", 0, "/a", "/b", 300),
    PlannedMove(1, "t", 1, "/a", "/c", 100),
    PlannedMove(1, "t", 2, "/a", "/a", 250, destination=2),
    PlannedMove(3, "t", 3, "/a", "/b", 260, destination=2),
)


@pytest.mark.spec("P-06")
def test_the_broker_that_must_copy_most_at_its_limit_tells_how_long_it_takes() -> None:
    assert longest(MOVES, CopyRates(10)) == Longest(51.0, 510, 2, "from other brokers")
    assert longest(MOVES[:3], CopyRates(10)) == Longest(40.0, 400, 1, "between its disks")


@pytest.mark.spec("P-06")
def test_a_disk_rests_after_each_move_but_its_last_which_may_be_the_largest() -> None:
    way = "from and to /a, its last move left out"
    assert longest(MOVES, CopyRates(None, 10)) == Longest(35.0, 350, 1, way)
    assert longest(MOVES, CopyRates(1000, 10)) == Longest(35.0, 350, 1, way)
    assert longest(MOVES[:1], CopyRates(None, 10)) is None


@pytest.mark.spec("P-06")
def test_nothing_is_said_where_no_limit_is_set_or_nothing_is_copied() -> None:
    assert longest(MOVES, CopyRates()) is None
    assert longest((PlannedMove(1, "t", 0, "/a", "/b", 0),), CopyRates(10, 10)) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.1, "1 s"), (59.4, "59 s"), (59.6, "1 min"), (61, "1 min 1 s"), (3599, "59 min 59 s"),
        (3600, "1 h"), (9360, "2 h 36 min"), (86_400, "1 d"), (273_600, "3 d 4 h"),
    ],
)  # fmt: skip
def test_a_time_is_shown_in_its_two_largest_units(seconds: float, words: str) -> None:
    assert lasting(seconds) == words
