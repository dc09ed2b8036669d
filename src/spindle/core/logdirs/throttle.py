"""One byte rate for all moves of a broker, without bursts (K113-07).

A token bucket that holds at most one second's worth. Knows neither moves nor clocks: `now` (s) is
handed in. The node's moves ask here before each piece that they copy.
"""

from __future__ import annotations

from typing import Final

LEAST_SHARE: Final = 0.05
"""The smallest piece worth copying, as a share of what one second allows."""

PAUSE_MIN: Final = 0.001
"""Seconds between two looks at least."""


class Throttle:
    """Grants bytes so that no second sees more than `rate` (plus one batch, which is never cut)."""

    def __init__(self, rate: int, now: float) -> None:
        assert rate > 0
        self._rate = rate
        self._tokens = rate * LEAST_SHARE
        self._at = now

    @property
    def rate(self) -> int:
        """Bytes per second."""
        return self._rate

    def set_rate(self, rate: int, now: float) -> None:
        """Change the rate; what was saved or owed stays, up to a second's worth of the new rate."""
        assert rate > 0
        self._refill(now)
        self._rate = rate
        self._tokens = min(self._tokens, rate)

    def take(self, now: float, want: int) -> int:
        """Bytes that may be copied now, at most `want`; 0: not yet (see `ready_at`)."""
        self._refill(now)
        if self._tokens < min(want, self._rate * LEAST_SHARE) or self._tokens < 1:
            return 0
        granted = min(want, int(self._tokens))
        self._tokens -= granted
        return granted

    def settle(self, granted: int, used: int) -> None:
        """A grant was used to another extent: fewer bytes come back, more are owed."""
        self._tokens = min(self._rate, self._tokens + granted - used)

    def ready_at(self, now: float, want: int) -> float:
        """When `take` will grant something."""
        self._refill(now)
        least = max(1.0, min(want, self._rate * LEAST_SHARE))
        if self._tokens >= least:
            return now
        # A pause too short for the clock to show would be no pause at all.
        return now + max(PAUSE_MIN, (least - self._tokens) / self._rate)

    def _refill(self, now: float) -> None:
        self._tokens = min(self._rate, self._tokens + (now - self._at) * self._rate)
        self._at = now
