"""Our own commands, run as a user runs them: a process, its exit code, what it printed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from spindle.cli.app import main
from tests.support import command_nursery
from tests.support.apache_kafka import ToolResult
from tests.support.processes import tied

_state = tempfile.TemporaryDirectory(prefix="spindle-test-state-")


def environment() -> dict[str, str]:
    """That of a user with a home of its own, for as long as this process lives."""
    state = {"SPINDLE_STATE_DIR": _state.name}
    return {**os.environ, "LC_ALL": "C.UTF-8", **state}


def begin(command: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a command of this installation and leave it running, its output in pipes."""
    return subprocess.Popen(
        tied([str(Path(sys.executable).parent / command), *arguments]),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip


def run(command: str, *arguments: str, seconds: float = 60) -> ToolResult:
    """Run a command of this installation, e.g. `run("spindle", "log-dirs", "-b", bootstrap)`.

    Its process is forked from one that has loaded the commands' modules.
    """
    words, around = (command, *arguments), environment()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        code = command_nursery.shared(around).run(words, around, (out, err), seconds)
        out.seek(0)
        err.seek(0)
        return ToolResult(code, out.read(), err.read())


def call(*arguments: str) -> ToolResult:
    """Run a `spindle` command inside this process: it prints the same, and is there at once."""
    return call_tool(main, *arguments)


def call_tool(tool: Callable[[Sequence[str]], None], *arguments: str) -> ToolResult:
    """The same with a command that has a name of Kafka's."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            tool(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return ToolResult(code, out.getvalue(), err.getvalue())
