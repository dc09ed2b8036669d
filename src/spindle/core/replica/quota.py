"""Replication throttles (KIP-73): how fast chosen replicas may be copied, by leaders and followers.

A broker has two: one for what it sends to followers, one for what it fetches from leaders. A topic
names the replicas that are throttled (`*.replication.throttled.replicas`), the broker the rate.
Replicas in the ISR count towards the rate and are never held back. Rates are measured as Apache
Kafka's ReplicationQuotaManager does: over the last `replication.quota.window.num` windows. Pure;
fed by the node's readers and fetchers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spindle.model.ids import NodeId

EVERY: Final = "*"


@dataclass(frozen=True, slots=True)
class Throttled:
    """The partitions of one topic whose replicas on one broker are throttled."""

    all: bool = False
    partitions: frozenset[int] = frozenset()

    def __contains__(self, partition: int) -> bool:
        return self.all or partition in self.partitions


NOTHING: Final = Throttled()


def throttled_replicas(named: Iterable[str], broker: NodeId) -> Throttled:
    """What a topic's list says of a broker: `partition:broker` entries, or `*` for all replicas.

    The list was checked when it was set.
    """
    entries = tuple(named)
    if entries == (EVERY,):
        return Throttled(all=True)
    pairs = (entry.split(":") for entry in entries)
    return Throttled(partitions=frozenset(int(p) for p, b in pairs if int(b) == broker))


@dataclass(slots=True)
class _Window:
    began: float
    last: float
    size: int


class Quota:
    """The bytes of throttled replicas, and whether they came faster than the rate allows.

    `windows` of `seconds` each are looked at.
    """

    def __init__(self, windows: int, seconds: float) -> None:
        assert windows > 0
        assert seconds > 0
        self._windows: deque[_Window] = deque()
        self._length = seconds
        self._kept = windows * seconds

    def record(self, size: int, now: float) -> None:
        """So many bytes of throttled replicas were sent or fetched."""
        self._purge(now)
        if not self._windows or now - self._windows[-1].began >= self._length:
            self._windows.append(_Window(now, now, 0))
        last = self._windows[-1]
        last.last = now
        last.size += size

    def rate(self, now: float) -> float:
        """Bytes per second, over what is looked at (one window at least)."""
        self._purge(now)
        if not self._windows:
            return 0.0
        elapsed = max(now - self._windows[0].began, self._length)
        return sum(window.size for window in self._windows) / elapsed

    def is_exceeded(self, limit: int, now: float) -> bool:
        """Whether throttled replicas that are not in sync have to wait. `limit`: bytes/s."""
        return self.rate(now) > limit

    def _purge(self, now: float) -> None:
        while self._windows and now - self._windows[0].last >= self._kept:
            self._windows.popleft()
