"""Processes of tests and benchmarks die with the process that started them.

A test run that is killed (SIGKILL, out of memory) runs no `finally`, and a JVM that outlives it
takes ports, memory and a core from the next run. So the kernel ends what we start.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

import psutil


def tied(command: Sequence[str]) -> list[str]:
    """The command, so that its process ends when ours does, however ours does.

    On Linux `setpriv` asks the kernel for it and then becomes the command: same process id, no
    shell between. The kernel looks at the thread that starts the process: start it from one that
    lives on. Other systems have nothing like it: there the command stays as it is.
    """
    if sys.platform != "linux":
        return list(command)
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is not installed (Debian: util-linux)")
    return [setpriv, "--pdeathsig", "KILL", "--", *command]


def alive(process: psutil.Process) -> bool:
    """Whether a process runs; one that waits to be reaped does not."""
    with suppress(psutil.NoSuchProcess):  # It may end while it is looked at.
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def children_of(pid: int | None = None) -> list[psutil.Process]:
    """The running processes that a process has started; by default this one."""
    return [child for child in psutil.Process(pid).children() if alive(child)]


def words_of(process: psutil.Process) -> list[str]:
    """The command line of a process; nothing of one that has just ended."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []
