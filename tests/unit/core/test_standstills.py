"""How long this process stood still: taken off the time that a disk has given no answer."""

import pytest

from spindle.core.standstills import OVERSLEPT, REMEMBERED_MAX, Standstills

pytestmark = pytest.mark.spec("B-13")


def test_only_what_is_within_the_time_asked_for_is_taken_off() -> None:
    standstills = Standstills()
    standstills.expect(10)
    standstills.on_look(40)  # 30 s late.
    standstills.expect(41)
    standstills.on_look(46)  # 5 s late.
    assert standstills.awake(50, 50) == 15
    assert standstills.awake(9, 50) == 4
    assert standstills.awake(3, 50) == 3


def test_a_look_that_comes_a_little_late_shows_nothing() -> None:
    standstills = Standstills()
    standstills.on_look(5)  # None was expected.
    standstills.expect(10)
    standstills.on_look(10 + OVERSLEPT / 2)
    assert standstills.awake(20, 20) == 20


def test_the_last_ones_are_remembered() -> None:
    standstills = Standstills()
    for each in range(REMEMBERED_MAX + 5):
        standstills.expect(10.0 * each)
        standstills.on_look(10.0 * each + 2)
    assert standstills.awake(1000, 1000) == 1000 - 2 * REMEMBERED_MAX
