"""Tries whether anything accepts connections at an address: connects, and hangs up at once.

Tells a refusal, which the machine itself gives for a port that no process listens on, from silence.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from spindle.model.outbox import KnockAsked, Knocked


class Knocks:
    """All such tries of a node. `tell(ticket, outcome)` is called on the loop."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, tell: Callable[[int, object], None]
    ) -> None:
        self._loop = loop
        self._tell = tell
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, asked: KnockAsked) -> None:
        """Try one address."""
        task = self._loop.create_task(self._knock(asked))
        self._under_way.add(task)
        task.add_done_callback(self._ended)

    def close(self) -> None:
        """Give up all that are under way."""
        for task in self._under_way:
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            raise bug

    async def _knock(self, asked: KnockAsked) -> None:
        try:
            async with asyncio.timeout(asked.timeout):
                outcome = await self._connect(asked.host, asked.port)
        except TimeoutError:
            outcome = Knocked.SILENT
        self._tell(asked.ticket, outcome)

    async def _connect(self, host: str, port: int) -> Knocked:
        """REFUSED where every address of the host refuses."""
        outcome = Knocked.SILENT
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            for family, kind, proto, _, address in found:
                with socket.socket(family, kind, proto) as sock:
                    sock.setblocking(False)
                    try:
                        await self._loop.sock_connect(sock, address)
                    except ConnectionRefusedError:
                        outcome = Knocked.REFUSED
                        continue
                    return Knocked.OPENED
        except (OSError, ValueError, OverflowError):  # also: no name, no port
            return Knocked.SILENT
        return outcome
