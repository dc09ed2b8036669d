"""Which voters hold at which place of our copy of the metadata log, and at what kraft.version.

A set counts from the moment that it lies in our log, committed or not, and ends with a truncation
that takes it away (KIP-853). Before the log says anything, the configured (static) voters hold.
Belongs to `raft_log`; reading control batches is given to it as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from spindle.model.batches import RecordBatch
from spindle.model.quorum_voters import (
    DYNAMIC,
    NO_VOTERS,
    KRaftVersion,
    QuorumAt,
    QuorumRecord,
    VoterKey,
    Voters,
)

T = TypeVar("T")
Read = Callable[[RecordBatch], Iterable[tuple[int, QuorumRecord]]]
"""(offset, record) of what a control batch says of the quorum."""


def _nothing(_: RecordBatch) -> Iterable[tuple[int, QuorumRecord]]:
    return ()


class VoterHistory:
    """The sets of voters in one copy of the log."""

    def __init__(self, static: Voters = NO_VOTERS, read: Read = _nothing) -> None:
        self.told: list[Callable[[], None]] = []
        """Called whenever other voters hold."""
        self._static = static
        self._read = read
        self._sets: list[tuple[int, Voters]] = []
        self._levels: list[tuple[int, int]] = []

    @property
    def latest(self) -> Voters:
        """The voters that hold now."""
        return self._sets[-1][1] if self._sets else self._static

    @property
    def offset(self) -> int:
        """Where they were written; -1 where no log has them (static, or as formatted)."""
        return self._sets[-1][0] if self._sets else -1

    @property
    def level(self) -> int:
        """The kraft.version that holds now."""
        return self._levels[-1][1] if self._levels else 0

    @property
    def is_dynamic(self) -> bool:
        """Whether the log says which nodes are voters."""
        return self.level >= DYNAMIC

    def is_needed(self, key: VoterKey, high_watermark: int) -> bool:
        """Whether a node has a vote, or had one until a set that may not be committed.

        That node alone may have the new set in its log: the others cannot do without it.
        """
        if self.latest.has(key):
            return True
        before = self._sets[-2][1] if len(self._sets) > 1 else self._static
        return self.offset >= high_watermark and before.has(key)

    def as_of(self, end: int) -> QuorumAt:
        """What the records below `end` say."""
        levels = [level for offset, level in self._levels if offset < end]
        sets = [voters for offset, voters in self._sets if offset < end]
        return QuorumAt(levels[-1] if levels else 0, sets[-1] if sets else None)

    def below(self, end: int) -> list[tuple[int, Voters]]:
        """The sets of voters that lie below `end`, oldest first, each with its offset."""
        return [entry for entry in self._sets if entry[0] < end]

    # --- what happens to the log --------------------------------------------------------------

    def on_appended(self, batch: RecordBatch) -> None:
        """A batch lies at the end of our log."""
        if batch.is_control:
            before = self.latest
            for offset, record in self._read(batch):
                if isinstance(record, KRaftVersion):
                    self._levels.append((offset, record.level))
                else:
                    self._sets.append((offset, record))
            self._tell(before)

    def on_truncated(self, end: int) -> None:
        """What lay at `end` or behind it is gone."""
        before = self.latest
        self._sets = [one for one in self._sets if one[0] < end]
        self._levels = [one for one in self._levels if one[0] < end]
        self._tell(before)

    def restart(self, end: int, found: QuorumAt) -> None:
        """A snapshot that ends at `end` has taken the place of the log (0: as formatted)."""
        before = self.latest
        self._sets = [] if found.voters is None else [(end - 1, found.voters)]
        self._levels = [(end - 1, found.level)] if found.level else []
        self._tell(before)

    def on_start_moved(self, start: int) -> None:
        """Records below `start` are gone; what held there holds."""
        self._sets = _from(self._sets, start)
        self._levels = _from(self._levels, start)

    def _tell(self, before: Voters) -> None:
        if self.latest != before:
            for told in self.told:
                told()


def _from(entries: list[tuple[int, T]], start: int) -> list[tuple[int, T]]:
    below = [entry for entry in entries if entry[0] < start]
    return below[-1:] + [entry for entry in entries if entry[0] >= start]
