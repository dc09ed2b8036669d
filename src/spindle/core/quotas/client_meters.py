"""What clients use of something that they have quotas of, and how long each has to wait. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Final, Generic, NamedTuple, TypeVar

from spindle.core.quotas.client_limits import ClientLimits, Sharers
from spindle.core.quotas.sampled_rate import SampledRate, TokenBucket, Windows

M = TypeVar("M", SampledRate, TokenBucket)

NONE: Final = ClientLimits({})


class _Meters(Generic[M]):
    """A meter for all that share a quota. One that was not used for all its windows is as a new
    one, and is let go."""

    def __init__(self, windows: Windows, make: Callable[[Windows], M]) -> None:
        self.windows = windows
        self._make: Callable[[Windows], M] = make
        self._meters: dict[Sharers, M] = {}
        self._swept_at = -inf

    def of(self, sharers: Sharers, now: float) -> M:
        """Theirs."""
        if now - self._swept_at >= self.windows.total:
            self._swept_at = now
            old = now - self.windows.total
            self._meters = {s: m for s, m in self._meters.items() if m.used_at > old}
        meter = self._meters.get(sharers)
        if meter is None:
            meter = self._meters[sharers] = self._make(self.windows)
        return meter

    def used(self, now: float) -> Iterator[tuple[Sharers, M]]:
        """Those that were used lately."""
        old = now - self.windows.total
        return ((s, meter) for s, meter in self._meters.items() if meter.used_at > old)

    def __len__(self) -> int:
        return len(self._meters)


class ClientRate(NamedTuple):
    """What those that share a quota use now."""

    sharers: Sharers
    rate: float
    wait: float
    """For how long (s) they are held back, if they go on now."""


class RateQuota:
    """A quota of bytes, or of time: what is used counts, and then the client waits."""

    def __init__(self, windows: Windows, throttle_most: float = inf) -> None:
        """`throttle_most`: seconds that a client waits at most."""
        self.limits = NONE
        self._most = throttle_most
        self._meters = _Meters(windows, SampledRate)

    def record(self, user: str, client: str, used: float, now: float) -> float:
        """So much was used; for how long (s) the client has to wait now."""
        sharers, limit = self.limits.find(user, client)
        if limit is None:
            return 0.0
        meter = self._meters.of(sharers, now)
        meter.record(used, now)
        return min(meter.throttle(limit, now), self._most)

    def take_back(self, user: str, client: str, used: float, now: float) -> None:
        """What was recorded was not used after all."""
        sharers, limit = self.limits.find(user, client)
        if limit is not None:
            self._meters.of(sharers, now).record(-used, now)

    def most(self, user: str, client: str) -> int | None:
        """How much a client that has used nothing may use at once; None: as much as it likes."""
        limit = self.limits.find(user, client).rate
        windows = self._meters.windows
        return None if limit is None else int(limit * (windows.number - 1) * windows.seconds)

    def rates(self, now: float) -> Iterator[ClientRate]:
        """What clients with a quota use now."""
        for sharers, meter in self._meters.used(now):
            limit = self.limits.rate_of(*sharers)
            wait = 0.0 if limit is None else min(meter.throttle(limit, now), self._most)
            yield ClientRate(sharers, meter.measured(now), wait)

    def __len__(self) -> int:
        return len(self._meters)


class MutationQuota:
    """A quota of changes in bursts: of partitions that are made and deleted (KIP-599)."""

    def __init__(self, windows: Windows) -> None:
        self.limits = NONE
        self._meters = _Meters(windows, TokenBucket)

    def take(self, user: str, client: str, count: int, strict: bool, now: float) -> float:
        """Changes are wanted; for how long (s) the client has to wait.

        `strict`: where it has to wait, they are not made and do not count.
        """
        sharers, rate = self.limits.find(user, client)
        if rate is None:
            return 0.0
        bucket = self._meters.of(sharers, now)
        if strict and (wait := bucket.throttle(rate, now)) > 0.0:
            return wait
        bucket.take(count, rate, now)
        return 0.0 if strict else bucket.throttle(rate, now)
