"""How other threads call an event loop: one byte wakes it, however often they ring until it looks.

asyncio's `call_soon_threadsafe` sends a byte for each call, and reads until an error says that no
more has come: two calls of the system more for each. Knows not what it is rung for.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_RINGS_MOST: Final = 64
"""Threads that may ring at the same moment and be heard as one: more are heard once more."""


class Bell:
    """Made and closed on the loop; rung from any thread.

    What it is rung for is put down before `ring`, and looked at by `heard`: nothing is missed.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, heard: Callable[[], None]) -> None:
        """`heard` is called on the loop, once for all that have rung since it was called last."""
        self._loop = loop
        self._heard = heard
        self._ear, self._rope = socket.socketpair()
        self._ear.setblocking(False)
        self._rope.setblocking(False)
        self._is_rung = False
        self._is_closed = False
        self._closing = threading.Lock()
        """Else a byte could go where the system has opened something else meanwhile."""
        loop.add_reader(self._ear.fileno(), self._on_rung)

    def ring(self) -> None:
        """Have `heard` called soon. After `close` nothing happens."""
        if self._is_rung:
            return
        self._is_rung = True
        with self._closing, suppress(BlockingIOError):  # It is full of rings: that will do.
            if not self._is_closed:
                self._rope.send(b"\0")

    def _on_rung(self) -> None:
        with suppress(BlockingIOError):
            self._ear.recv(_RINGS_MOST)
        self._is_rung = False  # Before it is looked: what is put down from now on rings once more.
        self._heard()

    def close(self) -> None:
        """Hear nothing more."""
        with self._closing:
            self._is_closed = True
        self._loop.remove_reader(self._ear.fileno())
        self._ear.close()
        self._rope.close()
