"""The batches appended last, kept in memory: readers at the end of a log need no disk.

One `Tail` for each partition that is led here, one `TailBudget` for all of them: both have a
limit in bytes, the latter in batches, too; the oldest batches give way. Called by the node's
replicas. Knows no files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from typing import Final

from spindle.model.batches import Buffer

TAIL_BYTES: Final = 2 << 20
"""Bytes kept of one partition."""
BROKER_BYTES: Final = 16 << 20
"""Bytes kept of all partitions of a broker."""
BROKER_BATCHES: Final = 20_000
"""And batches: small ones are let go of one by one, all at once where leaders change (S-08)."""


class _Kept:
    __slots__ = ("base", "buffers", "next", "number", "size", "tail")

    def __init__(
        self, tail: Tail, number: int, base: int, next: int, size: int, buffers: list[Buffer]
    ) -> None:
        self.tail = tail
        self.number = number
        self.base = base
        self.next = next
        self.size = size
        self.buffers = buffers


class TailBudget:
    """What all tails of a broker may hold together."""

    __slots__ = ("_kept", "_number", "limit", "used")

    def __init__(self, limit: int = BROKER_BYTES) -> None:
        self.limit = limit
        self.used = 0
        self._number = 0
        self._kept: OrderedDict[int, _Kept] = OrderedDict()

    def _add(self, tail: Tail, base: int, next: int, size: int, buffers: list[Buffer]) -> _Kept:
        self._number += 1
        kept = _Kept(tail, self._number, base, next, size, buffers)
        self._kept[kept.number] = kept
        self.used += size
        return kept

    def _remove(self, kept: _Kept) -> None:
        del self._kept[kept.number]
        self.used -= kept.size

    def _shrink(self) -> None:
        while self.used > self.limit or len(self._kept) > BROKER_BATCHES:
            next(iter(self._kept.values())).tail._drop_oldest()


class Tail:
    """The newest batches of one partition, without a gap, as buffers ready to be sent."""

    __slots__ = ("_bases", "_budget", "_head", "_kept", "limit", "used")

    def __init__(self, budget: TailBudget, limit: int = TAIL_BYTES) -> None:
        self._budget = budget
        self.limit = limit
        self.used = 0
        # Two lists beside each other, valid from `_head` on: bisect wants plain offsets.
        self._bases: list[int] = []
        self._kept: list[_Kept] = []
        self._head = 0

    def add(self, base: int, next: int, size: int, buffers: list[Buffer]) -> None:
        """A batch was written at `base`; the next one goes to `next`. `size` in bytes."""
        if self._kept and self._kept[-1].next != base:
            self.clear()
        if size > self.limit:
            self.clear()
            return
        self._bases.append(base)
        self._kept.append(self._budget._add(self, base, next, size, buffers))
        self.used += size
        while self.used > self.limit:
            self._drop_oldest()
        self._budget._shrink()

    def read(
        self, offset: int, limit: int, max_bytes: int, at_least_one: bool
    ) -> tuple[list[Buffer], int] | None:
        """Buffers from the batch that holds `offset` on, none that reaches past `limit`.

        With their bytes: at most `max_bytes`, but for the first batch if `at_least_one`. None
        where `offset` lies before what is kept.
        """
        index = bisect_right(self._bases, offset, self._head) - 1
        if index < self._head:
            return None
        found: list[Buffer] = []
        size = 0
        for at in range(index, len(self._kept)):
            kept = self._kept[at]
            if kept.next > limit or (size + kept.size > max_bytes and (found or not at_least_one)):
                break
            if kept.next <= offset:
                break  # the end of the log was asked for
            found += kept.buffers
            size += kept.size
        return found, size

    def bytes_between(self, start: int, end: int) -> int:
        """Bytes of the kept batches that begin at or after `start` and end by `end`."""
        size = 0
        for index in range(len(self._kept) - 1, self._head - 1, -1):
            kept = self._kept[index]
            if kept.base < start:
                break
            if kept.next <= end:
                size += kept.size
        return size

    def clear(self) -> None:
        """Keep nothing: the log was cut, or is gone."""
        for kept in self._kept[self._head :]:
            self._budget._remove(kept)
        self._bases.clear()
        self._kept.clear()
        self._head = 0
        self.used = 0

    def drop_below(self, offset: int) -> None:
        """Forget what ends by `offset`: the log has compacted it."""
        while self._head < len(self._kept) and self._kept[self._head].next <= offset:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        kept = self._kept[self._head]
        self._budget._remove(kept)
        self.used -= kept.size
        kept.buffers = []
        self._head += 1
        if self._head * 2 > len(self._kept):
            del self._bases[: self._head]
            del self._kept[: self._head]
            self._head = 0
