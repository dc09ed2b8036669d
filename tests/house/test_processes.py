"""What tests and benchmarks start dies with them, however they die."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.support.processes import tied
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_process_that_is_left_running_is_tied(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Popen"):
            command = node.args[0]
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            assert isinstance(command, ast.Call), f"{where}: the command is not tied()"
            assert ast.unparse(command.func) == "tied", f"{where}: the command is not tied()"


def test_a_killed_parent_takes_its_process_with_it() -> None:
    start = (
        "import subprocess, time\nfrom tests.support.processes import tied\n"
        "print(subprocess.Popen(tied(['sleep', '300'])).pid, flush=True)\ntime.sleep(300)\n"
    )
    with subprocess.Popen(
        tied([sys.executable, "-c", start]), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        eventually(lambda: child.name() == "sleep", "setpriv has become the command")
        os.kill(parent.pid, signal.SIGKILL)
    eventually(
        lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE,
        "the child of a killed process is gone",
    )
