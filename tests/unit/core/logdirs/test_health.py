"""A directory's health: each change is reported once."""

from __future__ import annotations

import errno

import pytest

from spindle.core.logdirs.health import (
    RETURNS_MAX,
    RETURNS_WITHIN,
    WELL_ENOUGH,
    Condition,
    Health,
    Verdict,
)
from spindle.model.activity import Activity
from spindle.model.log_values import Usage


def online() -> Health:
    health = Health()
    health.on_opened()
    return health


@pytest.mark.spec("K858-10")
def test_a_failure_is_decided_once() -> None:
    health = online()
    assert health.on_failure(errno.EIO, "write failed") is Verdict.FAILED
    assert health.on_failure(errno.EIO, "read failed") is Verdict.NOTHING
    assert health.condition is Condition.FAILED
    assert health.why == "write failed"
    assert not health.online


def test_any_error_while_opening_means_offline() -> None:
    for number in (errno.EAGAIN, errno.ENOSPC, errno.ENOENT, 0):
        assert Health().on_failure(number, "cannot open") is Verdict.FAILED


@pytest.mark.spec("B-12")
def test_a_full_disk_is_alive_and_comes_back_with_its_space() -> None:
    health = online()
    assert health.on_failure(errno.ENOSPC, "no space") is Verdict.FULL
    assert health.on_failure(errno.EDQUOT, "quota") is Verdict.NOTHING
    assert health.online
    assert health.on_probe_answered(Usage(6400, 99)) is Verdict.NOTHING
    assert health.on_probe_answered(Usage(6400, 100)) is Verdict.ROOM
    assert health.condition is Condition.ONLINE
    assert health.on_failure(errno.EIO, "dead after all") is Verdict.FAILED


def test_a_full_disk_can_die() -> None:
    health = online()
    health.on_failure(errno.ENOSPC, "no space")
    assert health.on_failure(errno.EIO, "dead") is Verdict.FAILED


def test_what_the_process_lacks_is_not_the_disks_fault() -> None:
    health = online()
    assert health.on_failure(errno.EMFILE, "too many files") is Verdict.NOTHING
    assert health.condition is Condition.ONLINE


@pytest.mark.spec("B-13")
def test_a_call_without_an_answer_means_a_hung_disk() -> None:
    health = online()
    assert health.on_observed(Activity(busy=19.0, verb="write"), 20.0) is Verdict.NOTHING
    assert health.on_observed(Activity(busy=20.0, verb="write"), 20.0) is Verdict.FAILED
    assert health.why == "no answer to write for 20.0 s"
    assert health.state(slow=False) == "hung"
    assert health.on_observed(Activity(busy=99.0, verb="write"), 20.0) is Verdict.NOTHING


@pytest.mark.spec("B-13")
def test_a_sync_of_much_may_take_longer() -> None:
    health = online()
    assert health.on_observed(Activity(busy=59.0, verb="sync"), 20.0) is Verdict.NOTHING
    assert health.on_observed(Activity(busy=60.0, verb="sync"), 20.0) is Verdict.FAILED


@pytest.mark.spec("B-13")
def test_a_long_queue_is_no_hang() -> None:
    health = online()
    health.on_probe_asked()
    for _ in range(1000):  # The probe waits, but each call returns.
        busy = Activity(busy=0.3, verb="write", calls=30, seconds=1.0)
        assert health.on_observed(busy, 20.0) is Verdict.NOTHING
    assert health.probing


@pytest.mark.spec("B-13")
def test_a_failed_directory_comes_back_after_it_was_well_for_a_while() -> None:
    health = online()
    health.on_failure(errno.EIO, "dead")
    assert health.state(slow=True) == "failed"
    signs = [True] * (WELL_ENOUGH - 1) + [False] + [True] * WELL_ENOUGH
    wanted = [False] * (len(signs) - 1) + [True]
    assert [health.on_sign_of_life(s, 1.0) for s in signs] == wanted
    health.on_reopened("it cannot be locked", 1.0)
    assert not health.online
    assert health.why == "it cannot be locked"
    assert not health.on_sign_of_life(True, 1.0)
    health.on_reopened(None, 1.0)
    assert health.online
    assert health.why == ""


def come_and_go(health: Health, now: float) -> None:
    for _ in range(RETURNS_MAX):
        health.on_failure(errno.EIO, "dead")
        assert any(health.on_sign_of_life(True, now) for _ in range(WELL_ENOUGH))
        health.on_reopened(None, now)
    health.on_failure(errno.EIO, "dead")
    assert not any(health.on_sign_of_life(True, now) for _ in range(10 * WELL_ENOUGH))


@pytest.mark.spec("B-13")
def test_a_directory_that_comes_and_goes_stays_away_for_an_hour() -> None:
    health = online()
    come_and_go(health, 100.0)
    assert not health.on_sign_of_life(True, 99.0 + RETURNS_WITHIN)
    assert health.on_sign_of_life(True, 100.0 + RETURNS_WITHIN)


@pytest.mark.spec("B-13")
def test_a_directory_that_came_back_too_often_says_so_once() -> None:
    health = online()
    come_and_go(health, 100.0)
    assert health.on_tired()
    assert not health.on_tired()
    assert health.why.startswith("it answers, but came back 3 times within an hour")
    assert health.why.endswith("(the last failure: dead)")
    health.on_sign_of_life(False, 100.0)
    assert not health.on_tired()


@pytest.mark.spec("B-13")
def test_an_operator_overrules() -> None:
    health = online()
    come_and_go(health, 100.0)
    health.on_order(online=True)
    assert health.on_sign_of_life(True, 100.0)
    health.on_reopened(None, 100.0)
    assert health.on_order(online=False) is Verdict.FAILED
    assert health.state(slow=False) == "offline"
    assert not any(health.on_sign_of_life(True, 100.0) for _ in range(10))
    health.on_order(online=True)
    assert health.on_sign_of_life(True, 100.0)
