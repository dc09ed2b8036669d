"""Deadlines of loops that do something themselves, and of what must be quick on a calm machine.

Both end a test with TimeIsUp: it is repeated alone, and must hold there.
"""

from __future__ import annotations

import time

from tests.support.waiting import TimeIsUp


class Deadline:
    """Seconds for a loop, from now on."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end

    def hold(self, what: object) -> None:
        """TimeIsUp with what there is so far, when the time is up."""
        if self.is_over:
            raise TimeIsUp(f"not within {self._seconds} s: {what}")


def within(took: float, most: float, what: str) -> None:
    """TimeIsUp where something took `most` seconds or longer."""
    if took >= most:
        raise TimeIsUp(f"{what}: {took:.2f} s, not less than {most} s")
