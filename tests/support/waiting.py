"""Waiting for a state, never for a time: poll with a deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class TimeIsUp(AssertionError):
    """A state did not come within its deadline: the only failure that a loaded machine explains."""


NOT_YET = (FileNotFoundError, ConnectionError)
"""What a look may meet while nodes work: a file that one of them has just deleted or renamed, a
listener that is not there yet or no longer. Any other error of a look ends the wait."""


def eventually(
    look: Callable[..., T | None], what: str, seconds: float = 30, pause: float = 0.05
) -> T:
    """The first true value of `look()`; TimeIsUp naming `what` when time is up."""
    deadline = time.monotonic() + seconds
    while True:
        last: object
        try:
            if value := look():
                return value
            last = value
        except NOT_YET as error:
            last = error
        if time.monotonic() >= deadline:
            raise TimeIsUp(f"not within {seconds} s: {what}; last: {last!r}")
        time.sleep(pause)


async def eventually_async(
    look: Callable[[], Awaitable[T | None]], what: str, seconds: float = 30, pause: float = 0.05
) -> T:
    """The same for a coroutine function."""
    deadline = time.monotonic() + seconds
    while True:
        last: object
        try:
            if value := await look():
                return value
            last = value
        except NOT_YET as error:
            last = error
        if time.monotonic() >= deadline:
            raise TimeIsUp(f"not within {seconds} s: {what}; last: {last!r}")
        await asyncio.sleep(pause)
