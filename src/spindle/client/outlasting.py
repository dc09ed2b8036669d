"""How long a command outlasts a cluster without a controller, or a broker that restarts.

Questions and orders of a long run are repeated while no controller answers: an election and a
restart of all nodes, one after the other, end by themselves. The operator hears of it. Held by
`cluster`, given by the commands.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from spindle.client.failures import (
    AuthenticationFailed,
    OutOfTime,
    Refused,
    Unreachable,
    Unresolved,
)
from spindle.model.errors import Error
from spindle.wire.codec import Message

PAUSE_S: Final = 1.0
SAY_FROM_S: Final = 5.0
"""What is over sooner is not worth a line."""
SAY_EVERY_S: Final = 10.0
LACKING: Final = frozenset((Error.NOT_CONTROLLER, Error.REQUEST_TIMED_OUT))
"""What brokers answer that have no controller to hand a request on to."""


class Outlasting:
    """The patience of one run; what it waits for it has lost since one moment."""

    def __init__(self, seconds: float, say: Callable[[str], None]) -> None:
        """`say` hears what is waited for, from `SAY_FROM_S` on."""
        self.seconds = seconds
        self._say = say
        self._lost: dict[str, float] = {}
        """Since when each is missed."""
        self._said: dict[str, float] = {}

    async def goes_on(self, what: str, began: float, why: str) -> bool:
        """Wait a moment for what has just failed; False where it has been missed for too long.

        `began`: when the question was asked that has failed.
        """
        now = time.monotonic()
        missed = now - self._lost.setdefault(what, began)
        if missed >= self.seconds:
            return False
        if missed >= SAY_FROM_S and now - self._said.get(what, 0.0) >= SAY_EVERY_S:
            detail = "" if what in self._said else f" of {self.seconds:g} s at most: {why}"
            self._said[what] = now
            self._say(f"waits for {what}, {missed:.0f} s{detail}")
        await asyncio.sleep(min(PAUSE_S, self.seconds - missed))
        return True

    def on_answer(self, what: str) -> None:
        """It is there."""
        since = self._lost.pop(what, None)
        if self._said.pop(what, None) is not None and since is not None:
            self._say(f"{what} answers again, after {time.monotonic() - since:.0f} s")


def is_passing(failure: Exception) -> bool:
    """Whether a failure is that of a node which stops, starts, or has no controller."""
    if isinstance(failure, Refused):
        return failure.error in LACKING
    lasting = isinstance(failure, AuthenticationFailed | Unresolved)
    return isinstance(failure, Unreachable | OutOfTime) and not lasting


def lacking(answer: Message) -> str:
    """The words of an answer whose parts say that there is no controller; "" where none does."""
    for name in type(answer).__slots__:
        parts = getattr(answer, name)
        for part in parts if isinstance(parts, tuple) else ():
            if (error := getattr(part, "error_code", 0)) in LACKING:
                return str(getattr(part, "error_message", None) or Error(error).name)
    return ""
