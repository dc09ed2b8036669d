"""Moves give way to clients, and end all the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.copy_limits import Yielding

MIB = 1 << 20
PIECE = 64 * MIB


def moved(asked: float, disk: float, appended: float, size: int, limit: float) -> float:
    """Seconds until a move has caught up; `disk` and `appended` in bytes/s."""
    yielding, left, seconds = Yielding(), float(size), 0.0
    while left > 1:
        assert seconds < limit, f"{left} bytes are left"
        share = yielding.share(asked, True)
        copied = min(left, PIECE * share)
        took = copied / disk / share
        seconds += took
        left += appended * took - copied
        yielding.on_copied(int(copied), int(left))
    return seconds


@pytest.mark.spec("B-10")
def test_it_takes_its_share_while_clients_are_served() -> None:
    yielding = Yielding()
    assert yielding.share(0.3, True) == 0.3
    assert yielding.share(0.3, False) == 1.0
    assert yielding.share(1.0, True) == 1.0
    assert moved(0.25, 100 * MIB, 0, 1000 * MIB, 60) == pytest.approx(40)


@pytest.mark.spec("B-10")
def test_it_rests_less_while_more_is_appended_than_it_copies() -> None:
    yielding, left = Yielding(), 1000
    shares = []
    for _ in range(4):
        yielding.on_copied(100, left)
        left += 50
        shares.append(yielding.share(0.25, True))
    assert shares == [0.25, 0.5, 1.0, 1.0]
    yielding.on_copied(100, left - 100)
    assert yielding.share(0.25, True) == 1.0
    for _ in range(2):
        left -= 200
        yielding.on_copied(100, left)
    assert yielding.share(0.25, True) == 0.25


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
    steps = PIECE / disk * 100  # Until it knows how little it may rest.
    moved(asked, disk, disk * appended, size, 40 * fastest / asked + steps)


def test_a_piece_that_brought_nothing_says_nothing() -> None:
    yielding = Yielding()
    yielding.on_copied(10, 100)
    yielding.on_copied(0, 200)
    assert yielding.share(0.3, True) == 0.3
