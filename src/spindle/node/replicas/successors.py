"""Clients that wait a moment to hear which broker leads next: the leader's disk has failed here.

A producer that hears of the failure at once asks this broker again, and waits ever longer in
between. One that hears the next leader's name with the refusal (KIP-951) goes there. The controller
names it within some hundredths of a second. Belongs to `HostedPartitions`; `node.produce` waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox, Timer

WAIT: Final = 0.25
"""s until a client is answered without it: what else its request brought waits as well."""


class Successors:
    """What is to be called once the metadata says something new of a partition."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._waiting: dict[PartitionId, dict[Timer, Callable[[bool], None]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def wait(self, id: PartitionId, then: Callable[[bool], None]) -> None:
        """Call `then` once: with True when the partition's metadata changes, with False at last."""
        timer: Timer
        timer = self._out.after(WAIT, lambda: self._give_up(id, timer))
        self._waiting.setdefault(id, {})[timer] = then

    def on_metadata(self, partitions: Iterable[PartitionId]) -> None:
        """The metadata of partitions has changed."""
        if not self._waiting:
            return
        for id in partitions:
            for timer, then in self._waiting.pop(id, {}).items():
                timer.cancel()
                then(True)

    def _give_up(self, id: PartitionId, timer: Timer) -> None:
        waiting = self._waiting[id]
        then = waiting.pop(timer)
        if not waiting:
            del self._waiting[id]
        then(False)
