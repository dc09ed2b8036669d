"""Processes that end with the process that started them. Linux; elsewhere nothing happens."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_SET_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def end_with(parent: int, number: int = signal.SIGTERM) -> None:
    """Have the kernel send a signal to this process when its parent ends, however it ends.

    `parent`: the parent's process id. If it has ended already, the signal is sent at once.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)
