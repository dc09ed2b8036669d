"""One question that several servers can answer: the next is asked where one keeps silent.

`Race` decides without a clock; `first_answer` carries out what it decides. Only questions that
change nothing are asked so: two servers may answer the same one. Called by `cluster`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Generic, TypeVar

from spindle.client.failures import AuthenticationFailed, OutOfTime, Unreachable
from spindle.model.errors import PeerFailed

P = TypeVar("P")
T = TypeVar("T")

PATIENCE_S: Final = 2.0
"""Seconds that a server may keep silent before the next one is asked the same."""


class Race(Generic[P]):
    """Which of several servers is asked, and when: those before stay asked. Time is in seconds."""

    def __init__(self, servers: Iterable[P], patience: float = PATIENCE_S) -> None:
        """`servers`: in the order in which they are to be asked."""
        self._next = deque(servers)
        self._patience = patience
        self._open: dict[P, float] = {}
        """Those that were asked and have not failed, and when they were asked."""
        self.wake_at: float | None = 0.0
        """When to ask the next one; None: there is none."""

    def due(self, now: float) -> P | None:
        """The server to ask now, if it is time for one."""
        if self.wake_at is None or now < self.wake_at or not self._next:
            return None
        server = self._next.popleft()
        self._open[server] = now
        self.wake_at = now + self._patience if self._next else None
        return server

    def ended(self, server: P) -> None:
        """A server has answered, or has no answer: then the next one is asked at once."""
        del self._open[server]
        if self._next:
            self.wake_at = 0.0

    def silent(self, now: float) -> list[P]:
        """Servers that have given no answer for as long as one may take."""
        return [server for server, at in self._open.items() if now - at >= self._patience]

    @property
    def is_lost(self) -> bool:
        """Whether every server has failed."""
        return not self._open and not self._next


async def first_answer(
    race: Race[P], ask: Callable[[P], Awaitable[T]], late: Callable[[P], None]
) -> T:
    """The first answer; those asked besides are cancelled. `late` hears of each that was overtaken.

    What a server refuses is an answer and is raised, as is AuthenticationFailed: the others would
    say the same. Where all fail, one failure is raised as it is, several become Unreachable.
    """
    loop = asyncio.get_running_loop()
    asked: dict[asyncio.Task[T], P] = {}
    failures: list[PeerFailed] = []
    try:
        while not race.is_lost:
            while (server := race.due(loop.time())) is not None:
                asked[asyncio.create_task(_asked(ask, server))] = server
            pause = None if race.wake_at is None else max(0.0, race.wake_at - loop.time())
            done, _ = await asyncio.wait(asked, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                server = asked.pop(task)
                race.ended(server)
                try:
                    return task.result()
                except AuthenticationFailed:
                    raise
                except (Unreachable, OutOfTime) as failure:
                    failures.append(failure)
    finally:
        open_still = [server for task, server in asked.items() if not task.done()]
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        for server in set(open_still) & set(race.silent(loop.time())):
            late(server)
    if len(failures) == 1:
        raise failures[0]
    raise Unreachable("; ".join(dict.fromkeys(map(str, failures))))


async def _asked(ask: Callable[[P], Awaitable[T]], server: P) -> T:
    return await ask(server)
