"""Moments by name, with one timer for the nearest. Mostly they move back: the timer stays."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final

from spindle.model.outbox import Outbox, Timer

AGAIN: Final = 1.0
"""Seconds after which to come back to a deadline that has come, if nothing has come of it."""


class Deadlines:
    """Deadlines (s, monotonic); `on_due` is called when one of them may have come."""

    def __init__(self, out: Outbox, on_due: Callable[[], None]) -> None:
        self._out = out
        self._on_due = on_due
        self._at: dict[str, float] = {}
        self._timer: Timer | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._at

    def put(self, name: str, at: float) -> None:
        """A deadline, new or moved."""
        self._at[name] = at
        if self._timer is None or at < self._timer.at:
            self._set(at)

    def drop(self, name: str) -> None:
        """It does not matter any more."""
        self._at.pop(name, None)

    def keep(self, names: Container[str]) -> None:
        """Drop all others."""
        for name in tuple(self._at):
            if name not in names:
                del self._at[name]

    def clear(self) -> None:
        """None matters any more."""
        self._at.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def due(self) -> list[str]:
        """Those that have come."""
        return [name for name, at in self._at.items() if at <= self._out.now]

    def wake(self) -> None:
        """Have a timer for the nearest."""
        if self._at and self._timer is None:
            nearest = min(self._at.values())
            self._set(nearest if nearest > self._out.now else self._out.now + AGAIN)

    def _set(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self.due():
            self._on_due()
        else:
            self.wake()
