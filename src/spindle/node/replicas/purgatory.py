"""Requests that wait here, and the one timer that calls them when their time is up.

The part that parks a request also answers it; parking only keeps deadlines. The readers and the
handlers of produce and delete_records use it.
"""

from __future__ import annotations

from typing import Protocol

from spindle.core.replica.waiting import Deadlines
from spindle.model.outbox import Outbox, Timer


class DelayedOperation(Protocol):
    """A request that waits; it is answered at its deadline at the latest."""

    def on_deadline(self) -> None:
        """Its time is up: answer with what there is."""


class Purgatory:
    """All parked requests of a broker, by deadline."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._deadlines: Deadlines[DelayedOperation] = Deadlines()
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._deadlines)

    def park(self, seconds: float, request: DelayedOperation) -> None:
        """Call a request back when it has waited for so many seconds."""
        self._deadlines.add(self._out.now + seconds, request)
        self._arm()

    def leave(self, request: DelayedOperation) -> None:
        """A request needs no deadline any more, or never had one."""
        self._deadlines.discard(request)

    def _arm(self) -> None:
        # A deadline that is taken back leaves the timer alone: it will find nothing due then.
        at = self._deadlines.next
        if at is not None and (self._timer is None or at < self._timer.at):
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._out.at(at, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        for request in self._deadlines.take_due(self._out.now):
            request.on_deadline()
        self._arm()
