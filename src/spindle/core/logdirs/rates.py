"""How many bytes a second something has moved of late. Pure: `now` (s) is handed in."""

from __future__ import annotations

from collections import deque
from typing import Final

WINDOW: Final = 10
"""Seconds that count."""


class RateMeter:
    """Bytes of the last seconds, and of all time."""

    def __init__(self) -> None:
        self.total = 0
        self._seconds: deque[tuple[int, int]] = deque()

    def add(self, now: float, size: int) -> None:
        """So many bytes were moved."""
        self.total += size
        second = int(now)
        if self._seconds and self._seconds[-1][0] == second:
            size += self._seconds.pop()[1]
        self._seconds.append((second, size))
        self._forget(now)

    def per_second(self, now: float) -> float:
        """Bytes per second over the last `WINDOW` seconds."""
        self._forget(now)
        return sum(size for _, size in self._seconds) / WINDOW

    def _forget(self, now: float) -> None:
        while self._seconds and self._seconds[0][0] <= now - WINDOW:
            self._seconds.popleft()
