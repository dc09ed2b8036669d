"""How fast moves may copy, and which of them (K113-05, K113-07, B-10).

`Throttle` and `Throttles` keep to rates in bytes per second, and `Slots` says which move is next.
Pure: the node's moves hand in the time, and ask before each piece. How moves give way to clients is
decided in `pacing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from spindle.model.ids import LogDir, PartitionId

LEAST_SHARE: Final = 0.05
"""The smallest piece worth copying, as a share of what one second allows."""

SAVED_MAX: Final = 0.1
"""Seconds whose worth an idle bucket saves: no second sees more than 1.1 times the rate."""

PAUSE_MIN: Final = 0.001
"""Seconds between two looks at least."""


class Throttle:
    """Grants bytes so that they keep to `rate` (plus one batch, which is never cut)."""

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
        """Change the rate; what was saved or owed stays, as far as the new rate lets it."""
        assert rate > 0
        self._refill(now)
        self._rate = rate
        self._tokens = min(self._tokens, rate * SAVED_MAX)

    def available(self, now: float, want: int) -> int:
        """Bytes that may be copied now, at most `want`; 0: not yet (see `ready_at`)."""
        self._refill(now)
        if self._tokens < self._least(want):
            return 0
        return max(1, min(want, int(self._tokens)))

    def spend(self, size: int) -> None:
        """So many bytes are being copied; more than were available are owed."""
        self._tokens -= size

    def settle(self, granted: int, used: int) -> None:
        """A grant was used to another extent: fewer bytes come back, more are owed."""
        self._tokens = min(self._rate * SAVED_MAX, self._tokens + granted - used)

    def ready_at(self, now: float, want: int) -> float:
        """When something will be available."""
        self._refill(now)
        least = self._least(want)
        if self._tokens >= least:
            return now
        # A pause too short for the clock to show would be no pause at all.
        return now + max(PAUSE_MIN, (least - self._tokens) / self._rate)

    def _least(self, want: int) -> float:
        """Tokens without which it is not worth while: a rate of a few bytes must come to them."""
        return min(want, self._rate * LEAST_SHARE)

    def _refill(self, now: float) -> None:
        saved = self._tokens + (now - self._at) * self._rate
        self._tokens = min(self._rate * SAVED_MAX, saved)
        self._at = now


BEHIND: Final = 0.005
"""Seconds until a pair of disks that waits behind another pair looks again."""

PATIENCE: Final = 0.5
"""Seconds after which a pair that could have taken bytes, and did not, loses its turn."""


class Throttles:
    """The broker's rate and each disk's: a piece must keep to all that it touches.

    The pair that has waited longest goes first. Otherwise pairs whose pieces happen to end first
    would get all the bytes.
    """

    def __init__(self, broker: int, disk: int, now: float) -> None:
        self._disk_rate = disk
        self._broker = Throttle(broker, now)
        self._disks: dict[LogDir, Throttle] = {}
        self._waiting: dict[tuple[LogDir, ...], float | None] = {}
        """Pairs of disks that wait, the oldest first, with since when others let them go first."""

    @property
    def rates(self) -> tuple[int, int]:
        """Bytes per second of the broker, and of each disk."""
        return self._broker.rate, self._disk_rate

    def set_rates(self, broker: int, disk: int, now: float) -> None:
        """Change the rates while moves go on."""
        self._broker.set_rate(broker, now)
        self._disk_rate = disk
        for throttle in self._disks.values():
            throttle.set_rate(disk, now)

    def take(self, now: float, want: int, disks: Iterable[LogDir]) -> int:
        """Bytes that may be copied between these disks now, at most `want`; 0: not yet."""
        pair = tuple(disks)
        granted = 0 if self._is_behind(pair, want, now) else self._available(pair, want, now)
        if granted == 0:
            self._waiting[pair] = None
            return 0
        self._waiting.pop(pair, None)
        for bucket in self._of(pair, now):
            bucket.spend(granted)
        return granted

    def _available(self, pair: tuple[LogDir, ...], want: int, now: float) -> int:
        return min(bucket.available(now, want) for bucket in self._of(pair, now))

    def _is_behind(self, pair: tuple[LogDir, ...], want: int, now: float) -> bool:
        """Whether another pair has waited for longer and could take bytes now."""
        for other, since in list(self._waiting.items()):
            if other == pair:
                return False
            if not self._available(other, want, now):
                continue
            if since is None:
                self._waiting[other] = now
            elif now - since > PATIENCE:
                del self._waiting[other]  # It does not come back.
                continue
            return True
        return False

    def settle(self, granted: int, used: int, disks: Iterable[LogDir], now: float) -> None:
        """A grant was used to another extent."""
        for bucket in self._of(disks, now):
            bucket.settle(granted, used)

    def ready_at(self, now: float, want: int, disks: Iterable[LogDir]) -> float:
        """When to ask `take` again."""
        pair = tuple(disks)
        ready = max(bucket.ready_at(now, want) for bucket in self._of(pair, now))
        return max(ready, now + BEHIND) if self._is_behind(pair, want, now) else ready

    def _of(self, disks: Iterable[LogDir], now: float) -> list[Throttle]:
        found = [self._broker]
        for path in disks:
            if path not in self._disks:
                self._disks[path] = Throttle(self._disk_rate, now)
            found.append(self._disks[path])
        return found


Pair = tuple[LogDir, LogDir]


class Slots:
    """Moves that wait and moves that copy, by the disks that they touch."""

    def __init__(self) -> None:
        self._waiting: dict[Pair, dict[PartitionId, None]] = {}
        """Pairs in the order in which it is their turn."""
        self._copying: dict[PartitionId, Pair] = {}

    @property
    def copying(self) -> int:
        """How many copy now."""
        return len(self._copying)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    def load(self, path: LogDir) -> int:
        """How many copies read from a disk or write to it."""
        return sum(path in pair for pair in self._copying.values())

    def wait(self, id: PartitionId, pair: Pair) -> None:
        """A move wants to copy."""
        assert id not in self._copying
        self._waiting.setdefault(pair, {})[id] = None

    def leave(self, id: PartitionId) -> None:
        """A move copies no more, or wants to no more; nothing if it did not."""
        self._copying.pop(id, None)
        for pair, ids in list(self._waiting.items()):
            if id in ids:
                del ids[id]
                if not ids:
                    del self._waiting[pair]

    def next(self, total: int, per_disk: int) -> PartitionId | None:
        """Begin with the next move that may copy; None: no move may.

        `total` copies at once, `per_disk` of them on any disk. Of the pairs that may, the one whose
        disks have least to do; where that is even, the one that has waited longest for its turn.
        """
        assert total > 0
        assert per_disk > 0
        if len(self._copying) >= total:
            return None
        loads = {pair: (self.load(pair[0]), self.load(pair[1])) for pair in self._waiting}
        free = [pair for pair, load in loads.items() if max(load) < per_disk]
        if not free:
            return None
        pair = min(free, key=lambda p: sum(loads[p]))
        ids = self._waiting.pop(pair)
        id = next(iter(ids))
        del ids[id]
        if ids:
            self._waiting[pair] = ids  # The others of this pair wait for their next turn.
        self._copying[id] = pair
        return id
