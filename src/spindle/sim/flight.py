"""Batches of one partition that are under way together, and which of them waits for which.

First tries go in order, each once so many before it are acknowledged; a batch that has to be tried
again waits for all before it, as in the Java client. Used by `transactor`; knows no batch.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.model.errors import Error
from spindle.sim.script import Go, Step


class Flight:
    """Some batches, numbered from 0 on. `sent`: how many were sent at least once."""

    def __init__(self) -> None:
        self.sent = 0
        self.through = 0
        """How many are acknowledged, and all before them."""
        self.error = Error.NONE
        """What has ended it: nothing more is sent."""
        self._acknowledged: dict[int, None] = {}
        self._waiting: list[tuple[Callable[[], bool], Go]] = []

    def when(self, may_go: Callable[[], bool]) -> Step:
        """Wait until something holds, or an error has ended it all."""

        def begin(go: Go) -> None:
            self._waiting.append((may_go, go))
            self._wake()

        return begin

    def on_sent(self) -> None:
        """The next one was sent for the first time."""
        self.sent += 1
        self._wake()

    def on_acknowledged(self, number: int) -> None:
        """One is in the log."""
        self._acknowledged[number] = None
        while self.through in self._acknowledged:
            self.through += 1
        self._wake()

    def on_failed(self, error: Error) -> None:
        """One will never be taken."""
        self.error = self.error or error
        self._wake()

    def _wake(self) -> None:
        ready = [one for one in self._waiting if self.error or one[0]()]
        for one in ready:
            # What one of them does may wake the others first.
            if one in self._waiting:
                self._waiting.remove(one)
                one[1](None)
