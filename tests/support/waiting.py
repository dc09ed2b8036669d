"""Waiting for a state, never for a time: poll with a deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class TimeIsUp(AssertionError):
    """A state did not come within its deadline: the only failure that a loaded machine explains."""


def eventually(
    look: Callable[..., T | None], what: str, seconds: float = 30, pause: float = 0.05
) -> T:
    """The first true value of `look()`; TimeIsUp naming `what` when time is up."""
    deadline = time.monotonic() + seconds
    while not (value := look()):
        if time.monotonic() >= deadline:
            raise TimeIsUp(f"not within {seconds} s: {what}; last: {value!r}")
        time.sleep(pause)
    return value


async def eventually_async(
    look: Callable[[], Awaitable[T | None]], what: str, seconds: float = 30, pause: float = 0.05
) -> T:
    """The same for a coroutine function."""
    deadline = time.monotonic() + seconds
    while not (value := await look()):
        if time.monotonic() >= deadline:
            raise TimeIsUp(f"not within {seconds} s: {what}; last: {value!r}")
        await asyncio.sleep(pause)
    return value
