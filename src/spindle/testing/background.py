"""What the clusters of one process share: an event loop on a thread of its own, and the process
that has loaded the code and forks their nodes. Knows no cluster.

The forking process ends with this one, however this one ends, and takes the nodes and their files
along.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import TypeVar

from spindle.runtime.nursery import Nursery

T = TypeVar("T")


class Background:
    """A loop on a thread of its own, and the nursery that runs on it."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.nursery = Nursery()
        self._loop = asyncio.new_event_loop()
        run = self._loop.run_forever
        threading.Thread(target=run, name="spindle.testing", daemon=True).start()

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Do something on the loop and wait for it; interrupted, it is cancelled."""
        done = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return done.result()
        except BaseException:
            done.cancel()
            raise


_lock = threading.Lock()
_background: Background | None = None


def background() -> Background:
    """That of this process; a fork of it gets its own."""
    global _background
    with _lock:
        if _background is None or _background.pid != os.getpid():
            _background = Background()
        return _background


def warm_up() -> None:
    """Have the code loaded for the clusters to come; returns at once.

    The first cluster of a process is ready sooner if this was called a second before.
    """
    found = background()
    found.run(found.nursery.warm_up())
