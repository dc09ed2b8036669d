"""Every interleaving of one replica's move with deaths of disks, kills and lost letters (K858-20).

What is searched is the production code itself. Longer forms: `spindle explore --help`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spindle.core.logdirs import move
from spindle.core.logdirs.move import Input, Row, State, Wish
from spindle.sim.exhaustive.search import explore
from spindle.sim.exhaustive.situation import PROMISES, Bounds


@pytest.mark.spec("K858-20", "K113-12", "K858-16")
@pytest.mark.parametrize(
    ("bounds", "least"),
    [
        (Bounds(failures=0, restarts=1, losses=0), 350),
        (Bounds(failures=0, restarts=0, losses=1, cancels=1), 300),
        (Bounds(failures=1, restarts=0, losses=1), 2000),
        (Bounds(failures=2, restarts=0, losses=0), 500),
    ],
    ids=str,
)
def test_no_interleaving_breaks_a_promise(
    bounds: Bounds, least: int, record_property: Callable[[str, object], None]
) -> None:
    report = explore(bounds)
    assert report.broken is None, report.broken
    assert report.complete
    assert report.states >= least
    record_property(
        "tried",
        f"{bounds}: all {report.states} states, {report.steps} steps; "
        f"{len(PROMISES)} promises held",
    )


@pytest.mark.spec("K858-20")
@pytest.mark.parametrize(
    ("at", "wrong", "what"),
    [
        (
            (State.CAUGHT_UP, Input.SENT),
            Row(State.SETTLING, (Wish.SETTLE,)),
            "which has no log of the replica",
        ),
        (
            (State.DRAINING, Input.CAUGHT),
            Row(State.PROMOTING, (Wish.PROMOTE,)),
            "two current logs",
        ),
    ],
    ids=["swaps before the controller knows", "keeps the source beside the target"],
)
def test_a_fault_in_the_table_of_moves_is_found(
    at: tuple[State, Input], wrong: Row, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "TABLE", {**move.TABLE, at: wrong})
    report = explore(Bounds(failures=1, restarts=0, losses=0))
    assert report.broken is not None
    assert what in report.broken[0]
    assert any(choice.kind == "move" for choice in report.broken[1])
