"""Our own commands, run as a user runs them: a process, its exit code, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.apache_kafka import ToolResult


def run(command: str, *arguments: str, seconds: float = 60) -> ToolResult:
    """Run a command of this installation, e.g. `run("spindle", "log-dirs", "-b", bootstrap)`."""
    done = subprocess.run(
        [str(Path(sys.executable).parent / command), *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        check=False,
    )
    return ToolResult(done.returncode, done.stdout, done.stderr)
