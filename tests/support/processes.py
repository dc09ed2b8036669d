"""Processes of tests and benchmarks die with the process that started them.

A test run that is killed (SIGKILL, out of memory) runs no `finally`, and a JVM that outlives it
takes ports, memory and a core from the next run. So the kernel ends what we start.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence


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
