"""Turns for clients that send faster than they are served (S-08).

A connection that has sent more than may be handed on at once waits here for its next turn. All that
wait share a part of each turn of the loop, so that those that ask and wait for an answer are not
held up by however many requests the former have sent ahead. Knows neither sockets nor frames.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Final

LEAST_SECONDS: Final = 0.005
"""What they get of each turn at least: alone they get all of the time, a piece after another."""
SHARE: Final = 0.25
"""Beyond that they get no more than so much of the time that the others took."""


class Backlog:
    """The connections of one loop that wait for their turn, in the order in which they came.

    A turn goes on with them until each has had as much of it as a request of the others took.
    """

    __slots__ = ("_before", "_clock", "_loop", "_others_from", "_requests", "_took", "_waiting")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        requests: Callable[[], int],
        took: Callable[[float], None],
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        """`requests`: how many have come so far, these included. `took`: hears how long (s) their
        part of each turn was."""
        self._loop = loop
        self._requests = requests
        self._took = took
        self._clock = clock
        self._waiting: deque[Callable[[], None]] = deque()
        self._others_from = 0.0
        """Since when (s) the others have their part of the turn."""
        self._before = 0
        """Requests that had come then."""

    def add(self, hand_on: Callable[[], None]) -> None:
        """Have something handed on in one of the next turns; it may be added again then."""
        self._waiting.append(hand_on)
        if len(self._waiting) == 1:
            self._rest()

    def _rest(self) -> None:
        self._others_from, self._before = self._clock(), self._requests()
        self._loop.call_soon(self._work_off)

    def _work_off(self) -> None:
        """Each in turn, once, until their part of this turn is over."""
        waiting, clock = self._waiting, self._clock
        began = clock()
        until = began + max(LEAST_SECONDS, self._part(began - self._others_from))
        for _ in range(len(waiting)):
            waiting[0]()
            waiting.popleft()  # Not before: what is added meanwhile has its turn with the rest.
            if (now := clock()) >= until:
                break
        self._took(now - began)
        if waiting:
            self._rest()

    def _part(self, others: float) -> float:
        """How long (s) it is their turn, where that of the others was so long."""
        came = max(1, self._requests() - self._before)
        return others * min(SHARE, len(self._waiting) / came)
