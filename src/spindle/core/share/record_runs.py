"""Neighbouring records in the same state, in a row without a gap: cut where they fare differently.

The ground of `core.share.share_partition`, which alone says what becomes of records.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from spindle.core.share.share_values import DeliveryState, StateBatch


class Run:
    """Neighbouring records in the same state. `until`: when their lock ends (s).

    `change`: what they wait for; `before`: where they stood before it.
    """

    __slots__ = ("before", "change", "count", "first", "last", "member", "state", "until")

    def __init__(
        self, first: int, last: int, state: DeliveryState, count: int, member: str = ""
    ) -> None:
        self.first, self.last = first, last
        self.state, self.count, self.member = state, count, member
        self.until = 0.0
        self.change: DeliveryChange | None = None
        self.before: tuple[DeliveryState, str] = (state, member)

    @property
    def size(self) -> int:
        """How many records."""
        return self.last - self.first + 1

    @property
    def is_free(self) -> bool:
        """Whether it can be acquired."""
        return self.state is DeliveryState.AVAILABLE and self.change is None

    @property
    def is_locked(self) -> bool:
        """Whether it is with a member, and nothing is being written of it."""
        return self.state is DeliveryState.ACQUIRED and self.change is None

    @property
    def is_over(self) -> bool:
        """Whether it is never delivered again, and that is kept."""
        return self.state.is_final and self.change is None


class DeliveryChange:
    """States that are to be kept. `start`, `complete`: as the share partition is with them."""

    __slots__ = ("batches", "complete", "runs", "start")

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.start = 0
        self.complete = 0
        self.batches: list[StateBatch] = []


class RunList:
    """Runs from some record on, up to `end`."""

    def __init__(self, start: int) -> None:
        self.end = start
        self._runs: list[Run] = []

    def _push(self, run: Run) -> None:
        assert run.first == self.end, f"{run.first} leaves a gap behind {self.end}"
        self._runs.append(run)
        self.end = run.last + 1

    def _index(self, offset: int) -> int:
        """The place of the run that holds an offset, or of the end."""
        at = bisect_right(self._runs, offset, key=lambda run: run.first) - 1
        return at if at >= 0 and self._runs[at].last >= offset else at + 1

    def _within(self, first: int, last: int) -> Iterator[Run]:
        for at in range(self._index(first), len(self._runs)):
            run = self._runs[at]
            if run.first > last:
                return
            yield run

    def _cut(self, first: int, last: int) -> list[Run]:
        """The runs that make up just these records. What waits for a change stays whole."""
        self._split(first)
        self._split(last + 1)
        return list(self._within(first, last))

    def _split(self, offset: int) -> None:
        at = self._index(offset)
        if at >= len(self._runs):
            return
        run = self._runs[at]
        if run.first >= offset:
            return
        rest = Run(offset, run.last, run.state, run.count, run.member)
        rest.until, rest.change, rest.before = run.until, run.change, run.before
        run.last = offset - 1
        if rest.change is not None:
            rest.change.runs.append(rest)
        self._runs.insert(at + 1, rest)
