"""Results that come in any order, and the one answer that waits for them."""

from __future__ import annotations

from spindle.node.handlers._gathering import Gathering


def test_all_are_answered_once_the_last_has_come_in_the_order_asked_for() -> None:
    told: list[dict[str, int]] = []
    gathering = Gathering[str, int](("a", "b", "c"), told.append)
    for key, result in (("c", 3), ("a", 1)):
        gathering.settle(key, result)
        assert told == []
    gathering.settle("b", 2)
    assert [list(results.items()) for results in told] == [[("a", 1), ("b", 2), ("c", 3)]]


def test_what_waits_for_nothing_is_answered_at_once() -> None:
    told: list[dict[str, int]] = []
    Gathering[str, int]((), told.append)
    assert told == [{}]
