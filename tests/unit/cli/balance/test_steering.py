"""What `balance pause`, `resume` and `pace` say: what follows, and from when a pace holds."""

from __future__ import annotations

import pytest

from spindle.cli.balance.balance_journal import GivenOptions, RunOptions
from spindle.cli.balance.runs import asked_in_words

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
