"""How many requests of each API were answered, and how long they took, waiting included.

A connection's answers leave in the order of its requests, so the oldest open one is answered. What
is done for each request is a push, a pop and three additions; quantiles are computed when asked.
Called by `driver`; knows no more of a request than its first four bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from itertools import accumulate
from struct import Struct
from time import monotonic
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metric_tables import traffic as of
from spindle.model.statistics import Sample
from spindle.wire.apis import Key

WINDOW_SECONDS: Final = 60.0
"""Quantiles are those of the last one to two such times."""
QUANTILES: Final = ("0.50", "0.75", "0.95", "0.98", "0.99", "0.999")
_HEAD: Final = Struct(">I").unpack_from
"""API key and version, as one number."""
_FETCH, _FOLLOWER = int(Key.FETCH), 1 << 32
"""The key of Fetch, and a bit above all keys for a follower's."""
_BINS: Final = 33 * 4


class RequestTimer:
    """The times of one kind of request: a histogram with four bins for each power of two."""

    __slots__ = ("_before", "_bins", "count", "seconds")

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        self._bins = [0] * _BINS
        self._before = [0] * _BINS

    def add(self, seconds: float) -> None:
        """One took so long."""
        self.count += 1
        self.seconds += seconds
        micros = int(seconds * 1e6)
        n = micros.bit_length()
        self._bins[min(n, 32) * 4 + (micros >> n - 3 & 3) if n > 2 else micros] += 1

    def merge(self, other: RequestTimer) -> None:
        """Take in what another one has seen."""
        self.count += other.count
        self.seconds += other.seconds
        for index in range(_BINS):
            self._bins[index] += other._bins[index] + other._before[index]

    def roll(self) -> None:
        """A window has ended."""
        self._before, self._bins = self._bins, [0] * _BINS

    def quantiles(self) -> Iterator[tuple[str, float]]:
        """Each share, and the ms that it did not exceed; none where there was no request."""
        bins = [a + b for a, b in zip(self._bins, self._before, strict=True)]
        below = list(accumulate(bins))
        if below[-1]:
            for share in QUANTILES:
                index = bisect_left(below, float(share) * below[-1])
                yield share, _middle(index) / 1000


def _middle(index: int) -> float:
    """The microseconds in the middle of a bin."""
    n, quarter = divmod(index, 4)
    return index if n < 3 else (4.5 + quarter) * (1 << n - 3)


class RequestTimes:
    """Of all connections.

    `is_follower`: whether a connection's fetches are a follower's.
    """

    def __init__(
        self, is_follower: Callable[[int], bool], clock: Callable[[], float] = monotonic
    ) -> None:
        self._is_follower, self._clock = is_follower, clock
        self._open: dict[int, deque[tuple[int, float]]] = {}
        self._timers: dict[int, RequestTimer] = {}
        """By key and version; those of followers' fetches apart."""
        self._rolled = clock()

    def on_frame(self, connection: int, frame: Buffer) -> None:
        """A request has come."""
        head = _HEAD(frame)[0] if len(frame) > 3 else 0
        try:
            self._open[connection].append((head, self._clock()))
        except KeyError:
            self._open[connection] = deque(((head, self._clock()),))

    def on_answered(self, connection: int) -> None:
        """The oldest one has its answer, or is owed none."""
        head, came = self._open[connection].popleft()
        if head >> 16 == _FETCH and self._is_follower(connection):
            head |= _FOLLOWER
        try:
            timer = self._timers[head]
        except KeyError:
            timer = self._timers[head] = RequestTimer()
        timer.add(self._clock() - came)

    def on_closed(self, connection: int) -> None:
        """A connection has gone; what it had asked for is not answered."""
        self._open.pop(connection, None)

    def statistics(self) -> Iterator[Sample]:
        """Counts by API and version, times by API."""
        self._roll()
        answered: dict[tuple[str, str], int] = {}
        merged: dict[str, RequestTimer] = {}
        for head, timer in self._timers.items():
            name = _NAMES.get(head >> 16 & 0xFFFF)
            if name is not None:
                of_version = (name, str(head & 0xFFFF))
                answered[of_version] = answered.get(of_version, 0) + timer.count
                if name == "Fetch":
                    name = "FetchFollower" if head & _FOLLOWER else "FetchConsumer"
                merged.setdefault(name, RequestTimer()).merge(timer)
        for labels, count in answered.items():
            yield of.REQUESTS.of(count, *labels)
        for name, timer in merged.items():
            for share, milliseconds in timer.quantiles():
                yield of.TOTAL_TIME.quantile(share, milliseconds, name)
            yield of.TOTAL_TIME.count(timer.count, name)
            yield of.TOTAL_TIME.sum(timer.seconds * 1000, name)

    def _roll(self) -> None:
        now = self._clock()
        if now - self._rolled >= WINDOW_SECONDS:
            self._rolled = now
            for timer in self._timers.values():
                timer.roll()


_NAMES: Final[dict[int, str]] = {key.value: key.name.title().replace("_", "") for key in Key}
