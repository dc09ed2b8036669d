"""How long something took, lately and at most: percentiles of the last so many times.

Pure. The node's moves keep one for how long appends were blocked by a swap.
"""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import Final

LAST: Final = 1000
"""Times that are remembered."""


class Durations:
    """Seconds that something took."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=LAST)
        self.count = 0
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """It took so long this time."""
        self._last.append(seconds)
        self.count += 1
        self.total += seconds

    def quantile(self, share: float) -> float:
        """What `share` (0 to 1) of the last times did not exceed; 0.0 where there were none."""
        assert 0 <= share <= 1
        if not self._last:
            return 0.0
        return sorted(self._last)[max(0, ceil(share * len(self._last)) - 1)]
