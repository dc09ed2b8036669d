"""Waiting for a state, never for a time: poll with a deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T], what: str, seconds: float = 30, pause: float = 0.05) -> T:
    """The first true value of `look()`; AssertionError naming `what` when time is up."""
    deadline = time.monotonic() + seconds
    while not (value := look()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}; last: {value!r}"
        time.sleep(pause)
    return value


async def eventually_async(
    look: Callable[[], Awaitable[T]], what: str, seconds: float = 30, pause: float = 0.05
) -> T:
    """The same for a coroutine function."""
    deadline = time.monotonic() + seconds
    while not (value := await look()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}; last: {value!r}"
        await asyncio.sleep(pause)
    return value
