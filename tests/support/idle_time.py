"""A loop whose clock counts only time with nothing to do, for tests with short limits.

    pytestmark = pytest.mark.usefixtures("only_idle_time")

has `asyncio.run` use it. Its sockets are real and both ends of them in this process: what was sent
is there to be read. So a machine that stands still for seconds makes nothing late, however short a
limit is, and silence lasts as long as it is to last. Waiting for a thread or another process
counts as having nothing to do, but for times in which all stand still.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, Final, TypeVar

import pytest

T = TypeVar("T")

CLOCKED: Final = ("spindle.client.", "spindle.cli.")

SLICE_SECONDS: Final = 0.05
"""The longest single wait, and so the most that counts of a time in which the process stood."""


def run(scenario: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`; `time.monotonic` of the client and the commands is the loop's, too."""
    with asyncio.Runner(loop_factory=IdleLoop) as runner, pytest.MonkeyPatch.context() as patch:
        clock = SimpleNamespace(**vars(time) | {"monotonic": runner.get_loop().time})
        for name, module in list(sys.modules.items()):
            if name.startswith(CLOCKED) and vars(module).get("time") is time:
                patch.setattr(module, "time", clock)
        return runner.run(scenario)


class IdleLoop(asyncio.SelectorEventLoop):
    """The loop."""

    def __init__(self) -> None:
        self._idle = _IdleSelector()
        super().__init__(self._idle)

    def time(self) -> float:
        """Seconds that the loop has waited in vain."""
        return self._idle.seconds

    def stand(self, seconds: float) -> None:
        """Have the process stand still for so long, with a clock that goes on."""
        self._idle.seconds += seconds


class _IdleSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.seconds = 1000.0  # As of a machine that has run for a while.

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None:
            timeout = min(timeout, SLICE_SECONDS)
        # A process that was stopped during the first look learns of nothing by it.
        found = super().select(timeout) or super().select(0)
        if not found and timeout is not None and timeout > 0:
            self.seconds += timeout + 0.0001  # Waiting lasts a little longer than is asked for.
        return found
