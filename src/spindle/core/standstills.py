"""When this process stood still: others are not to blame for what it did not hear meanwhile.

A process that is stopped (SIGSTOP), or whose machine is paused or suspended, finds its next look at
a disk or at its brokers' sessions overdue. The threads of its disks stood still as well, and what
brokers sent lies unread. Pure: times (s) are inputs.
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

    def on_look(self, now: float) -> float:
        """A look has come; how long this process had stood still (0: it had not)."""
        late = now - self._due
        if late < OVERSLEPT:
            return 0.0
        self._late.append((now, late))
        return late

    def awake(self, seconds: float, now: float) -> float:
        """How much of the time just past this process ran, and the disks' threads with it."""
        since = now - seconds
        return seconds - sum(late for woke, late in self._late if woke > since)
