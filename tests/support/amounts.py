"""How many made-up cases a test looks at: all of them, a quarter in `make check`, or many more.

`make test` looks at all. `make check` is for the minute between two edits, so its tests of many
cases look at the first ones. `make explore` looks for what the others have not met yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

QUICK = "SPINDLE_QUICK_TESTS"
"""The variable of the environment that `python -m tests.suite --quick` sets."""
MANY = "SPINDLE_MANY_CASES"
"""The one that `make explore` sets."""
SHARE = 4
TIMES = 20
USUAL: Final = 100
"""What Hypothesis looks at unless a test names another number."""


def cases(whole: int) -> int:
    """`whole`, the quarter of it where the tests must be quick, or many times as many."""
    if os.environ.get(MANY):
        return whole * TIMES
    return max(1, whole // SHARE) if os.environ.get(QUICK) else whole


def beyond(more: Iterable[T]) -> list[T]:
    """What only `make explore` has the time for, after what all runs look at; else nothing."""
    return list(more) if os.environ.get(MANY) else []


def repeatable() -> bool:
    """Whether each run must look at the same cases: in CI, which judges a change and nothing else.

    At a desk each run draws other cases, so that defects are met where they can be mended at once.
    """
    return bool(os.environ.get("CI")) and not os.environ.get(MANY)
