"""How many made-up cases a test looks at: all of them, or a quarter in `make check`.

`make test` looks at all. `make check` is for the minute between two edits, so its tests of many
cases look at the first ones.
"""

from __future__ import annotations

import os

QUICK = "SPINDLE_QUICK_TESTS"
"""The variable of the environment that `python -m tests.suite --quick` sets."""
SHARE = 4


def cases(whole: int) -> int:
    """`whole`, or the quarter of it where the tests must be quick."""
    return max(1, whole // SHARE) if os.environ.get(QUICK) else whole
