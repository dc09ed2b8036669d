"""Processes that are frozen: their sockets are open, and they do nothing."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.support.waiting import eventually


def freeze(pid: int) -> None:
    """Stop a process and wait until each of its threads stands, which takes a moment under load."""
    os.kill(pid, signal.SIGSTOP)
    eventually(lambda: set(_states(pid)) <= {"T", "Z"}, f"process {pid} stands")


def _states(pid: int) -> list[str]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [(one / "stat").read_text().rpartition(")")[2].split()[0] for one in threads]
    except OSError:  # A thread has just ended.
        return ["R"]
