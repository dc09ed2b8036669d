"""What waits for what: promises that wait for an offset, and deadlines that wait for the clock.

Requests that cannot be answered yet are parked here: produces until the high watermark passes
their last record, deletions until every replica has moved its start, fetches until there is
enough to send. Everything parked has a deadline. Knows no clock: its caller passes the time.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

from spindle.model.errors import Error

T = TypeVar("T")

GRAIN: Final = 0.005
"""Seconds by which a deadline may be late."""


class Deadlines(Generic[T]):
    """Things that are due at a time: cheap to add and to take back, coarse by `GRAIN`.

    Most of what is parked is answered long before its deadline, so taking back must not leave
    anything behind that is looked at again.
    """

    __slots__ = ("_buckets", "_order", "_where")

    def __init__(self) -> None:
        self._buckets: dict[int, dict[T, None]] = {}
        self._order: list[int] = []
        self._where: dict[T, int] = {}

    def __len__(self) -> int:
        return len(self._where)

    def add(self, at: float, thing: T) -> None:
        """`thing` is due at `at` (s, monotonic), or up to GRAIN later."""
        assert thing not in self._where, "a thing has one deadline"
        number = int(at / GRAIN) + 1
        bucket = self._buckets.get(number)
        if bucket is None:
            bucket = self._buckets[number] = {}
            heappush(self._order, number)
        bucket[thing] = None
        self._where[thing] = number

    def discard(self, thing: T) -> None:
        """`thing` is not due any more (or never was)."""
        number = self._where.pop(thing, None)
        if number is not None:
            del self._buckets[number][thing]

    def take_due(self, now: float) -> list[T]:
        """All that is due, the earliest first; each is forgotten."""
        due: list[T] = []
        while self._order and self._order[0] * GRAIN <= now:
            for thing in self._buckets.pop(heappop(self._order)):
                del self._where[thing]
                due.append(thing)
        return due

    @property
    def next(self) -> float | None:
        """When something may be due next."""
        while self._order and not self._buckets[self._order[0]]:
            del self._buckets[heappop(self._order)]
        return self._order[0] * GRAIN if self._order else None


class OffsetWaiters:
    """Continuations that wait until a mark of the log (high watermark, low watermark) is reached.

    The `take` methods return them in the order of their offsets, then of their arrival; the caller
    runs them, with NONE, or with the error because of which the mark will not be reached.
    """

    __slots__ = ("_by_offset", "_number", "_order")

    def __init__(self) -> None:
        self._order: list[tuple[int, int]] = []
        self._by_offset: dict[tuple[int, int], Callable[[Error], None]] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._by_offset)

    def add(self, offset: int, then: Callable[[Error], None]) -> tuple[int, int]:
        """Have `then` run once the mark has reached `offset`; returns what `discard` takes."""
        self._number += 1
        key = (offset, self._number)
        self._by_offset[key] = then
        heappush(self._order, key)
        return key

    def discard(self, key: tuple[int, int]) -> None:
        """Wait no longer."""
        self._by_offset.pop(key, None)

    def take_reached(self, mark: int) -> list[Callable[[Error], None]]:
        """The continuations of all offsets <= `mark`; each is forgotten."""
        reached: list[Callable[[Error], None]] = []
        while self._order and self._order[0][0] <= mark:
            then = self._by_offset.pop(heappop(self._order), None)
            if then is not None:
                reached.append(then)
        return reached

    def take_beyond(self, offset: int) -> list[Callable[[Error], None]]:
        """The continuations of all offsets > `offset`; each is forgotten."""
        beyond = sorted(key for key in self._by_offset if key[0] > offset)
        return [self._by_offset.pop(key) for key in beyond]

    def take_all(self) -> list[Callable[[Error], None]]:
        """Every continuation: the mark will not come any more."""
        self._order.sort()
        waiting = [self._by_offset[key] for key in self._order if key in self._by_offset]
        self._order.clear()
        self._by_offset.clear()
        return waiting


class DelayedOperations:
    """All that waits for one partition, by the mark that it waits for."""

    __slots__ = ("at_end", "at_mark", "at_start")

    def __init__(self) -> None:
        self.at_end = OffsetWaiters()
        """Promises that wait for the log end (acks=1)."""
        self.at_mark = OffsetWaiters()
        """Promises that wait for the high watermark (acks=all)."""
        self.at_start = OffsetWaiters()
        """Promises that wait for the low watermark (DeleteRecords)."""

    def __len__(self) -> int:
        return len(self.at_end) + len(self.at_mark) + len(self.at_start)

    def fail(self, error: Error) -> None:
        """Answer everything that waits for records, or for a deletion, with `error`."""
        for waiters in (self.at_end, self.at_mark):
            for then in waiters.take_all():
                then(error)
        self.fail_deletions(error)

    def fail_deletions(self, error: Error) -> None:
        """Answer everything that waits for a deletion with `error`."""
        for then in self.at_start.take_all():
            then(error)
