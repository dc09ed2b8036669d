"""What the broker reports to the controller of its replicas: a queue (K858-16, K858-17, K589-03).

A report names a replica's directory (`ReportQueue[DirectoryId]`) or what became of the replica
(`ReportQueue[StateChange]`). The newest report of a replica counts, and one request is under way at
a time. The queue repeats failed requests with a growing delay, and drops a report that has become
true or pointless. Pure; `now` in s. The node asks for batches and hands in the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from spindle.model.errors import Error
from spindle.model.ids import PartitionId

T = TypeVar("T")

BATCH_MAX: Final = 2250
GATHER: Final = 0.02
"""Seconds to wait for company after the first entry."""
BACKOFF_FIRST: Final = 0.1
BACKOFF_MAX: Final = 10.0


class StateChange(NamedTuple):
    """A replica went offline, or is back (KIP-589)."""

    online: bool
    reason: str = ""
    damaged: bool = False
    """It went offline for good: what it held is not to be counted on."""


def is_like(one: StateChange, other: StateChange) -> bool:
    """Whether one request can tell of both."""
    return (one.online, one.damaged) == (other.online, other.damaged)


@dataclass(frozen=True, slots=True)
class ReportBatch(Generic[T]):
    """The reports of one request. `serial` tells its answer from those of older requests."""

    serial: int
    entries: dict[PartitionId, T]


class ReportQueue(Generic[T]):
    """The queue. Bounded by the number of replicas: one entry for each.

    `is_like`: whether one request may carry two entries; without it, a request may carry any.
    """

    def __init__(self, is_like: Callable[[T, T], bool] | None = None) -> None:
        self._is_like = is_like
        self._ready: dict[PartitionId, T] = {}
        self._flying: ReportBatch[T] | None = None
        self._serial = 0
        self._failures = 0
        self._due: float | None = None

    def __len__(self) -> int:
        """How many replicas the broker has still to report (the metric)."""
        flying = self._flying.entries if self._flying else {}
        return len(self._ready) + sum(1 for id in flying if id not in self._ready)

    def wanted(self, id: PartitionId) -> T | None:
        """The report of a replica that waits or is under way, or None."""
        if id in self._ready:
            return self._ready[id]
        return self._flying.entries.get(id) if self._flying else None

    def is_flying(self, id: PartitionId) -> bool:
        """Whether the request under way speaks of this replica."""
        return self._flying is not None and id in self._flying.entries

    def want(self, id: PartitionId, word: T, now: float) -> None:
        """Queue a report of a replica; it replaces an earlier one."""
        if self._flying is not None and self._flying.entries.get(id) == word:
            self._ready.pop(id, None)
            return
        self._ready[id] = word
        if self._due is None:
            self._due = now + GATHER
        elif len(self._ready) > BATCH_MAX and self._failures == 0:
            self._due = now

    def withdraw(self, id: PartitionId) -> None:
        """Drop the report of a replica; the queue cannot call back a request under way."""
        self._ready.pop(id, None)

    @property
    def due(self) -> float | None:
        """When `take` may give a batch; None while one is under way or nothing waits."""
        return None if self._flying is not None or not self._ready else self._due

    def take(self, now: float, relevant: Callable[[PartitionId, T], bool]) -> ReportBatch[T] | None:
        """The next batch, if one is due; entries that are not `relevant` are dropped first."""
        if self.due is None or (self._due is not None and now < self._due):
            return None
        self._ready = {id: word for id, word in self._ready.items() if relevant(id, word)}
        if not self._ready:
            self._due = None
            return None
        chosen = self._choose()
        self._serial += 1
        self._flying = ReportBatch(self._serial, {id: self._ready.pop(id) for id in chosen})
        return self._flying

    def _choose(self) -> list[PartitionId]:
        """The oldest entry, and the entries that the same request can carry."""
        first = next(iter(self._ready.values()))
        like = self._is_like
        return [id for id, word in self._ready.items() if like is None or like(first, word)][
            :BATCH_MAX
        ]

    def on_failed(self, serial: int, now: float, jitter: float) -> None:
        """The request failed as a whole: all of it again, later. `jitter` in [0, 1)."""
        batch = self._land(serial)
        if batch is None:
            return
        for id, word in batch.entries.items():
            self._ready.setdefault(id, word)
        self._failures += 1
        delay = min(BACKOFF_MAX, BACKOFF_FIRST * 2.0 ** min(self._failures - 1, 20))
        self._due = now + delay * (1 + 0.02 * jitter)

    def on_answered(
        self, serial: int, errors: dict[PartitionId, Error | int], now: float
    ) -> list[PartitionId]:
        """The controller answered, per replica; those accepted come back, the rest is repeated."""
        batch = self._land(serial)
        if batch is None:
            return []
        accepted = [id for id in batch.entries if errors.get(id) == Error.NONE]
        rejected = [id for id in batch.entries if errors.get(id) != Error.NONE]
        for id in rejected:
            self._ready.setdefault(id, batch.entries[id])
        self._failures = self._failures + 1 if rejected and not accepted else 0
        delay = BACKOFF_FIRST * 2.0 ** min(self._failures, 6) if rejected else GATHER
        self._due = now + min(BACKOFF_MAX, delay) if self._ready else None
        return accepted

    def on_unserved(self, serial: int) -> dict[PartitionId, T]:
        """The controller has no such API: drop all reports, and return them."""
        batch = self._land(serial)
        if batch is None:
            return {}
        dropped, self._ready, self._due = {**batch.entries, **self._ready}, {}, None
        return dropped

    def on_controller_changed(self, now: float) -> None:
        """Another controller, or a new broker epoch: do not sit out an old delay."""
        self._failures = 0
        if self._ready and self._flying is None:
            self._due = now

    def _land(self, serial: int) -> ReportBatch[T] | None:
        if self._flying is None or self._flying.serial != serial:
            return None
        batch, self._flying = self._flying, None
        return batch
