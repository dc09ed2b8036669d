"""One writer of the metadata log at a time: the leader's side of a node, or the follower's."""

from __future__ import annotations

from collections.abc import Callable


class LogLock:
    """Held from the beginning of a write until it is durable."""

    def __init__(self) -> None:
        self.is_held = False
        self._waiting: list[Callable[[], None]] = []

    def acquire(self) -> None:
        """A write begins."""
        assert not self.is_held
        self.is_held = True

    def release(self) -> None:
        """The write is over; what waited for that runs now."""
        self.is_held = False
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    def when_free(self, then: Callable[[], None]) -> None:
        """Run `then` when nothing is being written (now, if so)."""
        if self.is_held:
            self._waiting.append(then)
        else:
            then()
