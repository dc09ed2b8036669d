"""A broker's states, and what it owes the controller about its directories."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.lifecycle import (
    HOPELESS_STOP_LIMIT,
    LEADERLESS_STOP_LIMIT,
    TABLE,
    UNHEARD_STOP_LIMIT,
    BrokerState,
    DirectoryReports,
    Event,
    ShutdownPatience,
    step,
)

A, B, C = (uuid.UUID(int=1000 + n) for n in range(3))


def test_the_way_of_a_broker_through_its_life() -> None:
    state = BrokerState.NOT_RUNNING
    seen = []
    for event in (Event.START, Event.CAUGHT_UP, Event.UNFENCED, Event.STOP, Event.MAY_STOP):
        state = step(state, event)
        seen.append(state.name)
    assert seen == [
        "STARTING",
        "RECOVERY",
        "RUNNING",
        "PENDING_CONTROLLED_SHUTDOWN",
        "SHUTTING_DOWN",
    ]


@pytest.mark.parametrize("state", list(BrokerState))
@pytest.mark.parametrize("event", list(Event))
def test_no_event_leads_back_and_only_listed_ones_lead_on(state: BrokerState, event: Event) -> None:
    after = step(state, event)
    assert after >= state
    assert (after == state) == ((state, event) not in TABLE)


@pytest.mark.parametrize(
    "state", [BrokerState.NOT_RUNNING, BrokerState.STARTING, BrokerState.RECOVERY]
)
def test_a_broker_that_serves_nothing_stops_at_once(state: BrokerState) -> None:
    assert step(state, Event.STOP) == BrokerState.SHUTTING_DOWN


def test_failures_accumulate_and_are_reported_sorted() -> None:
    reports = DirectoryReports(30)
    reports.on_start([C, A, B])
    assert reports.online == (A, B, C)
    assert reports.on_failed(C, 1)
    assert reports.on_failed(A, 2)
    assert not reports.on_failed(A, 3)
    assert reports.failed == (A, C)
    assert reports.online == (B,)
    reports.on_heard([A, C])
    assert reports.failed == (A, C)
    assert reports.all_heard


def test_each_failure_has_its_own_time_to_be_heard() -> None:
    reports = DirectoryReports(30)
    reports.on_start([A, B])
    reports.on_failed(A, 0)
    reports.on_failed(B, 20)
    assert not reports.overdue(A, 29)
    assert reports.overdue(A, 30)
    assert not reports.overdue(B, 30)
    reports.on_heard([B])
    assert not reports.overdue(B, 60)
    assert not reports.overdue(C, 60)


def test_a_directory_that_came_back_may_fail_again() -> None:
    reports = DirectoryReports(30)
    reports.on_start([A, B])
    reports.on_failed(A, 0)
    reports.on_heard([A])
    reports.on_back(A)
    assert reports.online == (A, B)
    assert reports.failed == ()
    assert reports.on_failed(A, 100)
    assert not reports.all_heard
    assert reports.overdue(A, 130)


def test_what_was_heard_of_a_directory_that_is_back_counts_for_nothing() -> None:
    reports = DirectoryReports(30)
    reports.on_start([A])
    reports.on_heard([A])
    reports.on_failed(A, 0)
    assert reports.overdue(A, 30)


def test_a_stop_gives_up_sooner_the_less_hope_there_is_for_a_controller() -> None:
    def waits(*, is_led: bool, is_hopeless: bool) -> tuple[float, str]:
        patience = ShutdownPatience()
        patience.on_heard(3.0)
        patience.begin(5.0)  # What was heard before the stop does not count.
        now, why = 5.0, None
        while why is None:
            now += 0.5
            why = patience.look(now, is_led=is_led, is_hopeless=is_hopeless, last_error="no answer")
        return now - 5.0, why

    assert waits(is_led=True, is_hopeless=False) == (UNHEARD_STOP_LIMIT, "no answer")
    seconds, why = waits(is_led=False, is_hopeless=False)
    assert (seconds, why) == (LEADERLESS_STOP_LIMIT, "no controller has been elected")
    seconds, why = waits(is_led=False, is_hopeless=True)
    assert seconds == HOPELESS_STOP_LIMIT
    assert "refuse connections" in why
