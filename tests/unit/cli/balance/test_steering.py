"""What `balance pause`, `resume` and `pace` say: what follows, and from when a pace holds.

And which run `balance undo` takes back.
"""

from __future__ import annotations

from typing import cast

import pytest

from spindle.cli.balance.balance_journal import (
    BalanceRun,
    GivenOptions,
    RunEnd,
    RunJournal,
    RunOptions,
)
from spindle.cli.balance.runs import _chosen, _end, asked_in_words

OPTIONS = RunOptions(1, 0, 2_000_000)
RESUME = "spindle balance resume -p try"
PACE = f"The pace is now: {OPTIONS.in_words}."
AT_ONCE = "The throttle holds at once, for the moves in progress, too."
STAYS = f"The run stays paused. Let it start moves again with: {RESUME}"


@pytest.mark.spec("P-07")
@pytest.mark.parametrize(
    ("paused", "was_paused", "given", "said"),
    [
        (None, False, GivenOptions(throttle=1), [PACE, AT_ONCE]),
        (None, True, GivenOptions(throttle=1), [PACE, AT_ONCE, STAYS]),
        (
            None,
            True,
            GivenOptions(moves_per_disk=2),
            [PACE, "The other limits hold once the run goes on.", STAYS],
        ),
        (
            None,
            False,
            GivenOptions(disk_rate=2, throttle=1),
            [PACE, AT_ONCE, "The other limits hold for moves that start from now on."],
        ),
        (
            True,
            False,
            GivenOptions(),
            [
                "The run pauses: nothing new starts, the moves in progress go on to their end. "
                f"Let it start moves again with: {RESUME}"
            ],
        ),
        (True, True, GivenOptions(), ["The run was paused: nothing changes."]),
        (False, True, GivenOptions(), ["The run starts moves again."]),
        (False, False, GivenOptions(), ["The run was not paused: nothing changes."]),
    ],
)
def test_what_was_asked_is_said_with_what_follows(
    paused: bool | None, was_paused: bool, given: GivenOptions, said: list[str]
) -> None:
    assert list(asked_in_words(paused, was_paused, given, OPTIONS, "-p try")) == said


def test_a_run_that_moved_nothing_is_not_what_undo_takes_back() -> None:
    """Applied once more, a plan has nothing to do; the run before it has moved the replicas."""
    move = {"topic": "t", "partition": 0, "broker": 1, "source": "/a", "target": "/b", "size": 1}

    def done_at(began: float, moved: list[object]) -> BalanceRun:
        end = {"complete": True, "done": 1, "failed": [], "at": 0.0, "moves": moved}
        return BalanceRun("", OPTIONS, began, (), ended=cast("RunEnd", end))

    class Runs:
        """A journal with a run that moved a replica, and two that did not."""

        found = (done_at(1, []), done_at(2, [[move]]), done_at(3, []))

        def read(self) -> None:
            return None

        def over(self) -> tuple[BalanceRun, ...]:
            return self.found

    journal = cast("RunJournal", Runs())
    assert _chosen(journal, None) is Runs.found[1]
    assert _chosen(journal, "3000") is Runs.found[2]
    assert [_end(run) for run in Runs.found[1:]] == ["complete", "complete: all was there"]
