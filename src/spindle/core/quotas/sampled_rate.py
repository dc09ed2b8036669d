"""How fast something happens, over some windows of time; and a bucket of tokens for bursts.

Both measure as Apache Kafka's sensors do (Rate, TokenBucket). Times are seconds of a clock that
only goes on. Pure.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

_WINDOW_LEAST: Final = 0.001


class Windows(NamedTuple):
    """Over what is measured."""

    number: int
    seconds: float
    """Of each."""

    @property
    def total(self) -> float:
        """Seconds of all of them."""
        return self.number * self.seconds


@dataclass(slots=True)
class _Window:
    began: float
    last: float
    total: float


class SampledRate:
    """What was recorded, per second."""

    __slots__ = ("_samples", "_windows", "used_at")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._samples: deque[_Window] = deque(maxlen=windows.number + 1)
        self.used_at = -inf
        """When something was recorded last."""

    def record(self, value: float, now: float) -> None:
        """So much has happened; less than nothing takes back what was recorded before."""
        samples = self._samples
        if not samples or now - samples[-1].began >= self._windows.seconds:
            samples.append(_Window(now, now, 0.0))
        last = samples[-1]
        last.total += value
        last.last = self.used_at = now

    def measured(self, now: float) -> float:
        """Units per second."""
        return self._total(now) / self.window(now)

    def window(self, now: float) -> float:
        """The seconds over which is measured: all windows but one at least."""
        self._purge(now)
        elapsed = now - self._samples[0].began if self._samples else 0.0
        full = int(elapsed / self._windows.seconds)
        missing = max(self._windows.number - 1 - full, 0)
        return max(elapsed + missing * self._windows.seconds, _WINDOW_LEAST)

    def throttle(self, limit: float, now: float) -> float:
        """For how long (s) nothing may happen so that the rate is the limit again; 0: go on."""
        rate = self.measured(now)
        return 0.0 if rate <= limit else (rate - limit) / limit * self.window(now)

    def _total(self, now: float) -> float:
        self._purge(now)
        return sum([sample.total for sample in self._samples])

    def _purge(self, now: float) -> None:
        samples, kept = self._samples, self._windows.total
        while samples and now - samples[0].last >= kept:
            samples.popleft()


class TokenBucket:
    """Lets bursts pass: what was not used for a while may be used at once.

    It holds as many tokens as come in all windows; what takes more than there are leaves a debt.
    """

    __slots__ = ("_seconds", "_tokens", "used_at")

    def __init__(self, windows: Windows) -> None:
        self._seconds = windows.total
        self._tokens = inf
        self.used_at = -inf
        """When tokens were taken or counted last."""

    def tokens(self, rate: float, now: float) -> float:
        """How many there are. `rate`: how many come in a second."""
        elapsed = 0.0 if self.used_at == -inf else now - self.used_at
        self._tokens = min(rate * self._seconds, self._tokens + rate * elapsed)
        self.used_at = now
        return self._tokens

    def take(self, count: float, rate: float, now: float) -> None:
        """Take some, also where there are fewer."""
        self._tokens = self.tokens(rate, now) - count

    def throttle(self, rate: float, now: float) -> float:
        """How long (s) it takes until there is no debt."""
        return max(-self.tokens(rate, now) / rate, 0.0)
