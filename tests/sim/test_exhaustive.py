"""Every interleaving of one replica's move with deaths of disks, kills, lost and late messages and
changes of the controller (K858-20).

What is searched is the production code itself. Longer forms: `make explore`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.amounts import beyond

from spindle.core.logdirs import move
from spindle.core.logdirs.move import LogDirMoveState, MoveEffect, MoveInput, Row
from spindle.core.logdirs.reconciliation import (
    ReconcileAction,
    ReconcileDecision,
    ReplicaSituation,
    decide,
)
from spindle.core.logdirs.report_queue import ReportQueue
from spindle.model.feature_rules import FINALIZED
from spindle.node.logdirs import reconciler
from spindle.sim.exhaustive.process import ME
from spindle.sim.exhaustive.situation import ID, OTHER, PROMISES, Choice, ExplorationBounds
from spindle.sim.exhaustive.situation import Situation as Searched
from spindle.sim.exhaustive.state_space import explore


def bounds(**given: int) -> ExplorationBounds:
    """Nothing goes wrong, but for this."""
    return ExplorationBounds(**{"failures": 0, "restarts": 0, "losses": 0, **given})


@pytest.mark.spec("K858-20", "K113-12", "K858-16")
@pytest.mark.parametrize(
    ("within", "least"),
    [
        (bounds(failures=1, losses=1), 700),
        (bounds(directories=3, failures=1), 500),
        (bounds(failures=2), 500),
        (bounds(restarts=1, losses=1), 700),
        (bounds(failures=1, elections=1), 700),
        (bounds(losses=1, cancels=1), 500),
        (bounds(failures=1, cancels=1), 500),
        (bounds(moves=2, cancels=1), 1000),
        *beyond(
            [
                (bounds(failures=1, restarts=1), 1500),
                (bounds(restarts=1, elections=1), 1000),
            ]
        ),
    ],
    ids=str,
)
def test_no_interleaving_breaks_a_promise(
    within: ExplorationBounds, least: int, record_property: Callable[[str, object], None]
) -> None:
    report = explore(within)
    assert report.broken is None, report.broken
    assert report.complete
    assert report.states >= least
    record_property(
        "tried",
        f"{within}: all {report.states} states, {report.steps} steps; "
        f"{len(PROMISES)} promises held",
    )


@pytest.mark.spec("N-04")
def test_a_replica_that_leaves_the_isr_is_an_eligible_leader_until_it_ends_uncleanly() -> None:
    beginning = Searched(bounds(failures=1, restarts=1))
    assert beginning.controller.image.features == FINALIZED
    beginning.take(Choice("fail", "/d1"))
    assert _eligible_leaders(beginning) == (ME,)
    beginning.take(Choice("kill"))
    assert _eligible_leaders(beginning) == ()


def _eligible_leaders(at: Searched) -> tuple[int, ...]:
    """Once all has happened that happens by itself."""
    for _ in range(200):
        at.take(at.next_by_itself())
    state = at.controller.image.partition(ID)
    assert state is not None
    assert state.isr == (OTHER,)
    return state.elr


@pytest.mark.spec("K858-20")
@pytest.mark.parametrize(
    ("at", "wrong", "what"),
    [
        (
            (LogDirMoveState.CAUGHT_UP, MoveInput.SENT),
            Row(LogDirMoveState.SETTLING, (MoveEffect.SETTLE,)),
            "which has no log of the replica",
        ),
        (
            (LogDirMoveState.DRAINING, MoveInput.CAUGHT),
            Row(LogDirMoveState.PROMOTING, (MoveEffect.PROMOTE,)),
            "two current logs",
        ),
    ],
    ids=["swaps before the controller knows", "keeps the source beside the target"],
)
def test_a_fault_in_the_table_of_moves_is_found(
    at: tuple[LogDirMoveState, MoveInput], wrong: Row, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "TABLE", {**move.TABLE, at: wrong})
    report = explore(bounds(failures=1))
    assert report.broken is not None
    assert what in report.broken[0]
    assert any(choice.kind == "move" for choice in report.broken[1])


def _made_again(found: ReplicaSituation) -> ReconcileDecision:
    """The log that a crash between two renames has left under its future name is not seen."""
    if found.current is None and found.future is not None:
        return ReconcileDecision(ReconcileAction.CREATE)
    return decide(found)


@pytest.mark.spec("K858-20", "K113-15", "K113-16")
@pytest.mark.parametrize(
    ("name", "wrong", "what"),
    [
        ("decide", _made_again, "acknowledged records are gone"),
        ("is_better", lambda future, current: True, "two current logs"),
    ],
    ids=["a future log that a crash left alone is not taken", "an unfinished copy is taken"],
)
def test_a_fault_that_only_a_restart_shows_is_found(
    name: str, wrong: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconciler, name, wrong)
    still = explore(bounds(failures=1))
    assert still.complete
    assert still.broken is None
    report = explore(bounds(restarts=1))
    assert report.broken is not None
    assert what in report.broken[0]
    assert [choice.kind for choice in report.broken[1]].count("kill") == 1


@pytest.mark.spec("K858-20", "K858-17")
@pytest.mark.parametrize("event", ["lose", "elect"])
def test_messages_that_are_not_repeated_are_found(
    event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(news: ReportQueue[Any], serial: int, now: float, jitter: float) -> None:
        news._land(serial)
        news._due = None

    monkeypatch.setattr(ReportQueue, "on_failed", forget)
    report = explore(bounds(losses=1) if event == "lose" else bounds(elections=1))
    assert report.broken is not None
    assert report.broken[0] == "a move does not end"
    assert event in [choice.kind for choice in report.broken[1]]
