"""The end of a call's time, which all its attempts share."""

from __future__ import annotations

import time
from typing import Final

_LEAST_S: Final = 0.005
"""Seconds that a spent deadline still gives, so that it fails by the rule of what waits."""


class Deadline:
    """A point in time by which a call must have ended, however many attempts it makes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, 0 when there are none."""
        return max(0.0, self._end - time.monotonic())

    @property
    def some(self) -> float:
        """Seconds left, and never none."""
        return max(self.left, _LEAST_S)

    def share(self, least: float, part: float) -> float:
        """`least` seconds, or this part of the whole time where that is more; at most what is left.

        Callers that give a call more time than usual so give each of its steps more, too.
        """
        return min(max(least, self.seconds * part), self.some)
