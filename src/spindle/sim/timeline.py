"""Virtual time, one seeded source of chance, and the record of a run.

The only thing that moves time is the queue of events, ordered by (time, number): the same seed
gives the same run, byte for byte (`digest`). Knows no host and no network. Belongs to `world`.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import random
from collections.abc import Callable
from typing import TypeVarTuple

Ts = TypeVarTuple("Ts")
WALL_START_MS = 1_800_000_000_000
"""Wall clock at the beginning of every simulation, in ms since 1970."""


class Timeline:
    """What has happened, what is to happen, and when."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now = 0.0
        self.events = 0
        self.trace: Callable[[str], None] | None = None
        """Given a line for each thing that happens."""
        self._heap: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._numbers = itertools.count()
        self._digest = hashlib.blake2b(digest_size=16)

    @property
    def wall_ms(self) -> int:
        """The wall clock, as a host without skew shows it."""
        return WALL_START_MS + int(self.now * 1000)

    @property
    def digest(self) -> str:
        """A fingerprint of all that has happened."""
        return self._digest.hexdigest()

    def at(self, when: float, then: Callable[[*Ts], None], *args: *Ts) -> None:
        """Have something happen at a time."""
        heapq.heappush(self._heap, (max(when, self.now), next(self._numbers), then, args))

    def after(self, delay: float, then: Callable[[*Ts], None], *args: *Ts) -> None:
        """Have something happen `delay` seconds from now."""
        self.at(self.now + delay, then, *args)

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass until `done()` or the time is reached; whether `done()`."""
        while self._heap and self._heap[0][0] <= until:
            if done():
                return True
            self.now, _, then, args = heapq.heappop(self._heap)
            self.events += 1
            then(*args)
        if done():
            return True
        self.now = max(self.now, until)
        return False

    def note(self, *what: object) -> None:
        """Make something part of the run's fingerprint, and of its trace."""
        line = f"{self.now:.9f} {what}"
        self._digest.update(line.encode())
        if self.trace is not None:
            self.tell(" ".join(map(str, what)))

    def tell(self, line: str) -> None:
        """Make something part of the trace alone."""
        if self.trace is not None:
            self.trace(f"{self.now:12.6f}  {line}")
