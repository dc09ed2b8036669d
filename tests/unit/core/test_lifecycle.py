"""A broker's states, and what it owes the controller about its directories."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.lifecycle import TABLE, BrokerState, DirectoryReports, Event, step

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
def test_a_broker_that_nobody_counts_on_stops_at_once(state: BrokerState) -> None:
    assert step(state, Event.STOP) == BrokerState.SHUTTING_DOWN


def test_failures_accumulate_and_are_told_sorted() -> None:
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
