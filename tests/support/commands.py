"""Our own commands, run as a user runs them: a process, its exit code, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.apache_kafka import ToolResult

_state = tempfile.TemporaryDirectory(prefix="spindle-test-state-")


def environment() -> dict[str, str]:
    """That of a user with a home of its own, for as long as this process lives."""
    state = {"SPINDLE_STATE_DIR": _state.name}
    return {**os.environ, "LC_ALL": "C.UTF-8", **state}


def begin(command: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a command of this installation and leave it running, its output in pipes."""
    return subprocess.Popen(
        [str(Path(sys.executable).parent / command), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip


def run(command: str, *arguments: str, seconds: float = 60) -> ToolResult:
    """Run a command of this installation, e.g. `run("spindle", "log-dirs", "-b", bootstrap)`."""
    done = subprocess.run(
        [str(Path(sys.executable).parent / command), *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=environment(),
        check=False,
    )
    return ToolResult(done.returncode, done.stdout, done.stderr)
