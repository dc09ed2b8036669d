"""When a follower counts as caught up, judged by its fetches."""

from __future__ import annotations

from spindle.core.replica.isr import FollowerProgress


def fetched(progress: FollowerProgress, offset: int, leader_end: int, now: float) -> None:
    progress.on_fetch(offset, 0, 11, leader_end, now)


def test_a_follower_that_is_slow_to_come_back_was_caught_up_when_it_asked() -> None:
    progress = FollowerProgress(2)
    fetched(progress, 0, 5, 100.0)
    fetched(progress, 5, 9, 120.0)
    assert progress.caught_up_at == 100.0, "what was there at 100 s has arrived, no more"
    assert not progress.is_caught_up(9, 120.0, 10.0)


def test_a_follower_that_lacks_one_record_of_what_was_there_was_not_caught_up() -> None:
    progress = FollowerProgress(2)
    fetched(progress, 0, 5, 100.0)
    fetched(progress, 4, 9, 101.0)
    assert not progress.is_caught_up(9, 101.0, 10.0)


def test_the_lag_may_last_as_long_as_the_limit_and_no_longer() -> None:
    progress = FollowerProgress(2)
    fetched(progress, 5, 5, 100.0)
    assert progress.is_caught_up(9, 110.0, 10.0)
    assert not progress.is_caught_up(9, 110.5, 10.0)
