"""Figures of the moves between log directories: bytes copied and left, rates, blocked appends.

`MoveFigures` counts what the moves tell, and names it for the metrics page. Pure: `now` (s) is
handed in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import ceil
from typing import Final

from spindle.core.logdirs.copy_limits import Pair
from spindle.core.logdirs.move import LogDirMove
from spindle.model.metric_tables import between_directories as of
from spindle.model.statistics import Sample

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


QUANTILES: Final = (0.5, 0.99, 1.0)


class MoveFigures:
    """What the moves of this run of the broker have done."""

    def __init__(self) -> None:
        self.copied_bytes = 0
        self.blocked = Durations()
        """Seconds for which each swap blocked the appends of its partition."""
        self.ended: dict[str, int] = {}
        """Moves by how they ended."""
        self._pairs: dict[Pair, RateMeter] = {}

    def copied(self, now: float, move: LogDirMove, size: int) -> None:
        """A move has copied so many bytes more."""
        self.copied_bytes += size
        move.copied += size
        self._pairs.setdefault((move.source, move.target), RateMeter()).add(now, size)

    def end(self, how: str) -> None:
        """A move has ended."""
        self.ended[how] = self.ended.get(how, 0) + 1

    def statistics(
        self, now: float, moves: list[LogDirMove], left: Callable[[LogDirMove], int]
    ) -> Iterator[Sample]:
        """All figures. `left`: the bytes that a move has still to copy."""
        yield of.BYTES.of(self.copied_bytes)
        todo: dict[Pair, int] = {}
        for move in moves:
            pair = (move.source, move.target)
            labels = (
                move.name.topic,
                str(move.name.partition),
                *pair,
                move.state.name.lower(),
            )
            rest = left(move)
            todo[pair] = todo.get(pair, 0) + rest
            yield of.MOVE_DONE.of(move.size, *labels)
            yield of.MOVE_LEFT.of(rest, *labels)
            yield of.MOVE_SHARE.of(move.share, *labels)
        for pair in {**dict.fromkeys(self._pairs), **dict.fromkeys(todo)}:
            rate = self._pairs.get(pair, RateMeter())
            yield of.PAIR_BYTES.of(rate.total, *pair)
            yield of.PAIR_LEFT.of(todo.get(pair, 0), *pair)
            yield of.PAIR_RATE.of(rate.per_second(now), *pair)
        yield from self._endings()

    def _endings(self) -> Iterator[Sample]:
        for how, count in self.ended.items():
            yield of.MOVES.of(count, how)
        for share in QUANTILES:
            yield of.BLOCKED.quantile(str(share), self.blocked.quantile(share))
        yield of.BLOCKED.count(self.blocked.count)
        yield of.BLOCKED.sum(self.blocked.total)
