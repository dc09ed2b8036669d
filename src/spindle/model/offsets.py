"""Positions in a log and the history of its leader epochs. Pure arithmetic."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class OffsetAndEpoch(NamedTuple):
    """An offset and the leader epoch that it belongs to."""

    offset: int
    epoch: int


class EpochStart(NamedTuple):
    """The first offset that was written in a leader epoch."""

    epoch: int
    start: int


class EpochHistory:
    """Which leader epoch wrote which offsets (Kafka's leader epoch cache, KIP-101).

    Ascending in both epoch and start offset. An epoch without records is not kept.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[EpochStart] = ()) -> None:
        self._entries: list[EpochStart] = []
        for epoch, start in entries:
            self.assign(epoch, start)

    @property
    def entries(self) -> tuple[EpochStart, ...]:
        """All (epoch, start offset), oldest first."""
        return tuple(self._entries)

    @property
    def latest(self) -> int:
        """The newest epoch, or -1 where there is none."""
        return self._entries[-1].epoch if self._entries else -1

    def assign(self, epoch: int, start: int) -> bool:
        """Record that `epoch` begins at `start`; whether that was news.

        Entries that contradict it (a later epoch, or a start at or after it) give way.
        """
        if self._entries and self._entries[-1].epoch == epoch:
            return False
        while self._entries and (
            self._entries[-1].epoch >= epoch or self._entries[-1].start >= start
        ):
            self._entries.pop()
        self._entries.append(EpochStart(epoch, start))
        return True

    def truncate_end(self, offset: int) -> bool:
        """Forget epochs that start at or after `offset`; whether anything changed."""
        before = len(self._entries)
        while self._entries and self._entries[-1].start >= offset:
            self._entries.pop()
        return len(self._entries) != before

    def truncate_start(self, offset: int) -> bool:
        """Forget what lies before `offset`; the epoch which covers it then starts there."""
        index = bisect_right([e.start for e in self._entries], offset) - 1
        if index < 0 or (self._entries[index].start == offset and index == 0):
            return False
        kept = self._entries[index]
        self._entries[: index + 1] = [EpochStart(kept.epoch, offset)]
        return True

    def end_of(self, epoch: int, log_end: int) -> OffsetAndEpoch:
        """The largest epoch <= `epoch` and the offset where it ends (KIP-101, KIP-279).

        (-1, -1) where this history knows no such epoch.
        """
        if not self._entries or epoch < 0:
            return OffsetAndEpoch(-1, -1)
        if epoch == self.latest:
            return OffsetAndEpoch(log_end, epoch)
        if epoch > self.latest:
            return OffsetAndEpoch(-1, -1)
        index = bisect_right([e.epoch for e in self._entries], epoch)
        if index == 0:
            # Older than all we know: the caller truncates to our first offset.
            return OffsetAndEpoch(self._entries[0].start, epoch)
        return OffsetAndEpoch(self._entries[index].start, self._entries[index - 1].epoch)

    def epoch_at(self, offset: int) -> int:
        """The epoch of the record at `offset`, or -1."""
        index = bisect_right([e.start for e in self._entries], offset)
        return self._entries[index - 1].epoch if index else -1
