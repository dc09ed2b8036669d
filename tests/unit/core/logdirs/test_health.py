"""A directory's health: each change is told once."""

from __future__ import annotations

import errno

import pytest

from spindle.core.logdirs.health import (
    RETURNS_MAX,
    WELL_ENOUGH,
    Condition,
    Health,
    Verdict,
)
from spindle.model.logs import Usage


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
def test_a_probe_without_an_answer_means_a_hung_disk() -> None:
    health = online()
    assert health.on_time(1000.0, 20.0) is Verdict.NOTHING
    health.on_probe_asked(100.0)
    assert health.probing
    assert health.on_time(119.0, 20.0) is Verdict.NOTHING
    assert health.on_time(120.0, 20.0) is Verdict.FAILED
    assert "20.0 s" in health.why
    assert not health.probing


def test_an_answered_probe_is_no_hang() -> None:
    health = online()
    health.on_probe_asked(100.0)
    health.on_probe_answered(Usage(1, 1))
    assert health.on_time(999.0, 20.0) is Verdict.NOTHING
    health.on_probe_asked(1000.0)
    health.on_probe_failed()
    assert health.on_time(9999.0, 20.0) is Verdict.NOTHING


@pytest.mark.spec("B-13")
def test_a_failed_directory_comes_back_after_it_was_well_for_a_while() -> None:
    health = online()
    health.on_failure(errno.EIO, "dead")
    signs = [True] * (WELL_ENOUGH - 1) + [False] + [True] * WELL_ENOUGH
    assert [health.on_sign_of_life(s) for s in signs] == [False] * (len(signs) - 1) + [True]
    health.on_reopened("it cannot be locked")
    assert not health.online
    assert health.why == "it cannot be locked"
    assert not health.on_sign_of_life(True)
    health.on_reopened(None)
    assert health.online
    assert health.why == ""


@pytest.mark.spec("B-13")
def test_a_directory_that_comes_and_goes_stays_away_in_the_end() -> None:
    health = online()
    for _ in range(RETURNS_MAX):
        health.on_failure(errno.EIO, "dead")
        assert any(health.on_sign_of_life(True) for _ in range(WELL_ENOUGH))
        health.on_reopened(None)
    health.on_failure(errno.EIO, "dead")
    assert not any(health.on_sign_of_life(True) for _ in range(10 * WELL_ENOUGH))
