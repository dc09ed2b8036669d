"""When this process stood still: a disk is not to blame for what it did not answer meanwhile.

A process that is stopped (SIGSTOP), or whose machine is paused or suspended, finds its next look at
a disk overdue. The threads of its disks stood still as well. Pure: times (s) are inputs.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

OVERSLEPT: Final = 1.0
"""A look that comes so many seconds late shows that our process was frozen, or had no core."""
REMEMBERED_MAX: Final = 20


class Standstills:
    """The last times that looks came late."""

    __slots__ = ("_due", "_late")

    def __init__(self) -> None:
        self._due = math.inf
        self._late: deque[tuple[float, float]] = deque(maxlen=REMEMBERED_MAX)
        """When we woke, and how long we had stood still."""

    def expect(self, due: float) -> None:
        """The next look is to come at `due`."""
        self._due = due

    def on_look(self, now: float) -> None:
        """A look has come."""
        late = now - self._due
        if late >= OVERSLEPT:
            self._late.append((now, late))

    def awake(self, seconds: float, now: float) -> float:
        """How much of the time just past this process ran, and the disks' threads with it."""
        since = now - seconds
        return seconds - sum(late for woke, late in self._late if woke > since)
