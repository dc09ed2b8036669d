"""What tests and benchmarks start dies with them, however they die."""

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.support import trees
from tests.support.processes import alive, tied
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])


STARTS = {"Popen", "check_call", "check_output", "create_subprocess_exec"}
"""What starts a process, by its last name, whatever module it is taken from."""
STARTS_OF_SUBPROCESS = {"subprocess.run", "subprocess.call"}
"""What does so too, but whose last name others have as well."""
UNTIED = {"subprocess.getoutput", "subprocess.getstatusoutput", "os.system", "os.popen"}
"""What goes by a shell, so that it cannot be tied."""
SIGNS = re.compile("|".join(sorted({*STARTS, *UNTIED, "subprocess", "create_subprocess_shell"})))
"""A source without any of these words starts nothing, and is not parsed."""


def untied(text: str) -> list[int]:
    """The lines of a source which start a process that would outlive us."""
    lines: list[int] = []
    for node in trees.nodes(ast.parse(text)) if SIGNS.search(text) else ():
        if isinstance(node, ast.ImportFrom) and node.module == "subprocess":
            lines += [node.lineno for name in node.names if name.name in ("run", "call")]
        if not isinstance(node, ast.Call):
            continue
        function = ast.unparse(node.func)
        starts = function.rpartition(".")[2] in STARTS or function in STARTS_OF_SUBPROCESS
        if (
            function in UNTIED
            or "create_subprocess_shell" in function
            or (starts and not _is_tied(node.args[0] if node.args else None))
        ):
            lines.append(node.lineno)
    return lines


def _is_tied(command: ast.expr | None) -> bool:
    if isinstance(command, ast.Starred):
        command = command.value
    return isinstance(command, ast.Call) and ast.unparse(command.func) == "tied"


def test_every_process_is_tied() -> None:
    found = {str(p.relative_to(ROOT)): untied(p.read_text(encoding="utf-8")) for p in FILES}
    wrong = [f"{path}: the commands of lines {lines}" for path, lines in found.items() if lines]
    assert not wrong, "not tied(): " + "; ".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "subprocess.Popen(['java'])",
        "psutil.Popen(command)",
        "subprocess.run(['java'], check=True)",
        "subprocess.run(args=['java'])",
        "subprocess.check_output(command)",
        "asyncio.create_subprocess_exec(*command)",
        "from subprocess import run",
        "os.system('java')",
    ],
)
def test_one_that_is_not_tied_is_found(text: str) -> None:
    assert untied(text) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "subprocess.run(tied(['java']), check=True)",
        "asyncio.create_subprocess_exec(*tied(command))",
        "asyncio.run(look())",
        "from subprocess import Popen, TimeoutExpired",
    ],
)
def test_what_is_tied_or_starts_nothing_is_passed_over(text: str) -> None:
    assert untied(text) == []


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
    eventually(lambda: not alive(child), "the child of a killed process is gone")
