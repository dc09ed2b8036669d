"""Transactions in one partition: which are open, up to where all is decided, what was aborted.

The last stable offset lies before the first record of any transaction that is open, or whose
marker is not yet below the high watermark: readers of committed records read up to there. This
module remembers the newest transactions that were aborted since the log was loaded; the log's index
has the earlier ones. Pure; `partition` asks it, and leader and follower alike report every
transactional batch to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from spindle.model.log_values import AbortedTransaction, ProducerEntry

ABORTED_KEPT: Final = 1_000
"""Aborted transactions remembered of one partition; a reader of older ones needs the disk."""


class OngoingTransactions:
    """The transactions of a log. `open`: producer id -> first offset, in the order of offsets."""

    __slots__ = ("_aborted", "_ended", "_known_from", "open")

    def __init__(self, producers: Iterable[ProducerEntry] = (), end: int = 0) -> None:
        began = sorted((p.first_txn_offset, p.producer_id) for p in producers)
        self.open: dict[int, int] = {id: first for first, id in began if first >= 0}
        self._ended: list[tuple[int, int]] = []
        """First offset and marker of those whose marker may not be below the high watermark."""
        self._aborted: deque[AbortedTransaction] = deque()
        self._known_from = end

    def begin(self, producer_id: int, offset: int) -> None:
        """A producer's transactional batch stands at `offset`."""
        if producer_id not in self.open:
            self.open[producer_id] = offset

    def end(self, producer_id: int, marker: int, committed: bool) -> None:
        """The marker at this offset ends a producer's transaction, if it has one here."""
        first = self.open.pop(producer_id, None)
        if first is None:
            return
        self._ended.append((first, marker))
        if not committed:
            stable = next(iter(self.open.values()), marker + 1)
            self._aborted.append(AbortedTransaction(producer_id, first, marker, stable))
            if len(self._aborted) > ABORTED_KEPT:
                self._known_from = self._aborted.popleft().last + 1

    def stable(self, high_watermark: int) -> int:
        """The last stable offset under this high watermark (which never goes back)."""
        if not self.open and not self._ended:
            return high_watermark
        self._ended = [pair for pair in self._ended if pair[1] >= high_watermark]
        firsts = [first for first, _ in self._ended]
        firsts += next(([first] for first in self.open.values()), [])
        return min([high_watermark, *firsts])

    def aborted(self, offset: int, limit: int) -> tuple[AbortedTransaction, ...] | None:
        """Those with records in [offset, limit); None where only the log's index knows them."""
        if offset < self._known_from:
            return None
        return tuple(a for a in self._aborted if a.last >= offset and a.first < limit)
