"""Clients that wait a moment to hear which broker leads next: the leader's disk has failed here.

A client that hears of the failure at once asks this broker again, and waits ever longer in between.
One that hears the next leader's name with the refusal (KIP-951) goes there. The controller names it
within some hundredths of a second. Belongs to `HostedPartitions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox, Timer

WAIT: Final = 0.25
"""s until clients are answered without it: what else their requests brought waits as well.

For each failure once. Where no controller decides, the clients that come later hear at once.
"""


class Successors:
    """What is to be called once the next leader of a partition is known, or will not be soon."""

    def __init__(self, out: Outbox, is_due: Callable[[PartitionId], bool]) -> None:
        """`is_due`: whether a partition's leader has failed here and the next one is not known."""
        self._out = out
        self._is_due = is_due
        self._waiting: dict[PartitionId, dict[Callable[[], None], None]] = {}
        self._timers: dict[PartitionId, Timer] = {}
        self._vain: set[PartitionId] = set()
        """Those that were waited for already."""
        self.on_released: Callable[[PartitionId], None] = lambda id: None
        """Called when there is nothing to wait for any more: for fetches, which wait elsewhere."""

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def wait(self, id: PartitionId, then: Callable[[], None]) -> bool:
        """Call `then` once that is decided, or time is up; in the order in which clients came.

        Once, however often it is given. False: never, as there is nothing to wait for.
        """
        if not self.may_wait(id):
            return False
        self._waiting[id][then] = None
        return True

    def may_wait(self, id: PartitionId) -> bool:
        """Whether a client may wait for it now; the first one begins the time for all."""
        if id in self._vain or not self._is_due(id):
            return False
        if id not in self._waiting:
            self._waiting[id] = {}
            self._timers[id] = self._out.after(WAIT, lambda: self._give_up(id))
        return True

    def on_changed(self, partitions: Iterable[PartitionId]) -> None:
        """The metadata of partitions has changed, or their replica here has."""
        if not self._waiting and not self._vain:
            return
        for id in partitions:
            if not self._is_due(id):
                self._vain.discard(id)
                self._release(id)

    def _give_up(self, id: PartitionId) -> None:
        self._vain.add(id)
        self._release(id)

    def _release(self, id: PartitionId) -> None:
        waiting = self._waiting.pop(id, None)
        if waiting is None:
            return
        self._timers.pop(id).cancel()
        for then in waiting:
            then()
        self.on_released(id)
